import type { Decimal } from '@svc-gateway/contract/decimal';
import { DAY_MS } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import { adjustedPrice, adjustedTotals, FACTOR_ONE } from './adjustment.js';
import { type Aggregate, barOf, merge } from './aggregate.js';
import type { Bar, BarPeriod, BarsRange } from './market.js';
import type { Tape } from './tape.js';
import type { TradingDay } from './trading-days.js';

const MINUTE = 60_000;
/** Bars in a block: those of an hour of minutes. */
const BLOCK_BARS = 60;
/** At about 40 KB each, with what is made of their bars. */
const CACHED_BLOCKS = 256;
const NONE: readonly Bar[] = [];

/** Bars of an instrument that are wanted as of a moment. */
interface Request extends BarsRange {
  readonly instrument: Instrument;
  readonly period: BarPeriod;
  readonly to: number;
  /** Epoch ms. */
  readonly now: number;
  /** Factor by which prices of a day (counted from 1970-01-01) are multiplied. */
  readonly factor: (day: number) => bigint;
}

/** Minute bars of one day. */
interface Minutes {
  readonly day: TradingDay;
  readonly minutes: number;
  /** Starts of the day's bars. */
  readonly edges: readonly number[];
  readonly factor: bigint;
}

/**
 * Bars of any period, made from the tape. A bar exists where a trade does. Minute bars are counted from each session's start and do not reach over a break; the bar
 * of a week and longer starts with its first trading day. Bars of days and longer are of regular trading.
 */
export class Bars {
  /**
   * Minute bars of blocks that are over: a thousand of them take 45 ms from the tape. Nothing but a caller's trade changes them any more. The same bars are the
   * same objects, so that others may remember what they make of them.
   */
  readonly #blocks = new LruCache<string, readonly Bar[]>(CACHED_BLOCKS);

  constructor(private readonly tape: Tape) {}

  /** Oldest first. Ready to pause before each day of a plate. */
  *of(request: Request): Generator<void, readonly Bar[]> {
    const { instrument, period, from, limit = Infinity } = request;
    if (limit <= 0) return NONE;
    const found: (readonly Bar[])[] = [];
    let count = 0;
    for (const group of this.#groups(request)) {
      if (count >= limit) break;
      if (instrument.kind === 'plate')
        for (const day of group) yield* this.tape.plates.prepareBars(instrument, day, period.unit === 'minute');
      const bars =
        period.unit === 'minute'
          ? NONE.concat(...group.map((day) => this.#ofMinutes(request, day, period.count, limit - count)))
          : this.#ofDays(request, group);
      const kept = within(bars, request);
      found.push(kept);
      count += kept.length;
    }
    // Array.concat copies as it is; Array.flat asks of every item whether it is one to flatten.
    const all = NONE.concat(...(from === undefined ? found.reverse() : found));
    if (all.length <= limit) return all;
    return from === undefined ? all.slice(-limit) : all.slice(0, limit);
  }

  /** The days of each bar (of a day's minute bars: the day), forward from `from`, or backward from `to` where `from` is not given. */
  *#groups({ instrument, period, from, to, now }: Request): Generator<TradingDay[]> {
    const days = this.tape.days(instrument);
    const firstDay = this.tape.firstDay(instrument);
    const until = Math.min(to - 1, now);
    const listed = (day: TradingDay) => day.number >= firstDay && day.start <= now;
    const forward = from !== undefined;
    const step = (day: TradingDay) => (forward ? days.next(day) : days.previous(day));
    const back = (day: TradingDay) => (forward ? days.previous(day) : days.next(day));

    let day = days.at(forward ? Math.min(Math.max(from, (firstDay - 1) * DAY_MS), now) : until);
    if (forward) while (day.number < firstDay) day = days.next(day);
    // Begin with the whole period that the day lies in: whether it is wanted is decided by its start.
    for (let other = back(day); listed(other) && periodOf(other, period) === periodOf(day, period); other = back(day)) day = other;
    while (listed(day) && (!forward || day.start <= until)) {
      const group: TradingDay[] = [];
      const key = periodOf(day, period);
      for (; listed(day) && periodOf(day, period) === key; day = step(day)) group.push(day);
      yield forward ? group : group.reverse();
    }
  }

  /** Each day is adjusted by itself: an ex-day may lie in the middle of the bar. */
  #ofDays({ instrument, factor, now }: Request, days: readonly TradingDay[]): readonly Bar[] {
    let totals: Aggregate | undefined;
    let [first, last]: (TradingDay | undefined)[] = [];
    for (const day of days) {
      const traded = this.tape.dayTotals(instrument, day, now);
      if (traded === undefined) continue;
      first ??= day;
      last = day;
      totals = merge(totals, adjustedTotals(traded, factor(day.number)));
    }
    if (totals === undefined || first === undefined || last === undefined) return NONE;
    const previousClose = adjustedPrice(this.tape.previousClose(instrument, first), factor(first.number));
    return [barOf(first.start, last.end, previousClose, totals)];
  }

