import type { Transaction } from '../storage/index.js';
import type { DayTotals } from './day-totals.js';
import type { Holder } from './gate-table.js';
import type { OrderFacts } from './gates.js';
import type { OpenOrders } from './open-orders.js';
import type { RateWindows } from './rate-window.js';
import { isUnknown, type Worth } from './worth.js';

/** An order that may leave, with its value reserved. */
export interface Admission {
  /** Resolves when the reservation is on disk. The order must not leave before, and not at all when this rejects. */
  readonly durable: Promise<void>;
  /** Gives the day's value back: only when the order never left or the backend definitely refused it. The rate slot stays used. */
  refund(): Promise<void>;
  /** The backend has answered, or never will: the orders that it has accepted, by their names. Of the others nobody knows. */
  settle(orderIds: readonly string[]): void;
}

/** An order that counts in its caller's rate window. */
export interface RateSlot {
  readonly caller: string;
  readonly sequence: number;
}

/** Where reservations are counted, and how they are put on disk. */
export interface Books {
  readonly days: DayTotals;
  readonly rates: RateWindows;
  readonly open: OpenOrders;
  write(change: (transaction: Transaction) => void, when?: 'now' | 'soon'): Promise<void>;
}

const done = Promise.resolve();

/** What an order that passes its gates counts with, in memory at once and on its way to the disk. */
export class Reservation implements Admission {
  readonly durable: Promise<void>;
  readonly #books: Books;
  readonly #holders: readonly Holder[];
  readonly #day: string;
  /** What the day's totals are raised by: in the orders' own currencies, whatever currency the limits are in. */
  readonly #increases: readonly Pick<Worth, 'currency' | 'increase'>[];
  /** Of the orders that count as open from now on. */
  readonly #numbers: readonly number[];
  /** Of the order that comes back and counted before: nothing that becomes of this frees it. */
  readonly #renewed: number | undefined;
  #refunded: Promise<void> | undefined;

  /** @param now epoch ms, by a clock that nobody sets. */
  constructor(books: Books, holders: readonly Holder[], slots: readonly RateSlot[], facts: OrderFacts, day: string, now: number) {
    this.#books = books;
    this.#holders = holders;
    this.#day = day;
    this.#increases = increasesOf(facts);
    let numbers: readonly number[] = none;
    let renewed: number | undefined;
    const written = books.write((transaction) => {
      books.days.prune(transaction, now);
      // Kept without a cap as well: a cap that is added later counts the whole day.
      this.#add(transaction, 1n);
      for (const { caller, sequence } of slots) books.rates.save(transaction, caller, sequence);
      renewed = renewOpen(books.open, transaction, facts);
      if (renewed === undefined) numbers = enterOpen(books.open, transaction, holders, facts);
    });
    this.#numbers = numbers;
    this.#renewed = renewed;
    const capped = slots.length > 0 || numbers.length > 0 || holders.some(({ limits }) => limits.maxDailyValue !== null);
    this.durable = capped ? written : done;
  }

  refund(): Promise<void> {
    if (this.#increases.length === 0 && this.#numbers.length === 0) return done;
    this.#refunded ??= this.#books.write((transaction) => {
      this.#add(transaction, -1n);
      for (const number of this.#numbers) this.#books.open.free(transaction, number);
    });
    return this.#refunded;
  }

  settle(orderIds: readonly string[]): void {
    const { open } = this.#books;
    for (const number of this.#numbers) open.leave(number);
    if (this.#renewed !== undefined) open.leave(this.#renewed);
    const named = this.#numbers.slice(0, orderIds.length);
    if (named.length === 0) return;
    void this.#books.write((change) => {
      for (const [index, number] of named.entries()) open.name(change, number, orderIds[index] ?? '');
    }, 'soon');
  }

  #add(transaction: Transaction, sign: 1n | -1n): void {
    const { days } = this.#books;
    for (const { caller } of this.#holders) {
      for (const { currency, increase } of this.#increases) days.add(transaction, this.#day, caller, currency, sign * increase);
    }
  }
}

const none: readonly number[] = [];

function increasesOf({ legs }: OrderFacts): readonly Pick<Worth, 'currency' | 'increase'>[] {
  const increases: Pick<Worth, 'currency' | 'increase'>[] = [];
  for (const { worth } of legs) if (!isUnknown(worth) && worth.increase !== 0n) increases.push(worth);
  return increases;
}

/** Takes up an order that comes back and has not stopped counting. */
function renewOpen(open: OpenOrders, change: Transaction, { accId, opens }: OrderFacts): number | undefined {
  return opens?.orderId === undefined ? undefined : open.renew(change, accId, opens.orderId);
}

/** Enters what an order opens, where anybody's open orders are limited. */
function enterOpen(open: OpenOrders, change: Transaction, holders: readonly Holder[], { accId, opens }: OrderFacts): readonly number[] {
  if (opens === undefined || holders.every(({ limits }) => limits.maxOpenOrders === null)) return none;
  const { env, market, count, orderId } = opens;
  const caller = holders[0]?.caller ?? '';
  return Array.from({ length: count }, () => open.enter(change, caller, { accId, env, market }, orderId));
}
