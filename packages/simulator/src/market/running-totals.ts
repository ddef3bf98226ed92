import type { DayOfTrades } from './day-tape.js';
import type { Trade } from './trades.js';

/** Trades drawn at once when the next ones are counted. */
const TRADES_AHEAD = 16;

/** Totals of a day from one moment up to a later and later one. Each trade is counted once as time passes it; looking back counts anew. */
export class RunningTotals {
  /** Index of the next trade that is not counted. */
  #next = 0;
  #lots = 0;
  #amount = 0;
  #until = -Infinity;
  #ahead: readonly Trade[] = [];
  #place = 0;

  /** @param from epoch ms of the first moment that counts */
  constructor(
    private readonly tape: DayOfTrades,
    private readonly from: number,
  ) {}

  /** Lots, and the sum of price × lots in the day's grid, of the trades before `until` (epoch ms). */
  at(until: number): { readonly lots: number; readonly amount: number } {
    if (until < this.#until || this.#until === -Infinity) this.#begin(until);
    if (until !== this.#until) this.#goOn(until);
    this.#until = until;
    return { lots: this.#lots, amount: this.#amount };
  }

  #begin(until: number): void {
    const totals = until > this.from ? this.tape.totals([this.from, until])[0] : undefined;
    this.#next = totals === undefined ? this.tape.countBefore(Math.min(this.from, until)) : totals.last + 1;
    this.#lots = totals?.lots ?? 0;
    this.#amount = totals?.amount ?? 0;
    this.#ahead = [];
    this.#place = 0;
  }

  #goOn(until: number): void {
    for (;;) {
      if (this.#place === this.#ahead.length) {
        this.#ahead = this.tape.trades(this.#next, this.#next + TRADES_AHEAD);
        this.#place = 0;
      }
      const trade = this.#ahead[this.#place];
      if (trade === undefined || trade.time >= until) return;
      this.#place += 1;
      this.#next += 1;
      if (trade.time < this.from) continue;
      this.#lots += trade.lots;
      this.#amount += trade.price * trade.lots;
    }
  }
}
