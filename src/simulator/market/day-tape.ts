import { Remembered } from '../chance/remembered.js';
import { split } from './split.js';
import { type Flow, SPLIT_COUNT_MIN, type Stretch } from './stretch.js';
import { type Trade, writeOut } from './trades.js';

/** Twice the depth of a tree of 2^16 trades. */
const REMEMBERED_SPLITS = 32;
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

/** A day whose every bar is split from its totals: see {@link Stretch}. */
export class DayTape implements DayOfTrades {
  // Caches the splits on the way to a moment, since callers look at the same one again and again. Days made for their totals alone
  // need no cache.
  #split: Remembered<number, readonly [Stretch, Stretch]> | undefined;
  #written: Remembered<number, readonly Trade[]> | undefined;

  constructor(
    readonly root: Stretch,
    readonly flow: Flow,
  ) {}

  totals(boundaries: readonly number[]): readonly (Totals | undefined)[] {
    const slots: (Totals | undefined)[] = new Array(Math.max(0, boundaries.length - 1)).fill(undefined);
    let slot = 0;
    const boundary = (i: number) => boundaries[i] ?? Infinity;
    const end = boundaries.at(-1) ?? -Infinity;
    const walk = (stretch: Stretch): void => {
      if (stretch.until <= boundary(0) || stretch.from >= end) return;
      while (boundary(slot + 1) <= stretch.from) slot += 1;
      if (stretch.from >= boundary(slot) && stretch.until <= boundary(slot + 1)) {
        slots[slot] = addStretch(slots[slot], stretch);
      } else if (stretch.count >= SPLIT_COUNT_MIN) {
        for (const half of this.#halves(stretch)) walk(half);
      } else {
        for (const trade of this.#trades(stretch)) {
          if (trade.time < boundary(0) || trade.time >= end) continue;
          while (boundary(slot + 1) <= trade.time) slot += 1;
          slots[slot] = addTrade(slots[slot], trade);
        }
      }
    };
    walk(this.root);
    return slots;
  }

  countBefore(time: number): number {
    const count = (stretch: Stretch): number => {
      if (stretch.until <= time) return stretch.count;
      if (stretch.from >= time) return 0;
      if (stretch.count < SPLIT_COUNT_MIN) return this.#trades(stretch).filter((trade) => trade.time < time).length;
      const [left, right] = this.#halves(stretch);
      return count(left) + count(right);
    };
    return count(this.root);
  }

  trades(first: number, end: number): Trade[] {
    const found: Trade[] = [];
    const walk = (stretch: Stretch): void => {
      if (stretch.first >= end || stretch.first + stretch.count <= first) return;
      if (stretch.count >= SPLIT_COUNT_MIN) for (const half of this.#halves(stretch)) walk(half);
      else for (const trade of this.#trades(stretch)) if (trade.index >= first && trade.index < end) found.push(trade);
    };
    walk(this.root);
    return found;
  }

  #halves(stretch: Stretch): readonly [Stretch, Stretch] {
    this.#split ??= new Remembered(REMEMBERED_SPLITS);
    return this.#split.get(stretch.node, () => split(stretch, this.flow));
  }

  #trades(stretch: Stretch): readonly Trade[] {
    this.#written ??= new Remembered(WRITTEN);
    return this.#written.get(stretch.node, () => writeOut(stretch, this.flow));
  }
}

function addStretch(totals: Totals | undefined, stretch: Stretch): Totals {
  const { first, open, high, low, close, lots, amount } = stretch;
  const last = first + stretch.count - 1;
  if (totals === undefined) return { first, last, open, high, low, close, lots, amount };
  totals.last = last;
  totals.high = Math.max(totals.high, high);
  totals.low = Math.min(totals.low, low);
  totals.close = close;
  totals.lots += lots;
  totals.amount += amount;
  return totals;
}

function addTrade(totals: Totals | undefined, trade: Trade): Totals {
  const { index, price, lots } = trade;
  if (totals === undefined) {
    return { first: index, last: index, open: price, high: price, low: price, close: price, lots, amount: price * lots };
  }
  totals.last = index;
  totals.high = Math.max(totals.high, price);
  totals.low = Math.min(totals.low, price);
  totals.close = price;
  totals.lots += lots;
  totals.amount += price * lots;
  return totals;
}
