import { exponential } from '../rng/random.js';
import { type FinalSettlement, finalSettlement } from '../world/final-settlement.js';
import type { Future } from '../world/instrument.js';
import { joined, type PriceRange, scaled, still } from './price-range.js';
import type { Spot } from './spot.js';
import type { TradingDay } from './trading-days.js';

const YEAR_MS = 365 * 86_400_000;
/** Number of pieces in which a settlement day is searched. */
const PIECES = 24;
const LUNCH_MS_MAX = 7_200_000;
/** Time after the open in which an index's first price is searched. */
const OPENING_MS = 900_000;

/** The expiry of a contract and the day it falls on. */
interface Expiry {
  readonly settlement: FinalSettlement;
  /** Moment at which its price is the spot's: epoch ms. */
  readonly time: number;
}

/**
 * The price of a dated contract: the spot price, carried to the expiry (Hull, Options, Futures, and Other Derivatives, "cost of carry": F = S·e^((r − q)·T), where
 * r − q is the product's `carry`): months, sizes and options on one thing agree with one another. While the settlement price is being fixed, the contract
 * goes by what is fixed already.
 */
export class ContractPath {
  readonly #carry: number;
  readonly #expiry: Expiry;
  #fixed: readonly number[] | undefined;

  /** @param last its last trading day */
  constructor(
    contract: Future,
    private readonly spot: Spot,
    last: TradingDay,
  ) {
    this.#carry = contract.future.product.carry / 100;
    const settlement = finalSettlement(contract);
    this.#expiry = { settlement, time: settlement.moments.at(-1) ?? last.end };
  }

  /** Price of a moment, in unrounded billionths. */
  at(time: number): number {
    return this.#priced(still(this.spot.at(time)), time).close;
  }

  /** Price range of the sessions in [from, until) of a trading day. */
  range(day: TradingDay, from: number, until: number): PriceRange {
    const pieces = this.#isFixing(from, until) ? Math.max(1, Math.round((PIECES * (until - from)) / (day.end - day.start))) : 1;
    let found: PriceRange | undefined;
    let traded = 0;
    for (const { start: opens, end: closes } of hoursOf(day)) {
      const [first, last] = [Math.max(opens, from), Math.min(closes, until)];
      for (let piece = 0; piece < pieces && first < last; piece++) {
        const start = first + Math.floor(((last - first) * piece) / pieces);
        const end = first + Math.floor(((last - first) * (piece + 1)) / pieces);
        if (start === end) continue;
        const range = this.#priced(this.spot.range(start, end), (start + end) / 2);
        found = found === undefined ? range : joined(found, range, traded / (traded + end - start));
        traded += end - start;
      }
    }
    return found ?? still(this.at(from));
  }

  /** The final settlement price in unrounded billionths; undefined where it is the contract's own last price. */
  settlementPrice(): number | undefined {
    const fixed = this.#fixings();
    return fixed.length === 0 ? undefined : fixed.reduce((sum, price) => sum + price, 0) / fixed.length;
  }

  #priced(range: PriceRange, time: number): PriceRange {
    const years = Math.max(0, this.#expiry.time - time) / YEAR_MS;
    const carried = scaled(range, exponential(this.#carry * years));
    const { moments } = this.#expiry.settlement;
    if (moments.length === 0 || time < (moments[0] ?? 0)) return carried;
    const passed = this.#fixings().slice(0, moments.filter((moment) => moment <= time).length);
    const fixed = passed.reduce((sum, price) => sum + price, 0) / moments.length;
    return scaled(carried, 1 - passed.length / moments.length, fixed);
  }

  #isFixing(from: number, until: number): boolean {
    const { moments } = this.#expiry.settlement;
    const [first] = moments;
    return first !== undefined && until > first && from < this.#expiry.time;
  }

  /** The prices of the underlying that the settlement price is the mean of. */
  #fixings(): readonly number[] {
    if (this.#fixed === undefined) {
      const { moments } = this.#expiry.settlement;
      this.#fixed =
        moments.length === 1
          ? moments.map((time) => this.spot.range(time, time + OPENING_MS).open)
          : moments.map((time) => this.spot.at(time));
    }
    return this.#fixed;
  }
}

/** The sessions of a day, over lunch in one: the spot price stands still meanwhile. */
function hoursOf({ sessions }: TradingDay): readonly { readonly start: number; readonly end: number }[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of sessions) {
    const last = merged.at(-1);
    if (last !== undefined && start - last.end <= LUNCH_MS_MAX) last.end = end;
    else merged.push({ start, end });
  }
  return merged;
}
