import type { DayOfTrades, DaySummary, Totals } from './day-tape.js';
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
    let root: DaySummary | undefined;
    const first: number[] = [];
    for (const { root: part } of parts) {
      first.push(root?.count ?? 0);
      root = root === undefined ? part : sum(root, part);
    }
    if (root === undefined) throw new Error('a day has a session');
    this.root = root;
    this.#first = first;
  }

  totals(boundaries: readonly number[]): readonly (Totals | undefined)[] {
    const found: (Totals | undefined)[] = [];
    for (const [i, part] of this.parts.entries()) {
      const first = this.#first[i] ?? 0;
      for (const [slot, totals] of part.totals(boundaries).entries()) found[slot] = merged(found[slot], moved(totals, first));
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

function sum(a: DaySummary, b: DaySummary): DaySummary {
  return {
    first: a.first,
    count: a.count + b.count,
    open: a.open,
    high: Math.max(a.high, b.high),
    low: Math.min(a.low, b.low),
    close: b.close,
    lots: a.lots + b.lots,
    amount: a.amount + b.amount,
  };
}

function moved(totals: Totals | undefined, by: number): Totals | undefined {
  return totals === undefined ? undefined : { ...totals, first: totals.first + by, last: totals.last + by };
}

/** `b` comes after `a`. */
function merged(a: Totals | undefined, b: Totals | undefined): Totals | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const { last, close } = b;
  const [high, low] = [Math.max(a.high, b.high), Math.min(a.low, b.low)];
  return { ...a, last, close, high, low, lots: a.lots + b.lots, amount: a.amount + b.amount };
}