  /**
   * The day's minute bars in the range, oldest first: at least the `wanted` first ones, or last ones where `from` is not given.
   * The tape is read a block of bars at a time, so that the running bar does not cost the whole day.
   */
  #ofMinutes(request: Request, day: TradingDay, minutes: number, wanted: number): readonly Bar[] {
    const { instrument, from = -Infinity, to, now } = request;
    const forward = request.from !== undefined;
    const edges = edgesOf(day, minutes);
    const of: Minutes = { day, minutes, edges, factor: request.factor(day.number) };
    const version = this.tape.version(instrument, day);
    let [low, high] = [edges.findIndex((edge) => edge >= from), edges.findLastIndex((edge) => edge < to && edge <= now) + 1];
    const parts: (readonly Bar[])[] = [];
    let count = 0;
    for (let size = wanted; low >= 0 && low < high && count < wanted; size *= 2) {
      const number = Math.floor((forward ? low : high - 1) / BLOCK_BARS);
      const [start, end] = [number * BLOCK_BARS, Math.min((number + 1) * BLOCK_BARS, edges.length)];
      let [first, last] = [Math.max(low, start), Math.min(high, end)];
      const key = `${instrument.symbol} ${day.number} ${minutes} ${number} ${version} ${of.factor}`;
      const isOver = (edges[end] ?? day.end) <= now;
      const isWorthIt = 2 * Math.min(last - first, wanted - count) >= end - start;
      const whole =
        isOver && isWorthIt ? this.#blocks.get(key, () => this.#read(request, of, start, end)) : isOver && this.#blocks.peek(key);
      if (whole) {
        const [since, until] = [edges[first] ?? 0, edges[last] ?? Infinity];
        parts.push(last - first === end - start ? whole : whole.filter((bar) => bar.start >= since && bar.start < until));
      } else {
        if (forward) last = Math.min(last, first + size);
        else first = Math.max(first, last - size);
        parts.push(this.#read(request, of, first, last));
      }
      count += parts.at(-1)?.length ?? 0;
      if (forward) low = last;
      else high = first;
    }
    return NONE.concat(...(forward ? parts : parts.reverse()));
  }

  /** The bars that start at `edges[first]` up to, not including, `edges[last]`. */
  #read({ instrument, now }: Request, { day, minutes, edges, factor }: Minutes, first: number, last: number): readonly Bar[] {
    const starts = edges.slice(first, last);
    const until = Math.min(edges[last] ?? day.end, now + 1);
    const [before, ...totals] = this.tape.slices(instrument, day, [day.start, ...starts, until]);
    const bars: Bar[] = [];
    let previousClose = before?.close ?? this.tape.previousClose(instrument, day);
    for (const [i, traded] of totals.entries()) {
      const start = starts[i];
      if (traded === undefined || start === undefined) continue;
      bars.push(adjustedBar(barOf(start, barEnd(day, start, minutes), previousClose, traded), factor));
      previousClose = traded.close;
    }
    return bars;
  }
}

/** Selects the bars that start in [from, to); bars are in rising order. */
function within(bars: readonly Bar[], { from = -Infinity, to }: Request): readonly Bar[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined || (first.start >= from && last.start < to)) return bars;
  return bars.filter(({ start }) => start >= from && start < to);
}

/** Number of a day's bar: equal for days of the same bar, rising from bar to bar. Weeks begin on Monday. */
export function periodOf({ day, number }: Pick<TradingDay, 'day' | 'number'>, { unit }: BarPeriod): number {
  if (unit === 'minute' || unit === 'day') return number;
  if (unit === 'week') return Math.floor((number + 3) / 7);
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  if (unit === 'month') return year * 12 + month;
  return unit === 'quarter' ? year * 4 + Math.floor((month - 1) / 3) : year;
}

function adjustedBar(bar: Bar, factor: bigint): Bar {
  if (factor === FACTOR_ONE) return bar;
  const at = (price: Decimal) => adjustedPrice(price, factor);
  const { open, high, low, close, previousClose } = bar;
  return { ...bar, open: at(open), high: at(high), low: at(low), close: at(close), previousClose: at(previousClose) };
}

/** Starts of the day's minute bars, counted from each session's start. */
function edgesOf({ sessions }: TradingDay, minutes: number): readonly number[] {
  return sessions.flatMap(({ start, end }) => {
    return Array.from({ length: Math.ceil((end - start) / (minutes * MINUTE)) }, (_, i) => start + i * minutes * MINUTE);
  });
}

function barEnd(day: TradingDay, start: number, minutes: number): number {
  const session = day.sessions.find((candidate) => start >= candidate.start && start < candidate.end);
  return Math.min(start + minutes * MINUTE, session?.end ?? Infinity);
}
