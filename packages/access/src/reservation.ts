import type { Transaction } from '@svc-gateway/storage';
import type { CountedOrders } from './counted-orders.js';
import type { DayTotals } from './day-totals.js';
import type { Question } from './gate-table.js';
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
  readonly counted: CountedOrders;
  write(change: (transaction: Transaction) => void, when?: 'now' | 'soon'): Promise<void>;
}

const done = Promise.resolve();

/** Amounts and slots that an admitted order counts with: in memory at once, and on their way to the disk. */
export class Reservation implements Admission {
  readonly durable: Promise<void>;
  readonly #accId: bigint;
  readonly #day: string;
  /** Increase of each holder's totals of the day: in the orders' own currencies, whatever currency the limits are in. */
  readonly #increases: readonly { readonly caller: string; readonly increases: Increases }[];
  /** Holders for whom an order that is accepted has counted, where that makes a difference. */
  readonly #counting: readonly { readonly caller: string; readonly legs: OrderFacts['legs'] }[];
  /** The order that is changed. */
  readonly #changed: readonly string[];
  /** Numbers of the orders that count as open from now on. */
  readonly #entered: readonly number[];
  /** Number of an order that counted before and is sent again; no outcome of this write frees it, nor a re-enabled one. */
  readonly #resumed: number | undefined;
  readonly #renewed: number | undefined;
  #refunded: Promise<void> | undefined;

  /** @param now epoch ms, by a clock that nobody sets. */
  constructor(
    private readonly books: Books,
    questions: readonly Question[],
    slots: readonly RateSlot[],
    facts: OrderFacts,
    day: string,
    now: number,
  ) {
    this.#accId = facts.accId;
    this.#day = day;
    this.#increases = questions.map(({ holder: { caller }, facts: own }) => ({ caller, increases: increasesOf(own) }));
    const capped = questions.filter(({ holder: { limits } }) => limits.maxDailyValue !== null);
    this.#counting = capped.map(({ holder: { caller }, facts: { legs } }) => ({ caller, legs }));
    this.#changed = facts.changes?.names ?? [];
    this.#resumed = facts.firstSentMs === undefined ? undefined : books.open.resume(facts.write);
    let entered: readonly number[] = none;
    let renewed: number | undefined;
    const written = books.write((transaction) => {
      books.days.prune(transaction, now);
      // Kept without a cap as well: a cap that is added later counts the whole day.
      this.#add(transaction, 1n);
      for (const { caller, sequence } of slots) books.rates.save(transaction, caller, sequence);
      renewed = renewOpen(books.open, transaction, questions, facts);
      if (renewed === undefined) entered = enterOpen(books.open, transaction, questions, facts.write);
    });
    this.#entered = entered;
    this.#renewed = renewed;
    this.durable = slots.length > 0 || entered.length > 0 || capped.length > 0 ? written : done;
  }

  refund(): Promise<void> {
    if (this.#entered.length === 0 && this.#increases.every(({ increases }) => increases.length === 0)) return done;
    this.#refunded ??= this.books.write((transaction) => {
      this.#add(transaction, -1n);
      for (const number of this.#entered) this.books.open.free(transaction, number);
    });
    return this.#refunded;
  }

  settle(orderIds: readonly string[]): void {
    const { open } = this.books;
    const sent = this.#resumed === undefined ? this.#entered : [this.#resumed];
    for (const number of sent) open.leave(number);
    if (this.#renewed !== undefined) open.leave(this.#renewed);
    const named = sent.slice(0, orderIds.length);
    this.#rename(orderIds);
    const counting = orderIds.length === 0 ? [] : this.#counting;
    if (named.length === 0 && counting.length === 0) return;
    void this.books.write((change) => {
      for (const [index, number] of named.entries()) open.name(change, number, orderIds[index] ?? '');
      for (const { caller, legs } of counting) {
        if (this.#changed.length > 0) this.#count(change, caller, [...new Set([...orderIds, ...this.#changed])], legs);
        else
          for (const [index, id] of orderIds.entries())
            this.#count(change, caller, [id], orderIds.length > 1 ? legs.slice(index, index + 1) : legs);
      }
    }, 'soon');
  }

  /** A changed order that counts goes on under the name that the change has given it. */
  #rename(orderIds: readonly string[]): void {
    const { open } = this.books;
    const replaced = orderIds.find((id) => !this.#changed.includes(id));
    const number = this.#changed.map((name) => open.settledNumber(this.#accId, name)).find((known) => known !== undefined);
    if (this.#changed.length === 0 || replaced === undefined || number === undefined) return;
    void this.books.write((change) => open.name(change, number, replaced), 'soon');
  }

  /** Keeps the value that an order has counted with, all of its legs together; a sum of several currencies is not kept. */
  #count(change: Transaction, caller: string, names: readonly string[], legs: OrderFacts['legs']): void {
    const worths = legs.flatMap(({ worth }) => (isUnknown(worth) ? [] : [worth]));
    const [first] = worths;
    if (first === undefined || worths.length < legs.length || worths.some(({ currency }) => currency !== first.currency)) return;
    const value = worths.reduce((sum, { increase }) => sum + increase, 0n);
    const order = { accId: this.#accId, names, isChange: this.#changed.length > 0 };
    this.books.counted.add(change, caller, order, { currency: first.currency, value });
  }

  #add(transaction: Transaction, sign: 1n | -1n): void {
    const { days } = this.books;
    for (const { caller, increases } of this.#increases) {
      for (const { currency, increase } of increases) days.add(transaction, this.#day, caller, currency, sign * increase);
    }
  }
}

const none: readonly number[] = [];

type Increases = readonly Pick<Worth, 'currency' | 'increase'>[];

function increasesOf({ legs, isCountedToday }: OrderFacts): Increases {
  if (isCountedToday === true) return [];
  const increases: Pick<Worth, 'currency' | 'increase'>[] = [];
  for (const { worth } of legs) if (!isUnknown(worth) && worth.increase !== 0n) increases.push(worth);
  return increases;
}

/** Takes up an order that counts already and comes back, or is changed by another key with a limit. */
function renewOpen(
  open: OpenOrders,
  change: Transaction,
  questions: readonly Question[],
  { accId, opens }: OrderFacts,
): number | undefined {
  const [own] = questions;
  const orderId = opens?.orderId ?? own?.facts.opens?.orderId;
  if (own === undefined || orderId === undefined) return undefined;
  const { holder } = own;
  const isNew = own.facts.opens !== undefined && holder.limits.maxOpenOrders !== null;
  return opens === undefined && !isNew ? undefined : open.renew(change, accId, orderId, isNew ? holder.caller : undefined);
}

/** Records the open orders of an order's holders that limit them. */
function enterOpen(open: OpenOrders, change: Transaction, questions: readonly Question[], write: string | undefined): readonly number[] {
  const limited = questions.find(({ holder: { limits }, facts: { opens } }) => opens !== undefined && limits.maxOpenOrders !== null);
  const opens = limited?.facts.opens;
  if (opens === undefined) return none;
  const { count, orderId } = opens;
  const caller = questions[0]?.holder.caller ?? '';
  const names = { ...(orderId === undefined ? {} : { orderId }), ...(write === undefined ? {} : { write }) };
  return Array.from({ length: count }, () => open.enter(change, caller, opens, names));
}
