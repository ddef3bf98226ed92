import type { Outlook } from '../pricing/option-terms.js';
import type { ContractValuation } from './market.js';
import type { PriceRange } from './price-range.js';
import type { TradingDay } from './trading-days.js';
import type { UnderlyingModel } from './underlying-model.js';

const BILLION = 1e9;

/** The price of a contract that follows from its underlying's at every moment, without any chance of its own. */
export abstract class DerivedPath {
  /**
   * @param expires epoch ms
   * @param listed day from which its terms count, from 1970-01-01
   */
  constructor(
    protected readonly underlying: UnderlyingModel,
    readonly expires: number,
    protected readonly listed: number,
  ) {}

  /** Price at a moment of a trading day, in unrounded billionths. */
  at(day: TradingDay, time: number): number {
    return this.price(this.unitAt(day, time), day, time) * BILLION;
  }

  /** Price range of [from, until) of a trading day. */
  range(day: TradingDay, from: number, until: number): PriceRange {
    return this.#following(this.underlying.range(from, until), day, from, until);
  }

  /** Price range of a whole trading day, and the contracts (units) that trade on a typical one like it. */
  whole(day: TradingDay): { readonly range: PriceRange; readonly typical: number } {
    const range = this.underlying.range(day.start, day.end);
    const open = (range.open / BILLION) * this.shares(day);
    return { range: this.#following(range, day, day.start, day.end), typical: this.volume(day, open) };
  }

  #following(range: PriceRange, day: TradingDay, from: number, until: number): PriceRange {
    const unit = this.shares(day) / BILLION;
    const middle = (from + until) / 2;
    const at = (spot: number, time: number) => this.price(spot * unit, day, time) * BILLION;
    const [open, close] = [at(range.open, from), at(range.close, until)];
    const ends = [open, close, at(range.high, middle), at(range.low, middle), ...this.turns(day, range, middle)];
    return { open, close, high: Math.max(...ends), low: Math.min(...ends), mean: at(range.mean, middle) };
  }

  /** Contracts (units) that trade on a typical day on which the underlying opens at `spot`. */
  protected abstract volume(day: TradingDay, spot: number): number;

  /** Fair value at a moment, and the inputs it follows from. */
  abstract valuation(day: TradingDay, time: number): ContractValuation;

  /** Money for one unit of the contract, when a unit of the underlying costs `spot`. */
  protected abstract price(spot: number, day: TradingDay, time: number): number;

  /** Billionths at what the underlying does in between where the price turns. */
  protected turns(_day: TradingDay, _range: PriceRange, _time: number): readonly number[] {
    return [];
  }

  /** Today's shares in a unit that the terms speak of. */
  protected shares(day: TradingDay): number {
    return this.underlying.sharesSince(day.number, this.listed);
  }

  /** Price of a unit of the underlying. */
  protected unitAt(day: TradingDay, time: number): number {
    return (this.underlying.at(time) / BILLION) * this.shares(day);
  }

  /** Outlook of the underlying up to the expiry, when a unit of it costs `spot`. */
  protected outlook(spot: number, day: TradingDay, time: number): Outlook {
    return this.underlying.outlook(spot, day.number, time, this.expires, this.shares(day));
  }
}
