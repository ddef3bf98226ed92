import type { Decimal } from '../../contract/decimal.js';
import type { Currency } from '../../contract/markets.js';
import type { Store, Transaction } from '../../storage/index.js';
import type { Tick } from '../market/market.js';
import { type Account, accounts } from './account.js';
import type { BrokerageEvent } from './events.js';
import { IdSequence, keyOfId } from './ids.js';
import { Journal } from './journal.js';
import { Ledger } from './ledger.js';
import type { FillRecord, OrderRecord } from './order.js';
import { isOpen } from './order-status.js';
import { type PacketAnswer, type PacketId, Packets } from './packets.js';
import type { PositionRecord } from './position.js';
import { type PrintRecord, paddedTime, type Tables, tablesOf, timeBound, timeKey } from './tables.js';

/** How long finished orders and fills stay in memory: the last trading day, over a long weekend. The store keeps them for good. */
const RECENT_MS = 4 * 24 * 3_600_000;
const PRINTS_KEPT_MS = 7 * 24 * 3_600_000;
const LAST_ID = 'last';
const FOREVER = Number.MAX_SAFE_INTEGER;

/** Changes that take effect together: in memory as they are made, on disk in one transaction. */
export interface Change {
  readonly orders: Map<bigint, OrderRecord>;
  /** Orders that were not in memory before, and so may lack their entry in the order of time. */
  readonly created: Set<bigint>;
  readonly fills: FillRecord[];
  readonly cash: Map<string, Decimal>;
  readonly positions: Map<string, PositionRecord>;
  readonly prints: PrintRecord[];
  readonly events: BrokerageEvent[];
  packet?: { readonly id: PacketId; readonly answer: PacketAnswer; readonly fingerprint: string };
}

/** Everything the brokerage remembers: working state in memory, all of it on disk. */
export class Records {
  readonly ledger: Ledger;
  readonly packets: Packets;
  readonly journal: Journal<BrokerageEvent>;
  readonly #tables: Tables;
  readonly #ids: IdSequence;
  #lastId: bigint;
  readonly #orders = new Map<bigint, OrderRecord>();
  /** Orders in memory by account, in order of creation. */
  readonly #ordersOf = new Map<bigint, Set<bigint>>();
  /** Recent fills by account, in order of time. */
  readonly #fillsOf = new Map<bigint, FillRecord[]>();
  #sweptAt: number;

