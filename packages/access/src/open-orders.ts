import { Tally } from '@svc-gateway/contract/tally';
import type { Store, Table, Transaction } from '@svc-gateway/storage';
import { Absences } from './absences.js';

/** Where an order is: what the backend's list of it is asked by. */
export interface OrderPlace {
  readonly accId: bigint;
  /** Trd_Common.TrdEnv. */
  readonly env: number;
  /** Trd_Common.TrdMarket. */
  readonly market: number;
}

/** An order that counts as open. */
interface OpenOrder extends OrderPlace {
  /** The key that placed it; '' = placed without a key. */
  readonly caller: string;
  /** The order's text, or its number where it has none; '' where its answer never came. */
  readonly orderId: string;
  /** Id of the write that placed it, while the order has no name. */
  readonly write?: string;
}

/** An order of a backend's list. */
export interface ListedOrder {
  /** Its text and its number. */
  readonly names: readonly string[];
  readonly state: 'open' | 'over' | 'out of the market';
}

/** A list of an account's orders. */
export interface OrderList {
  readonly orders: readonly ListedOrder[];
  /** When it was asked for, ms of the monotonic clock. */
  readonly askedAt: number;
  /** How far apart two lists are that both lack an order which is over; 0 where lists are never behind. undefined for a list that ends nothing by what it lacks. */
  readonly apartMs: number | undefined;
}

/**
 * The open orders that keys with a limit on them have placed, on disk. An order counts from before it is sent until there is evidence of its end:
 * its final status, or lists that lack it. One whose answer never came may or may not be there: it counts as long as an order works that nobody else
 * has placed.
 *
 * Bounded by the limits: only what is limited is entered.
 */
export class OpenOrders {
  readonly #table: Table<OpenOrder>;
  readonly #orders = new Map<number, OpenOrder>();
  readonly #counts = new Tally<string>();
  readonly #named = new Map<string, number>();
  /** Numbers of orders that are being sent: whether they work cannot be told yet. */
  readonly #underWay = new Set<number>();
  readonly #absences = new Absences<number>();
  #next = 0;

  constructor(store: Store) {
    this.#table = store.table('open_orders');
    for (const [row, order] of this.#table.entries()) {
      const number = Number(row);
      this.#remember(number, order);
      this.#next = Math.max(this.#next, number + 1);
    }
  }

  /** Open orders of a key, or of all ('') together. */
  count(caller: string): number {
    return caller === '' ? this.#orders.size : this.#counts.of(caller);
  }

