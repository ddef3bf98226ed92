import { LruCache } from '../rng/lru-cache.js';
import { keyOf, mix } from '../rng/random.js';
import { refreshAt } from './background-book.js';
import type { BackgroundDay } from './background-day.js';
import { Bridge } from './bridge.js';
import type { Totals } from './day-tape.js';
import { joined, type PriceRange, still } from './price-range.js';
import type { Profile } from './profile.js';
import type { TradingDay, TradingDays } from './trading-days.js';

/** Streams of what spot prices do between their days, and of when market makers renew their quotes. */
const NIGHTS = keyOf('nights');
const MAKERS = keyOf('market makers');
/** Quotes are renewed at least so often, however seldom the underlying trades: a moment is drawn in each period. */
const QUOTING_MS = 2_000;
/** A night without trading, in deviations of a day. */
const NIGHT = 0.35;
const CACHED_NIGHTS = 64;

/** A moment at which market makers set their quotes. */
export interface Quoting {
  /** Epoch ms. */
  readonly time: number;
  /** Number of the renewal, which rises with time. */
  readonly number: number;
  /** The moment at which quotes are next set: epoch ms. */
  readonly next: number;
}

/**
 * The price of what futures are on, at every moment: as it trades where it does. Between two of its days, where its futures may trade on, it is a
 * walk from the last price of the one to the first of the other, so that it meets the next open.
 */
export class Spot {
  readonly #nights = new LruCache<number, Bridge>(CACHED_NIGHTS);
  /** Renewal of quotes that was asked for last: contracts on one underlying ask for it one after another, at 20 µs each. */
  #quoting: Quoting | undefined;

  constructor(
    private readonly profile: Profile,
    private readonly days: TradingDays,
    private readonly on: (day: TradingDay) => BackgroundDay,
  ) {}

  /** Unrounded billionths. Before the first trade of a day, that trade's. */
  at(time: number): number {
    const day = this.days.at(time);
    if (time < day.end) return this.#traded(day, time);
    const next = this.days.next(day);
    return next.start === day.end ? closeOf(this.on(day)) : this.#night(day, next).at(time);
  }

  /**
   * When market makers last set their quotes of everything that follows the price, up to a moment: with each of its trades, and in between. It is the same moment
   * for all futures, options and warrants on it, so that they agree with one another and with the underlying at every moment.
   */
  quoting(time: number): Quoting {
    const known = this.#quoting;
    if (known !== undefined && known.time <= time && time < known.next) return known;
    const refresh = refreshAt({ key: mix(this.profile.key, MAKERS), period: QUOTING_MS }, time);
    const moved = this.#moved(time);
    this.#quoting = { time: Math.max(refresh.time, moved.last), number: refresh.number, next: Math.min(refresh.next, moved.next) };
    return this.#quoting;
  }

  /** When it moved last, up to a moment, and when it next may: with a trade, or at an end of the time between two of its days. */
  #moved(time: number): { readonly last: number; readonly next: number } {
    const day = this.days.at(time);
    if (time >= day.end) return { last: day.end, next: this.days.next(day).start };
    const { tape } = this.on(day);
    const happened = tape.countBefore(time + 1);
    const [last] = tape.trades(happened - 1, happened);
    const [next] = tape.trades(happened, happened + 1);
    return { last: last?.time ?? day.start, next: next?.time ?? day.end };
  }

  /** Price range of [from, until), at least a millisecond long. */
  range(from: number, until: number): PriceRange {
    let day = this.days.at(from);
    let found: PriceRange | undefined;
    for (let cursor = from; cursor < until; ) {
      const traded = cursor < day.end;
      const next = traded ? day : this.days.next(day);
      const end = Math.min(until, traded ? day.end : next.start);
      if (end > cursor) {
        const piece = traded ? this.#tradedRange(day, cursor, end) : this.#night(day, next).range(cursor, end);
        found = found === undefined ? piece : joined(found, piece, (cursor - from) / (end - from));
        cursor = end;
      }
      day = next;
    }
    return found ?? still(this.at(from));
  }

  #traded(day: TradingDay, time: number): number {
    const background = this.on(day);
    if (time >= day.end - 1) return closeOf(background);
    if (time <= day.start) return openOf(background);
    const { tape, grid } = background;
    const happened = tape.countBefore(time + 1);
    if (happened === 0) return tape.root.open * grid;
    return (tape.trades(happened - 1, happened)[0]?.price ?? tape.root.close) * grid;
  }

  #tradedRange(day: TradingDay, from: number, until: number): PriceRange {
    const { tape, grid } = this.on(day);
    const totals: Omit<Totals, 'first' | 'last'> | undefined =
      from === day.start && until === day.end ? tape.root : tape.totals([from, until])[0];
    if (totals === undefined) return still(this.#traded(day, from));
    const { open, close, high, low, lots, amount } = totals;
    return { open: open * grid, close: close * grid, high: high * grid, low: low * grid, mean: (amount / lots) * grid };
  }

  #night(day: TradingDay, next: TradingDay): Bridge {
    return this.#nights.get(day.number, () => {
      const open = closeOf(this.on(day));
      const close = openOf(this.on(next));
      return new Bridge(
        mix(mix(this.profile.key, NIGHTS), day.number),
        { from: day.end, until: next.start, open, close },
        NIGHT * this.profile.daily(day.number) * open,
      );
    });
  }
}

function openOf({ tape, grid }: BackgroundDay): number {
  return tape.root.open * grid;
}

function closeOf({ tape, grid }: BackgroundDay): number {
  return tape.root.close * grid;
}
