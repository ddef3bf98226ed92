import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';
import { adjustedPrice, adjustedTotals, FACTOR_ONE } from './adjustment.js';
import { type Aggregate, barOf, merge } from './aggregate.js';
import { type BarBlocks, BLOCK_BARS } from './bar-blocks.js';
import type { Bar, BarPeriod } from './market.js';
import type { Tape } from './tape.js';
import type { TradingDay } from './trading-days.js';

const MINUTE = 60_000;
const MS_PER_DAY = 86_400_000;

/** Bars that start in [from, to), epoch ms: the first `limit` of them, or the last `limit` where `from` is not given. */
interface BarRange {
  readonly from?: number;
  readonly to: number;
  readonly limit?: number;
  /** Factor by which prices of a day are multiplied. */
  readonly factor: (day: TradingDay) => bigint;
}

/** Sources from which bars are made. */
interface BarSources {
  readonly tape: Tape;
  readonly blocks: BarBlocks;
}

/**
 * Bars of any period as of `now`, oldest first. A bar exists where a trade does. Minute bars are counted from each
 * session's start and do not reach over a break; the bar of a week and longer starts with its first trading day. Bars of days
 * and longer are of regular trading. Ready to pause before each day of a plate.
 */
export function* barsOf(
  { tape, blocks }: BarSources,
  instrument: Instrument,
  period: BarPeriod,
  range: BarRange,
  now: number,
): Generator<void, readonly Bar[]> {
  if (range.limit !== undefined && range.limit <= 0) return [];
  const groups = dayGroups(tape, instrument, period, range, now);
  const bars = (group: readonly TradingDay[], wanted: number): readonly Bar[] => {
    if (period.unit !== 'minute') return longBar(tape, instrument, group, range, now);
    return NONE.concat(...group.map((day) => minuteBars({ tape, blocks }, instrument, day, period.count, range, wanted, now)));
  };
  const limit = range.limit ?? Infinity;
  const found: (readonly Bar[])[] = [];
  let count = 0;
  for (const group of groups) {
    if (count >= limit) break;
    if (instrument.kind === 'plate') for (const day of group) yield* tape.plates.prepareBars(instrument, day, period.unit === 'minute');
    const kept = within(bars(group, limit - count), range);
    found.push(kept);
    count += kept.length;
  }
  // Array.concat copies as it is; Array.flat asks of every item whether it is one to flatten.
  const all = NONE.concat(...(range.from === undefined ? found.reverse() : found));
  if (all.length <= limit) return all;
  return range.from === undefined ? all.slice(-limit) : all.slice(0, limit);
}

const NONE: readonly Bar[] = [];

/** Selects the bars that start in [from, to); bars are in rising order. */
function within(bars: readonly Bar[], { from = -Infinity, to }: BarRange): readonly Bar[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined || (first.start >= from && last.start < to)) return bars;
  return bars.filter(({ start }) => start >= from && start < to);
}

