import type { Decimal } from '../contract/decimal.js';
import type { Store, Table, Transaction } from '../storage/index.js';
import { utcDay } from './timestamp.js';

const DAY_MS = 86_400_000;

/** What each caller's orders sum up to per UTC day: the working copy, and its rows in the store. */
export class DayTotals {
  readonly #table: Table<Decimal>;
  readonly #totals = new Map<string, Decimal>();
  /** Rows of days gone by, to be removed with the next write. */
  #stale: string[] = [];
  #prunedOn: string;

  constructor(store: Store, now: number) {
    this.#table = store.table<Decimal>('day_totals');
    for (const [row, total] of this.#table.entries()) this.#totals.set(row, total);
    this.#prunedOn = '';
    this.#prune(now);
  }

  /** The sum of `caller` on `day` ("2026-08-01"). */
  get(day: string, caller: string): Decimal {
    return this.#totals.get(rowOf(day, caller)) ?? 0n;
  }

  /** Adds `amount`, negative when a reservation is given back, and puts the new sum on disk. */
  add(transaction: Transaction, day: string, caller: string, amount: Decimal): void {
    const row = rowOf(day, caller);
    const total = (this.#totals.get(row) ?? 0n) + amount;
    this.#totals.set(row, total);
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

function rowOf(day: string, caller: string): string {
  return `${day}:${caller}`;
}
