import type { Decimal } from '../contract/decimal.js';
import type { Store, Table, Transaction } from '../storage/index.js';
import { utcDay } from './timestamp.js';

const DAY_MS = 86_400_000;

/** What each caller's orders sum up to per UTC day and currency: the working copy, and its rows in the store. */
export class DayTotals {
  readonly #table: Table<Decimal>;
  readonly #totals = new Map<string, Decimal>();
  /** Those of all totals: as many as the backend trades in. */
  readonly #currencies = new Set<string>();
  /** Rows of days gone by, to be removed with the next write. */
  #stale: string[] = [];
  #prunedOn: string;

  constructor(store: Store, now: number) {
    this.#table = store.table<Decimal>('day_totals');
    for (const [row, total] of this.#table.entries()) {
      this.#totals.set(row, total);
      const [, currency] = row.split(SEPARATOR);
      if (currency !== undefined) this.#currencies.add(currency);
    }
    this.#prunedOn = '';
    this.#prune(now);
  }

  /** The sum of `caller` on `day` ("2026-08-01") in one currency. */
  get(day: string, caller: string, currency: string): Decimal {
    return this.#totals.get(rowOf(day, caller, currency)) ?? 0n;
  }

  /**
   * The sum of `caller` on `day` that an earlier version wrote, which kept no currencies. It cannot be told apart any more
   * and counts towards each of them until the day is over.
   */
  ofNoCurrency(day: string, caller: string): Decimal {
    return this.#totals.get(`${day}:${caller}`) ?? 0n;
  }

  /** The sums of `caller` on `day` by currency. */
  of(day: string, caller: string): readonly { readonly currency: string; readonly total: Decimal }[] {
    return [...this.#currencies]
      .map((currency) => ({ currency, total: this.get(day, caller, currency) }))
      .filter(({ total }) => total !== 0n);
  }

  /** Adds `amount`, negative when a reservation is given back, and puts the new sum on disk. */
  add(transaction: Transaction, day: string, caller: string, currency: string, amount: Decimal): void {
    const row = rowOf(day, caller, currency);
    const total = (this.#totals.get(row) ?? 0n) + amount;
    this.#totals.set(row, total);
    this.#currencies.add(currency);
    transaction.put(this.#table, row, total);
  }

  /** Forgets the days before yesterday: yesterday may still be given back to, and a clock may be set back a little. */
  prune(transaction: Transaction, now: number): void {
    this.#prune(now);
    for (const row of this.#stale.splice(0)) transaction.remove(this.#table, row);
  }

  #prune(now: number): void {
    if (utcDay(now) === this.#prunedOn) return;
    this.#prunedOn = utcDay(now);
    const yesterday = utcDay(now - DAY_MS);
    for (const row of this.#totals.keys()) {
      if (row >= yesterday) continue;
      this.#totals.delete(row);
      this.#stale.push(row);
    }
  }
}

/** Stands in no key's id, which has no control characters. */
const SEPARATOR = '\t';

function rowOf(day: string, caller: string, currency: string): string {
  return `${day}:${caller}${SEPARATOR}${currency}`;
}
