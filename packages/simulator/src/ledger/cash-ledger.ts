import type { Currency } from '@svc-gateway/contract/markets';
import type { Archive, Store, Table, Transaction } from '@svc-gateway/storage';
import { timeBound } from '../row-keys.js';
import { Balances, type Pending } from './balances.js';
import type { LedgerTransaction } from './entry.js';
import { keyOfTransaction, ledgerRowsOf, packBalances, packTransaction, unpackBalances, unpackTransaction } from './rows.js';

/** Amount that clears on a day, with its account. */
export interface Due extends Pending {
  readonly accId: bigint;
  readonly currency: Currency;
}

/** The sums of one account and currency, and the key of the newest transaction in them. */
interface Sums {
  readonly accId: bigint;
  readonly currency: Currency;
  readonly balances: Balances;
  latest: string;
}

/**
 * The money of accounts: entries that are only ever appended, and their running sums, which are the balances. Both are
 * written in one transaction with what caused them. Entries are on disk alone; the sums are in memory.
 */
export class CashLedger {
  readonly #entries: Archive<string>;
  readonly #rows: Table<string>;
  /** By "account/currency". */
  readonly #sums = new Map<string, Sums>();

  /** Throws where sums were kept of entries that are not there. */
  constructor(store: Store) {
    ({ entries: this.#entries, sums: this.#rows } = ledgerRowsOf(store));
    for (const [key, row] of this.#rows.entries()) {
      const [accId, currency] = key.split('/') as [string, Currency];
      const { balances, latest } = unpackBalances(row, currency);
      if (this.#entries.get(latest) === undefined) {
        throw new Error(`the ledger has balances of ${key}, but not the entries up to ${latest} that they are the sums of`);
      }
      this.#sums.set(key, { accId: BigInt(accId), currency, balances, latest });
    }
  }

  /** Whether anything was ever booked for an account. */
  knows(accId: bigint): boolean {
    for (const sums of this.#sums.values()) if (sums.accId === accId) return true;
    return false;
  }

  /** The balances of an account in a currency: all 0 where nothing was booked. */
  balances(accId: bigint, currency: Currency): Readonly<Omit<Balances, 'add'>> {
    return this.#sums.get(`${accId}/${currency}`)?.balances ?? nothing;
  }

  /** Amounts that clear by the calendar of `venue` up to and including `day`. */
  due(venue: string, day: string): readonly Due[] {
    const due: Due[] = [];
    for (const { accId, currency, balances } of this.#sums.values()) {
      for (const pending of balances.pending()) {
        if (pending.venue === venue && pending.day <= day) due.push({ accId, currency, ...pending });
      }
    }
    return due;
  }

  /** Books a transaction in memory. {@link write} it in the same turn. */
  post(transaction: LedgerTransaction): void {
    const latest = keyOfTransaction(transaction);
    for (const entry of transaction.entries) {
      const key = `${transaction.accId}/${entry.currency}`;
      let sums = this.#sums.get(key);
      if (sums === undefined) {
        sums = { accId: transaction.accId, currency: entry.currency, balances: new Balances(), latest };
        this.#sums.set(key, sums);
      }
      sums.latest = latest;
      sums.balances.add(entry, transaction.symbol);
    }
  }

  /** Puts posted transactions, and the sums that they changed, into a change of the store. */
  write(posted: readonly LedgerTransaction[], change: Transaction): void {
    const touched = new Set<string>();
    for (const transaction of posted) {
      change.put(this.#entries, keyOfTransaction(transaction), packTransaction(transaction));
      for (const { currency } of transaction.entries) touched.add(`${transaction.accId}/${currency}`);
    }
    for (const key of touched) {
      const sums = this.#sums.get(key);
      if (sums !== undefined) change.put(this.#rows, key, packBalances(sums.balances, sums.latest));
    }
  }

  /**
   * The transactions of an account in [from, to), epoch ms, from the store: what is not on disk yet is missing. Oldest first, or the
   * newest first with `reverse`.
   */
  async *transactions(accId: bigint, from: number, to: number, { reverse = false } = {}): AsyncIterable<LedgerTransaction> {
    const range = { start: timeBound(accId, from), end: timeBound(accId, to), reverse };
    for await (const [key, row] of this.#entries.entries(range)) yield unpackTransaction(key, row);
  }
}

const nothing = new Balances();
