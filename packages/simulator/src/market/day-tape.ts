import { LruCache } from '../rng/lru-cache.js';
import { type Flow, type Segment, SPLIT_COUNT_MIN } from './segment.js';
import { split } from './split.js';
import { type Trade, writeOut } from './trades.js';

/** Twice the depth of a tree of 2^16 trades. */
const CACHED_SPLITS = 32;
const WRITTEN = 2;

/** Exact totals of some consecutive trades of one day: prices in the day's grid, volume in lots. */
export interface Totals {
  /** Indices of the first and the last trade. */
  first: number;
  last: number;
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
  amount: number;
}

/** Totals of a whole day. */
export type DaySummary = Omit<Totals, 'last'> & { readonly count: number };

/** The background's trades of one day: random access to them and to the totals of any range of time. */
export interface DayOfTrades {
  readonly root: DaySummary;
  /** Totals of the trades in each [boundaries[i], boundaries[i + 1]); undefined where there was none. Boundaries rise. */
  totals(boundaries: readonly number[]): readonly (Totals | undefined)[];
  /** How many trades happened before `time`. */
  countBefore(time: number): number;
  /** The trades with indices in [first, end), oldest first. */
  trades(first: number, end: number): Trade[];
}

/** A day whose every bar is split from its totals: see {@link Segment}. */
export class DayTape implements DayOfTrades {
  // Caches the splits on the way to a moment, since callers look at the same one again and again. Days made for their totals alone
  // need no cache.
  #split: LruCache<number, readonly [Segment, Segment]> | undefined;
  #written: LruCache<number, readonly Trade[]> | undefined;

  constructor(
    readonly root: Segment,
    readonly flow: Flow,
  ) {}

  totals(boundaries: readonly number[]): readonly (Totals | undefined)[] {
    const slots: (Totals | undefined)[] = new Array(Math.max(0, boundaries.length - 1)).fill(undefined);
    let slot = 0;
    const boundary = (i: number) => boundaries[i] ?? Infinity;
    const end = boundaries.at(-1) ?? -Infinity;
    const walk = (segment: Segment): void => {
      if (segment.until <= boundary(0) || segment.from >= end) return;
      while (boundary(slot + 1) <= segment.from) slot += 1;
      if (segment.from >= boundary(slot) && segment.until <= boundary(slot + 1)) {
        slots[slot] = plus(slots[slot], totalsOf(segment));
      } else if (segment.count >= SPLIT_COUNT_MIN) {
        for (const half of this.#halves(segment)) walk(half);
      } else {
        for (const trade of this.#trades(segment)) {
          if (trade.time < boundary(0) || trade.time >= end) continue;
          while (boundary(slot + 1) <= trade.time) slot += 1;
          slots[slot] = plus(slots[slot], totalsOfTrade(trade));
        }
      }
    };
    walk(this.root);
    return slots;
  }

  countBefore(time: number): number {
    const count = (segment: Segment): number => {
      if (segment.until <= time) return segment.count;
      if (segment.from >= time) return 0;
      if (segment.count < SPLIT_COUNT_MIN) return this.#trades(segment).filter((trade) => trade.time < time).length;
      const [left, right] = this.#halves(segment);
      return count(left) + count(right);
    };
    return count(this.root);
  }

  trades(first: number, end: number): Trade[] {
    const found: Trade[] = [];
    const walk = (segment: Segment): void => {
      if (segment.first >= end || segment.first + segment.count <= first) return;
      if (segment.count >= SPLIT_COUNT_MIN) for (const half of this.#halves(segment)) walk(half);
      else for (const trade of this.#trades(segment)) if (trade.index >= first && trade.index < end) found.push(trade);
    };
    walk(this.root);
    return found;
  }

  #halves(segment: Segment): readonly [Segment, Segment] {
    this.#split ??= new LruCache(CACHED_SPLITS);
    return this.#split.get(segment.node, () => split(segment, this.flow));
  }

  #trades(segment: Segment): readonly Trade[] {
    this.#written ??= new LruCache(WRITTEN);
    return this.#written.get(segment.node, () => writeOut(segment, this.flow));
  }
}

/** Totals of what comes after: `totals` is changed in place, where there are any. */
export function plus(totals: Totals | undefined, after: Totals): Totals {
  if (totals === undefined) return after;
  totals.last = after.last;
  totals.high = Math.max(totals.high, after.high);
  totals.low = Math.min(totals.low, after.low);
  totals.close = after.close;
  totals.lots += after.lots;
  totals.amount += after.amount;
  return totals;
}

/** Totals of a summary whose trades begin at `start` in the day. */
export function totalsOf({ first, count, open, high, low, close, lots, amount }: DaySummary, start = 0): Totals {
  return { first: first + start, last: first + start + count - 1, open, high, low, close, lots, amount };
}

function totalsOfTrade({ index, price, lots }: Trade): Totals {
  return { first: index, last: index, open: price, high: price, low: price, close: price, lots, amount: price * lots };
}
