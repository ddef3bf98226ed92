import { type DayOfTrades, type DaySummary, plus, type Totals, totalsOf } from './day-tape.js';
import type { Trade } from './trades.js';

/**
 * A day whose pre-market, regular trading and after-market each have totals of their own, so that those of regular trading, which day bars are, need no
 * looking for.
 */
export class DayOfSessions implements DayOfTrades {
  readonly root: DaySummary;
  /** Index in the day of each part's first trade. */
  readonly #first: readonly number[];

  /** `parts`: at least one, each with a trade at least, in the order of time; the trades of each are counted from 0. */
  constructor(readonly parts: readonly DayOfTrades[]) {
    let root: Totals | undefined;
    let count = 0;
    const first: number[] = [];
    for (const { root: part } of parts) {
      first.push(count);
      root = plus(root, totalsOf(part, count));
      count += part.count;
    }
    if (root === undefined) throw new Error('a day has a session');
    this.root = { ...root, count };
    this.#first = first;
  }

  totals(boundaries: readonly number[]): readonly (Totals | undefined)[] {
    const found: (Totals | undefined)[] = [];
    for (const [i, part] of this.parts.entries()) {
      const first = this.#first[i] ?? 0;
      for (const [slot, totals] of part.totals(boundaries).entries()) {
        found[slot] =
          totals === undefined ? found[slot] : plus(found[slot], { ...totals, first: totals.first + first, last: totals.last + first });
      }
    }
    return found;
  }

  countBefore(time: number): number {
    return this.parts.reduce((count, part) => count + part.countBefore(time), 0);
  }

  trades(first: number, end: number): Trade[] {
    return this.parts.flatMap((part, i) => {
      const start = this.#first[i] ?? 0;
      if (end <= start || first >= start + part.root.count) return [];
      return part.trades(first - start, end - start).map((trade) => ({ ...trade, index: trade.index + start }));
    });
  }
}