  /** @param now epoch ms. */
  constructor(store: Store, now: number) {
    this.#tables = tablesOf(store);
    this.journal = new Journal(store);
    this.packets = new Packets(this.#tables);
    this.ledger = new Ledger(this.#tables);
    this.#lastId = this.#tables.ids.get(LAST_ID) ?? 0n;
    this.#ids = new IdSequence(this.#lastId);
    this.#sweptAt = now;
    this.#load(now);
  }

  #load(now: number): void {
    const orders = new Map<bigint, OrderRecord>();
    for (const account of accounts) {
      this.#ordersOf.set(account.id, new Set());
      this.#fillsOf.set(account.id, [...this.fillsBetween(account.id, now - RECENT_MS, FOREVER)]);
      for (const order of this.ordersBetween(account.id, now - RECENT_MS, FOREVER)) orders.set(order.id, order);
    }
    for (const [, id] of this.#tables.liveOrders.entries()) {
      const order = this.#tables.orders.get(keyOfId(id));
      if (order === undefined) throw new Error(`live order ${id} has no record`);
      orders.set(id, order);
    }
    for (const order of [...orders.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      this.#keep(order);
      this.ledger.replaceOrder(undefined, order);
    }
    const old = [...this.#tables.prints.entries({ end: paddedTime(now - PRINTS_KEPT_MS) })];
    if (old.length === 0) return;
    const forget = (transaction: Transaction): void => {
      for (const [key] of old) transaction.remove(this.#tables.prints, key);
    };
    this.journal.commit(forget, []).catch(() => undefined);
  }

  nextId(now: number): bigint {
    this.#lastId = this.#ids.next(now);
    return this.#lastId;
  }

  /** The order as it is now, from memory or from the store. */
  order(id: bigint): OrderRecord | undefined {
    return this.#orders.get(id) ?? this.#tables.orders.get(keyOfId(id));
  }

  /** Open orders, and recent ones, in order of creation. */
  *recentOrders(account: Account): Iterable<OrderRecord> {
    for (const id of this.#ordersOf.get(account.id) ?? []) {
      const order = this.#orders.get(id);
      if (order !== undefined) yield order;
    }
  }

  /** Recent fills in order of time. */
  recentFills(account: Account): readonly FillRecord[] {
    return this.#fillsOf.get(account.id) ?? [];
  }

  /** Every order created in [from, to), from the store: what is not on disk yet is missing. */
  *ordersBetween(accId: bigint, from: number, to: number): Iterable<OrderRecord> {
    for (const [, id] of this.#tables.ordersByTime.entries({ start: timeBound(accId, from), end: timeBound(accId, to) })) {
      const order = this.#tables.orders.get(keyOfId(id));
      if (order === undefined) throw new Error(`order ${id} has no record`);
      yield order;
    }
  }

  /** Every fill in [from, to), from the store: what is not on disk yet is missing. */
  *fillsBetween(accId: bigint, from: number, to: number): Iterable<FillRecord> {
    for (const [, fill] of this.#tables.fills.entries({ start: timeBound(accId, from), end: timeBound(accId, to) })) yield fill;
  }

  /** What callers put on the tape in the last week, by symbol, oldest first. */
  prints(now: number): ReadonlyMap<string, readonly Tick[]> {
    const prints = new Map<string, Tick[]>();
    for (const [, { symbol, tick }] of this.#tables.prints.entries({ start: paddedTime(now - PRINTS_KEPT_MS) })) {
      const ticks = prints.get(symbol);
      if (ticks === undefined) prints.set(symbol, [tick]);
      else ticks.push(tick);
    }
    return prints;
  }

  begin(): Change {
    return { orders: new Map(), created: new Set(), fills: [], cash: new Map(), positions: new Map(), prints: [], events: [] };
  }

  putOrder(change: Change, order: OrderRecord): void {
    const before = this.#orders.get(order.id);
    if (before === undefined) change.created.add(order.id);
    this.ledger.replaceOrder(before, order);
    this.#keep(order);
    change.orders.set(order.id, order);
  }

  putFill(change: Change, fill: FillRecord): void {
    this.#fillsOf.get(fill.accId)?.push(fill);
    change.fills.push(fill);
  }

  putPosition(change: Change, position: PositionRecord): void {
    this.ledger.setPosition(position);
    change.positions.set(`${position.accId}/${position.symbol}`, position);
  }

  addCash(change: Change, account: Account, currency: Currency, amount: Decimal): void {
    const balance = this.ledger.cash(account, currency) + amount;
    this.ledger.setCash(account.id, currency, balance);
    change.cash.set(`${account.id}/${currency}`, balance);
  }

  /** Puts a change on disk, then tells its events. */
  commit(change: Change, now: number): Promise<void> {
    const done = this.journal.commit((transaction) => this.#write(change, transaction), change.events);
    if (now - this.#sweptAt > RECENT_MS / 8) this.#forgetOld(now);
    return done;
  }

  #write(change: Change, transaction: Transaction): void {
    const tables = this.#tables;
    for (const order of change.orders.values()) {
      const key = keyOfId(order.id);
      transaction.put(tables.orders, key, order);
      if (change.created.has(order.id)) {
        transaction.put(tables.liveOrders, key, order.id);
        transaction.put(tables.ordersByTime, timeKey(order.accId, order.createdAt, order.id), order.id);
      }
      if (!isLive(order)) transaction.remove(tables.liveOrders, key);
    }
    for (const fill of change.fills) transaction.put(tables.fills, timeKey(fill.accId, fill.time, fill.id), fill);
    for (const [key, amount] of change.cash) transaction.put(tables.cash, key, amount);
    for (const [key, position] of change.positions) transaction.put(tables.positions, key, position);
    for (const print of change.prints) {
      transaction.put(tables.prints, `${paddedTime(print.tick.time)}/${keyOfId(print.tick.sequence)}/${print.symbol}`, print);
    }
    if (change.packet !== undefined) {
      const { id, answer, fingerprint } = change.packet;
      this.packets.remember(id, { ...answer, fingerprint }, transaction);
    }
    transaction.put(tables.ids, LAST_ID, this.#lastId);
  }

  #keep(order: OrderRecord): void {
    this.#orders.set(order.id, order);
    this.#ordersOf.get(order.accId)?.add(order.id);
  }

  #forgetOld(now: number): void {
    this.#sweptAt = now;
    for (const [id, order] of this.#orders) {
      if (isLive(order) || now - order.updatedAt <= RECENT_MS) continue;
      this.#orders.delete(id);
      this.#ordersOf.get(order.accId)?.delete(id);
    }
    for (const [accId, fills] of this.#fillsOf) {
      this.#fillsOf.set(
        accId,
        fills.filter((fill) => now - fill.time <= RECENT_MS),
      );
    }
  }
}

/** Whether an order can still do something, so that a restart has to know it. */
function isLive(order: OrderRecord): boolean {
  return isOpen(order.status) || order.status === 'disabled';
}
