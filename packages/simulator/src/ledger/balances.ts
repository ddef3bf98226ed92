import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Balance, Entry, EntryKind } from './entry.js';

/** Balances whose amounts become settled money on a day of their own. */
export type PendingBalance = Extract<Balance, 'unsettled' | 'dividends'>;

/** Amounts that clear together: all trades of a day, and each payment of a security by itself. */
export interface Pending {
  readonly balance: PendingBalance;
  readonly venue: string;
  readonly day: string;
  /** Kind of the entry when it clears. */
  readonly kind: EntryKind;
  /** Empty for trades. */
  readonly symbol: string;
  readonly amount: Decimal;
}

/** The sums of the entries of one account in one currency. */
export class Balances implements Record<Balance, Decimal> {
  settled = 0n;
  unsettled = 0n;
  dividends = 0n;
  /** Accrued and not charged yet. */
  interest = 0n;
  realised = 0n;
  /** By all that is not the amount; changed in place, as every fill adds to one. */
  readonly #pending = new Map<string, { -readonly [K in keyof Pending]: Pending[K] }>();

  /** Cash to trade with: settled money and the proceeds and costs of trades that have not settled. */
  get cash(): Decimal {
    return this.settled + this.unsettled;
  }

  /** The least that cash comes to until everything has settled: what can leave without a later payment failing. */
  get withdrawable(): Decimal {
    const byDay = new Map<string, Decimal>();
    for (const { balance, day, amount } of this.#pending.values()) {
      if (balance === 'unsettled') byDay.set(day, (byDay.get(day) ?? 0n) + amount);
    }
    let running = this.settled;
    let least = running;
    for (const day of [...byDay.keys()].sort()) {
      running += byDay.get(day) ?? 0n;
      if (running < least) least = running;
    }
    return least;
  }

  /** In no particular order. */
  pending(): Iterable<Pending> {
    return this.#pending.values();
  }

  /** @param symbol what the entry's transaction is about. */
  add(entry: Entry, symbol: string): void {
    const { balance, kind, amount } = entry;
    this[balance] += amount;
    if (balance === 'unsettled') this.#addPending(balance, entry, 'settlement', '');
    else if (balance === 'dividends') this.#addPending(balance, entry, kind, symbol);
  }

  #addPending(balance: PendingBalance, { venue, day, amount }: Entry, kind: EntryKind, symbol: string): void {
    const key = `${balance}/${venue}/${day}/${kind}/${symbol}`;
    const pending = this.#pending.get(key) ?? { balance, venue, day, kind, symbol, amount: 0n };
    pending.amount += amount;
    if (pending.amount === 0n) this.#pending.delete(key);
    else this.#pending.set(key, pending);
  }
}