/** The days of each bar (of a day's minute bars: the day), forward from `from`, or backward from `to` where `from` is not given. */
function* dayGroups(
  tape: Tape,
  instrument: Instrument,
  period: BarPeriod,
  range: Omit<BarRange, 'factor'>,
  now: number,
): Generator<TradingDay[]> {
  const days = tape.days(instrument);
  const firstDay = tape.firstDay(instrument);
  const until = Math.min(range.to - 1, now);
  const listed = (day: TradingDay) => day.number >= firstDay && day.start <= now;
  const forward = range.from !== undefined;
  const step = (day: TradingDay) => (forward ? days.next(day) : days.previous(day));
  const back = (day: TradingDay) => (forward ? days.previous(day) : days.next(day));

  let day = days.at(forward ? Math.min(Math.max(range.from ?? 0, (firstDay - 1) * MS_PER_DAY), now) : until);
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

/** Equal for days of the same bar. Weeks begin on Monday. */
function periodOf({ day, number }: TradingDay, period: BarPeriod): number | string {
  switch (period.unit) {
    case 'minute':
    case 'day':
      return number;
    case 'week':
      return Math.floor((number + 3) / 7);
    case 'month':
      return day.slice(0, 7);
    case 'quarter':
      return `${day.slice(0, 4)} ${Math.floor((Number(day.slice(5, 7)) - 1) / 3)}`;
    case 'year':
      return day.slice(0, 4);
  }
}

/** Each day is adjusted by itself: an ex-day may lie in the middle of the bar. */
function longBar(tape: Tape, instrument: Instrument, days: readonly TradingDay[], { factor }: BarRange, now: number): readonly Bar[] {
  let totals: Aggregate | undefined;
  let [first, last]: (TradingDay | undefined)[] = [];
  for (const day of days) {
    const traded = tape.dayTotals(instrument, day, now);
    if (traded === undefined) continue;
    first ??= day;
    last = day;
    totals = merge(totals, adjustedTotals(traded, factor(day)));
  }
  if (totals === undefined || first === undefined || last === undefined) return [];
  return [barOf(first.start, last.end, adjustedPrice(tape.previousClose(instrument, first), factor(first)), totals)];
}

/**
 * The day's minute bars in the range, oldest first: at least the `wanted` first ones, or last ones where `from` is not given.
 * The tape is read a block of bars at a time, so that the running bar does not cost the whole day.
 */
function minuteBars(
  { tape, blocks }: BarSources,
  instrument: Instrument,
  day: TradingDay,
  minutes: number,
  range: BarRange,
  wanted: number,
  now: number,
): readonly Bar[] {
  const { from = -Infinity, to } = range;
  const forward = range.from !== undefined;
  const edges = edgesOf(day, minutes);
  const factor = range.factor(day);
  const version = tape.version(instrument, day);
  const read = (first: number, last: number): readonly Bar[] => {
    const bars = blockOfBars(tape, instrument, day, minutes, edges, first, last, now);
    return factor === FACTOR_ONE ? bars : bars.map((bar) => adjustedBar(bar, factor));
  };
  let [low, high] = [edges.findIndex((edge) => edge >= from), edges.findLastIndex((edge) => edge < to && edge <= now) + 1];
  const parts: (readonly Bar[])[] = [];
  let count = 0;
  for (let size = wanted; low >= 0 && low < high && count < wanted; size *= 2) {
    const number = Math.floor((forward ? low : high - 1) / BLOCK_BARS);
    const [start, end] = [number * BLOCK_BARS, Math.min((number + 1) * BLOCK_BARS, edges.length)];
    let [first, last] = [Math.max(low, start), Math.min(high, end)];
    const block = { day, minutes, number, factor, version };
    const isOver = (edges[end] ?? day.end) <= now;
    const isWorthIt = 2 * Math.min(last - first, wanted - count) >= end - start;
    const whole = isOver && isWorthIt ? blocks.get(instrument, block, () => read(start, end)) : isOver && blocks.peek(instrument, block);
    if (whole) {
      const [since, until] = [edges[first] ?? 0, edges[last] ?? Infinity];
      parts.push(last - first === end - start ? whole : whole.filter((bar) => bar.start >= since && bar.start < until));
    } else {
      if (forward) last = Math.min(last, first + size);
      else first = Math.max(first, last - size);
      parts.push(read(first, last));
    }
    count += parts.at(-1)?.length ?? 0;
    if (forward) low = last;
    else high = first;
  }
  return NONE.concat(...(forward ? parts : parts.reverse()));
}

function adjustedBar(bar: Bar, factor: bigint): Bar {
  const at = (price: Decimal) => adjustedPrice(price, factor);
  const { open, high, low, close, previousClose } = bar;
  return { ...bar, open: at(open), high: at(high), low: at(low), close: at(close), previousClose: at(previousClose) };
}

/** The bars that start at `edges[first]` up to, not including, `edges[last]`. */
function blockOfBars(
  tape: Tape,
  instrument: Instrument,
  day: TradingDay,
  minutes: number,
  edges: readonly number[],
  first: number,
  last: number,
  now: number,
): readonly Bar[] {
  const starts = edges.slice(first, last);
  const until = Math.min(edges[last] ?? day.end, now + 1);
  const [before, ...totals] = tape.slices(instrument, day, [day.start, ...starts, until]);
  const bars: Bar[] = [];
  let previousClose = before?.close ?? tape.previousClose(instrument, day);
  for (const [i, traded] of totals.entries()) {
    const start = starts[i];
    if (traded === undefined || start === undefined) continue;
    bars.push(barOf(start, barEnd(day, start, minutes), previousClose, traded));
    previousClose = traded.close;
  }
  return bars;
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
