import type { Decimal } from '@svc-gateway/contract/decimal';
import { DAY_MS } from '@svc-gateway/contract/time';
import type { Store, Table, Transaction } from '@svc-gateway/storage';
import { utcDay } from './timestamp.js';

/** A day's sum of one caller in one currency. */
interface Total {
  /** Its name in the store, made once: it is written with every order. */
  readonly row: string;
  sum: Decimal;
}

/** Sums of each caller's orders per UTC day and currency: the working copy, and its rows in the store. */
export class DayTotals {
  readonly #table: Table<Decimal>;
  /** Totals by day, caller and currency, for today and the last day or two. */
  readonly #days = new Map<string, Map<string, Map<string, Total>>>();
  /** Rows of days gone by, to be removed with the next write. */
  #stale: string[] = [];
  #prunedOn = '';

  constructor(store: Store, now: number) {
    this.#table = store.table<Decimal>('day_totals');
    for (const [row, sum] of this.#table.entries()) {
      const [of = '', currency = ''] = row.split(SEPARATOR);
      this.#total(of.slice(0, DAY_LENGTH), of.slice(DAY_LENGTH + 1), currency, row).sum = sum;
    }
    this.#prune(now);
  }

  /** The sum of `caller` on `day` ("2026-08-01") in one currency. */
  get(day: string, caller: string, currency: string): Decimal {
    return this.#days.get(day)?.get(caller)?.get(currency)?.sum ?? 0n;
  }

  /** The sums of `caller` on `day` by currency. */
  of(day: string, caller: string): readonly { readonly currency: string; readonly total: Decimal }[] {
    return [...(this.#days.get(day)?.get(caller) ?? [])]
      .filter(([, { sum }]) => sum !== 0n)
      .map(([currency, { sum }]) => ({ currency, total: sum }));
  }

  /** Adds `amount`, negative when a reservation is given back, and puts the new sum on disk. */
  add(transaction: Transaction, day: string, caller: string, currency: string, amount: Decimal): void {
    const total = this.#days.get(day)?.get(caller)?.get(currency) ?? this.#total(day, caller, currency);
    total.sum += amount;
    transaction.put(this.#table, total.row, total.sum);
  }

  /** Forgets the days before yesterday: yesterday may still be given back to, and a clock may be set back a little. */
  prune(transaction: Transaction, now: number): void {
    this.#prune(now);
    if (this.#stale.length > 0) for (const row of this.#stale.splice(0)) transaction.remove(this.#table, row);
  }

  #total(day: string, caller: string, currency: string, row = rowOf(day, caller, currency)): Total {
    const callers = this.#days.get(day) ?? new Map<string, Map<string, Total>>();
    this.#days.set(day, callers);
    const currencies = callers.get(caller) ?? new Map<string, Total>();
    callers.set(caller, currencies);
    const total = currencies.get(currency) ?? { row, sum: 0n };
    currencies.set(currency, total);
    return total;
  }

  #prune(now: number): void {
    const today = utcDay(now);
    if (today === this.#prunedOn) return;
    this.#prunedOn = today;
    const yesterday = utcDay(now - DAY_MS);
    for (const [day, callers] of this.#days) {
      if (day >= yesterday) continue;
      this.#days.delete(day);
      for (const currencies of callers.values()) for (const { row } of currencies.values()) this.#stale.push(row);
    }
  }
}

/** Length of "2026-08-01". */
const DAY_LENGTH = 10;
/** Control character, which no key's id has. */
const SEPARATOR = '\t';

function rowOf(day: string, caller: string, currency: string): string {
  return `${day}:${caller}${SEPARATOR}${currency}`;
}
