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
export class Balances {
  #settled: Decimal = 0n;
  #interest: Decimal = 0n;
  #realised: Decimal = 0n;
  readonly #totals: Record<PendingBalance, Decimal> = { unsettled: 0n, dividends: 0n };
  /** By all that is not the amount; changed in place, as every fill adds to one. */
  readonly #pending = new Map<string, { -readonly [K in keyof Pending]: Pending[K] }>();

  get settled(): Decimal {
    return this.#settled;
  }

  get unsettled(): Decimal {
    return this.#totals.unsettled;
  }

  get dividends(): Decimal {
    return this.#totals.dividends;
  }

  /** Accrued and not charged yet. */
  get interest(): Decimal {
    return this.#interest;
  }

  get realised(): Decimal {
    return this.#realised;
  }

  /** Cash to trade with: settled money and the proceeds and costs of trades that have not settled. */
  get cash(): Decimal {
    return this.#settled + this.#totals.unsettled;
  }

  /** The least that cash comes to until everything has settled: what can leave without a later payment failing. */
  get withdrawable(): Decimal {
    const byDay = new Map<string, Decimal>();
    for (const { balance, day, amount } of this.#pending.values()) {
      if (balance === 'unsettled') byDay.set(day, (byDay.get(day) ?? 0n) + amount);
    }
    let running = this.#settled;
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
    const { balance, amount } = entry;
    switch (balance) {
      case 'settled':
        this.#settled += amount;
        break;
      case 'interest':
        this.#interest += amount;
        break;
      case 'realised':
        this.#realised += amount;
        break;
      case 'unsettled':
        this.#addPending(balance, entry, 'settlement', '');
        break;
      case 'dividends':
        this.#addPending(balance, entry, entry.kind, symbol);
        break;
    }
  }

  #addPending(balance: PendingBalance, { venue, day, amount }: Entry, kind: EntryKind, symbol: string): void {
    this.#totals[balance] += amount;
    const key = `${balance}/${venue}/${day}/${kind}/${symbol}`;
    const pending = this.#pending.get(key);
    if (pending === undefined) {
      if (amount !== 0n) this.#pending.set(key, { balance, venue, day, kind, symbol, amount });
      return;
    }
    pending.amount += amount;
    if (pending.amount === 0n) this.#pending.delete(key);
  }
}