  /** Whether this order counts already, for a key or ('') for anybody. */
  has(accId: bigint, orderId: string, caller = ''): boolean {
    const number = this.#named.get(nameOf(accId, orderId));
    return number !== undefined && (caller === '' || this.#orders.get(number)?.caller === caller);
  }

  /** Enters an order that is about to be sent; its number here. */
  enter(
    change: Transaction,
    caller: string,
    { accId, env, market }: OrderPlace,
    { orderId = '', write }: { readonly orderId?: string; readonly write?: string },
  ): number {
    const number = this.#next++;
    const order = { caller, accId, env, market, orderId, ...(write === undefined ? {} : { write }) };
    this.#remember(number, order);
    this.#underWay.add(number);
    change.put(this.#table, String(number), order);
    return number;
  }

  /**
   * An order that counts already is about to come back, or to be changed by `caller`, whose it is then; its number from now on, undefined where it does
   * not count. It goes on counting, whatever a list that was asked for before says of it.
   */
  renew(change: Transaction, accId: bigint, orderId: string, caller?: string): number | undefined {
    const before = this.#named.get(nameOf(accId, orderId));
    const order = before === undefined ? undefined : this.#orders.get(before);
    if (before === undefined || order === undefined) return undefined;
    this.free(change, before);
    return this.enter(change, caller ?? order.caller, order, { orderId });
  }

  /** Number of the order of a write whose answer never came; undefined where none counts. */
  numberOf(write: string | undefined): number | undefined {
    if (write === undefined) return undefined;
    return [...this.#orders].find(([, order]) => order.write === write)?.[0];
  }

  /** The order of a write whose answer never came is about to be sent again; its number, undefined where it does not count. */
  resume(write: string | undefined): number | undefined {
    const number = this.numberOf(write);
    if (number === undefined) return undefined;
    this.#underWay.add(number);
    this.#absences.forget(number);
    return number;
  }

  /** The order is not under way any more. */
  leave(number: number): void {
    this.#underWay.delete(number);
  }

  /** The order has been accepted under this name. */
  name(change: Transaction, number: number, orderId: string): void {
    const order = this.#orders.get(number);
    if (order === undefined || order.orderId === orderId) return;
    const { write: _, ...place } = order;
    if (order.orderId !== '') this.#named.delete(nameOf(order.accId, order.orderId));
    const named = { ...place, orderId };
    this.#orders.set(number, named);
    this.#named.set(nameOf(order.accId, orderId), number);
    change.put(this.#table, String(number), named);
  }

  /** The order has ended, or never came to be. */
  free(change: Transaction, number: number): void {
    const order = this.#orders.get(number);
    this.#underWay.delete(number);
    this.#absences.forget(number);
    if (order === undefined) return;
    this.#orders.delete(number);
    if (order.orderId !== '') this.#named.delete(nameOf(order.accId, order.orderId));
    if (order.caller !== '') this.#counts.add(order.caller, -1);
    change.remove(this.#table, String(number));
  }

  /** The places where a key, or anybody (''), has open orders. */
  places(caller: string): readonly OrderPlace[] {
    const places = new Map<string, OrderPlace>();
    for (const order of this.#orders.values()) {
      const { accId, env, market } = order;
      if (caller === '' || order.caller === caller) places.set(`${accId}/${env}/${market}`, { accId, env, market });
    }
    return [...places.values()];
  }

  /** Orders of a place that a list asked for from now on can confirm or deny. */
  settled({ accId, env, market }: OrderPlace): readonly number[] {
    const here = [...this.#orders].filter(([, order]) => order.accId === accId && order.env === env && order.market === market);
    return here.map(([number]) => number).filter((number) => !this.#underWay.has(number));
  }

  /** The {@link settled} orders that have ended, by a list that was asked for afterwards. */
  ended(accId: bigint, settled: readonly number[], { orders, askedAt, apartMs }: OrderList): readonly number[] {
    const states = new Map(orders.flatMap(({ names, state }) => names.map((name) => [name, state] as const)));
    let strangers = orders.filter(({ names, state }) => state === 'open' && !names.some((name) => this.has(accId, name))).length;
    return settled.filter((number) => {
      const order = this.#orders.get(number);
      if (order === undefined) return false;
      const state = order.orderId === '' ? (--strangers < 0 ? undefined : 'open') : states.get(order.orderId);
      if (state === 'over') return true;
      if (state !== 'open') return apartMs !== undefined && this.#absences.provenBy(number, askedAt, apartMs);
      this.#absences.forget(number);
      return false;
    });
  }

  /** The names of all that count, with their accounts. */
  *named(): Iterable<OrderPlace & { readonly orderId: string }> {
    for (const { accId, env, market, orderId } of this.#orders.values()) if (orderId !== '') yield { accId, env, market, orderId };
  }

  /** The number of the order of this name; undefined where it does not count, or is being sent. */
  settledNumber(accId: bigint, orderId: string): number | undefined {
    const number = this.#named.get(nameOf(accId, orderId));
    return number === undefined || this.#underWay.has(number) ? undefined : number;
  }

  #remember(number: number, order: OpenOrder): void {
    this.#orders.set(number, order);
    if (order.caller !== '') this.#counts.add(order.caller);
    if (order.orderId !== '') this.#named.set(nameOf(order.accId, order.orderId), number);
  }
}

function nameOf(accId: bigint, orderId: string): string {
  return `${accId}/${orderId}`;
}
