import type { Store, Transaction } from '@svc-gateway/storage';
import { CashLedger, type LedgerTransaction } from '../ledger/index.js';
import type { Tick } from '../market/market.js';
import { Pace } from '../pace.js';
import { keyOfId, paddedTime, timeBound, timeKey } from '../row-keys.js';
import { type Account, accounts } from './account.js';
import { IdSequence } from './ids.js';
import { type BrokerageEvent, Journal } from './journal.js';
import { Ledger } from './ledger.js';
import { afterRestart, arrived, type FillRecord, mainLeg, type OrderRecord } from './order.js';
import { isLive, OrdersInMemory } from './orders-in-memory.js';
import type { PacketAnswer, PacketId } from './packet.js';
import { Packets } from './packets.js';
import type { PositionRecord } from './position.js';
import { type EndedOrder, type PrintRecord, type Tables, tablesOf } from './tables.js';

/** How far back a trading day can begin: over a long weekend. */
const RECENT_MS = 4 * 24 * 3_600_000;
const PRINTS_KEPT_MS = 7 * 24 * 3_600_000;
const LAST_ID = 'last';
const FOREVER = Number.MAX_SAFE_INTEGER;
/** Orders in memory that are looked at in one turn of the event loop, and rows that are read in one: about a millisecond's worth. */
const LISTED_A_TURN = 500;
const READ_A_TURN = 50;

/** Changes that take effect together: in memory as they are made, on disk in one transaction. */
export interface Change {
  readonly orders: Map<bigint, OrderRecord>;
  readonly fills: FillRecord[];
  /** Posted to the ledger already. */
  readonly transactions: LedgerTransaction[];
  /** By "account/symbol". */
  readonly positions: Map<string, PositionRecord>;
  readonly prints: PrintRecord[];
  readonly events: BrokerageEvent[];
  /** Calendar → the moment of its days that this change rolls. */
  readonly rolls: Map<string, string>;
  packet: { readonly id: PacketId; readonly answer: PacketAnswer; readonly fingerprint: string } | undefined;
  /** Orders of a change that can be taken back, as they were before it; undefined for new ones. */
  readonly before: Map<bigint, OrderRecord | undefined>;
  /** Orders that go to the exchange once this is on disk. */
  readonly leaving: bigint[];
  /** The disk refused it, and everything is as it was before. */
  isTakenBack: boolean;
}

/** Everything the brokerage remembers: working state in memory, all of it on disk. */
export class Records {
  readonly money: CashLedger;
  readonly ledger: Ledger;
  readonly packets: Packets;
  readonly journal: Journal;
  readonly #tables: Tables;
  readonly #ids: IdSequence;
  #lastId: bigint;
  readonly #orders: OrdersInMemory;
  /** Orders that were taken back and whose rows are still to be removed. */
  readonly #removed = new Set<bigint>();
  readonly #rolled: Map<string, string>;
  /** There are ended orders that memory does not have. */
  #hasArchive: boolean;

  /**
   * @param now epoch ms.
   * @param endedKeptMax orders that are over and stay in memory.
   * @param locked units of a position that may not be sold today.
   */
  constructor(store: Store, now: number, endedKeptMax: number, locked: (position: PositionRecord) => bigint) {
    this.#tables = tablesOf(store);
    this.journal = new Journal(store);
    this.packets = new Packets(this.#tables.packets);
    this.money = new CashLedger(store);
    this.ledger = new Ledger(this.#tables, this.money, locked);
    this.#rolled = new Map(this.#tables.dayRolls.entries());
    this.#lastId = this.#tables.ids.get(LAST_ID) ?? 0n;
    this.#ids = new IdSequence(this.#lastId);
    this.#hasArchive = this.#lastId > 0n;
    this.#orders = new OrdersInMemory(endedKeptMax);
    this.#load(now);
  }

  #load(now: number): void {
    const { liveOrders, liveBlocks, ordersByTime, prints } = this.#tables;
    const blocks = [...liveBlocks.entries()];
    const named = [...Array.from(liveOrders.entries(), ([key]) => BigInt(key)), ...blocks.flatMap(([, ids]) => ids)];
    // In the order of their numbers, and so of creation.
    for (const id of named.sort((a, b) => (a < b ? -1 : 1))) this.#takeUp(id, now);
    const old = [...prints.entries({ end: paddedTime(now - PRINTS_KEPT_MS) })];
    if (old.length + blocks.length === 0) return;
    const tidy = (transaction: Transaction): void => {
      for (const [key] of old) transaction.remove(prints, key);
      for (const [key] of blocks) transaction.remove(liveBlocks, key);
      if (blocks.length === 0) return;
      for (const { id, accId, createdAt } of this.liveOrders()) {
        transaction.put(liveOrders, keyOfId(id), true);
        transaction.put(ordersByTime, timeKey(accId, createdAt, id), id);
      }
    };
    this.journal.commit(tidy, { events: [] }).catch(() => undefined);
  }

  /** An order that the disk names as live: once, and unless it is over or never got there. */
  #takeUp(id: bigint, now: number): void {
    const row = this.#orders.get(id) === undefined ? this.#tables.orders.get(keyOfId(id)) : undefined;
    const order = row && afterRestart(row, now);
    if (order === undefined || !isLive(order)) return;
    Object.assign(this.#orders.keep(order), { isStored: true, isListed: true });
    this.ledger.replaceOrder(undefined, order);
  }

  nextId(now: number): bigint {
    this.#lastId = this.#ids.next(now);
    return this.#lastId;
  }

  get ordersInMemory(): number {
    return this.#orders.size;
  }

  /** The order as it is now, from memory or from the store. */
  order(id: bigint): OrderRecord | undefined {
    if (this.#removed.has(id)) return undefined;
    return this.#orders.get(id)?.order ?? this.#tables.orders.get(keyOfId(id));
  }

  /** Open and disabled orders in order of creation. */
  openOrders(account: Account): Iterable<OrderRecord> {
    return this.#orders.live(account.id);
  }

  /** Open and disabled orders of all accounts. */
  *liveOrders(): Iterable<OrderRecord> {
    for (const account of accounts) yield* this.openOrders(account);
  }

  /** Open and disabled orders and, with `isWanted`, those that ended in the last days at a time that is wanted; newest first. */
  async currentOrders(account: Account, now: number, isWanted?: (ended: EndedOrder) => boolean): Promise<OrderRecord[]> {
    // The newest are last, and are live.
    const live = [...this.openOrders(account)].reverse();
    if (isWanted === undefined) return live;
    const pace = new Pace(LISTED_A_TURN);
    const found = new Map(live.map((order) => [order.id, order]));
    for (const { order } of this.#orders.ended(account)) {
      if (isWanted(endedOf(order))) found.set(order.id, order);
      await pace.step();
    }
    if (this.#hasArchive) {
      const archivePace = new Pace(READ_A_TURN);
      for await (const [, ended] of this.#tables.endedOrders.entries(recent(account, now))) {
        if (!found.has(ended.id) && isWanted(ended)) found.set(ended.id, this.order(ended.id) ?? this.#stored(ended.id));
        await archivePace.step();
      }
    }
    if (found.size === live.length) return live;
    const sorted: OrderRecord[] = [];
    // As plain numbers, which takes a tenth of the time that comparing records does: there may be a hundred thousand.
    for (const id of BigUint64Array.from(found.keys()).sort().reverse()) {
      const order = found.get(id);
      if (order !== undefined) sorted.push(order);
      await pace.step();
    }
    return sorted;
  }

  /** Fills of the last days, from the store: what is not on disk yet is missing. Newest first. */
  async *recentFills(account: Account, now: number): AsyncIterable<FillRecord> {
    for await (const [, fill] of this.#tables.fills.entries({ ...recent(account, now), reverse: true })) yield fill;
  }

  /** Every order created in [from, to), from the store: what is not on disk yet is missing. Oldest first. */
  async *ordersBetween(accId: bigint, from: number, to: number): AsyncIterable<OrderRecord> {
    const range = { start: timeBound(accId, from), end: timeBound(accId, to) };
    const pace = new Pace(READ_A_TURN);
    for await (const [, id] of this.#tables.ordersByTime.entries(range)) {
      yield this.#asItStands(this.#stored(id));
      await pace.step();
    }
  }

  /** The order of a row, which does not say that a new one has reached the exchange. */
  #asItStands(order: OrderRecord): OrderRecord {
    const { arrivesAt } = order;
    const now = this.#orders.get(order.id)?.order;
    // An order whose change is being written was done before it could arrive.
    const hasArrived = arrivesAt !== undefined && now !== undefined && now.arrivesAt === undefined && now.updatedAt >= arrivesAt;
    return hasArrived ? arrived(order, arrivesAt) : order;
  }

  /** Every fill in [from, to), from the store: what is not on disk yet is missing. */
  async *fillsBetween(accId: bigint, from: number, to: number): AsyncIterable<FillRecord> {
    const range = { start: timeBound(accId, from), end: timeBound(accId, to) };
    for await (const [, fill] of this.#tables.fills.entries(range)) yield fill;
  }

  /** The fill of a number, made at `time` (epoch ms), from the store. */
  fill(accId: bigint, time: number, id: bigint): FillRecord | undefined {
    return this.#tables.fills.get(timeKey(accId, time, id));
  }

  #stored(id: bigint): OrderRecord {
    const row = this.#tables.orders.get(keyOfId(id));
    if (row === undefined) throw new Error(`order ${id} has no record`);
    return row;
  }

  /** Callers' prints of the last week, by symbol, oldest first. */
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
    return {
      orders: new Map(),
      fills: [],
      transactions: [],
      positions: new Map(),
      prints: [],
      rolls: new Map(),
      events: [],
      packet: undefined,
      before: new Map(),
      leaving: [],
      isTakenBack: false,
    };
  }

  putOrder(change: Change, order: OrderRecord): OrderRecord {
    this.ledger.replaceOrder(this.#orders.get(order.id)?.order, order);
    this.#orders.keep(order);
    change.orders.set(order.id, order);
    return order;
  }

  /** A new order that has reached the exchange when it was to: its row stands for it as it is now, and is not written again. */
  putArrived(order: OrderRecord): void {
    const kept = this.#orders.get(order.id);
    if (kept === undefined) throw new Error(`order ${order.id} arrives that was not placed`);
    kept.order = order;
  }

  putFill(change: Change, fill: FillRecord): void {
    change.fills.push(fill);
  }

  putPosition(change: Change, position: PositionRecord): void {
    this.ledger.setPosition(position);
    change.positions.set(`${position.accId}/${position.symbol}`, position);
  }

  /** Books money: in the ledger at once, on disk with the change. */
  book(change: Change, transaction: LedgerTransaction): void {
    this.money.post(transaction);
    change.transactions.push(transaction);
  }

  /** The last moment that was rolled of a calendar's days; undefined before its first. */
  rolled(calendar: string): string | undefined {
    return this.#rolled.get(calendar);
  }

  /** Marks a moment of a calendar's days as rolled by this change. */
  putRoll(change: Change, calendar: string, moment: string): void {
    this.#rolled.set(calendar, moment);
    change.rolls.set(calendar, moment);
  }

  /**
   * Puts a change on disk, tells its events and resolves to `answer`. `soon`: nobody waits for it. `stored` is called once it is on disk.
   * Where the disk refuses a change that can be taken back, it is, and the promise is rejected.
   */
  commit<T = undefined>(change: Change, when: 'now' | 'soon' = 'now', answer?: T, stored?: () => void): Promise<T> {
    const { events } = change;
    if (hasNoRows(change)) return this.journal.commit(undefined, { events, answer });
    return this.journal.commit((transaction) => this.#write(change, transaction), {
      events,
      settled: () => {
        this.#settle(change);
        stored?.();
      },
      takeBack: () => this.#takeBack(change),
      when,
      answer,
    });
  }

  #write(change: Change, transaction: Transaction): void {
    const tables = this.#tables;
    for (const order of change.orders.values()) {
      const kept = this.#orders.get(order.id);
      if (kept === undefined) throw new Error(`order ${order.id} is written that is not in memory`);
      const key = keyOfId(order.id);
      transaction.put(tables.orders, key, order);
      if (!kept.isStored) transaction.put(tables.ordersByTime, timeKey(order.accId, order.createdAt, order.id), order.id);
      kept.isStored = true;
      if (isLive(order) && !kept.isListed) transaction.put(tables.liveOrders, key, true);
      else if (!isLive(order) && kept.isListed) transaction.remove(tables.liveOrders, key);
      kept.isListed = isLive(order);
      if (!isLive(order)) transaction.put(tables.endedOrders, timeKey(order.accId, order.updatedAt, order.id), endedOf(order));
    }
    for (const fill of change.fills) transaction.put(tables.fills, timeKey(fill.accId, fill.time, fill.id), fill);
    if (change.transactions.length > 0) this.money.write(change.transactions, transaction);
    for (const [calendar, moment] of change.rolls) transaction.put(tables.dayRolls, calendar, moment);
    for (const [key, position] of change.positions) transaction.put(tables.positions, key, position);
    for (const print of change.prints) {
      transaction.put(tables.prints, `${paddedTime(print.tick.time)}/${keyOfId(print.tick.sequence)}/${print.symbol}`, print);
    }
    if (change.packet !== undefined) {
      const { id, answer, fingerprint } = change.packet;
      this.packets.remember(id, { orderId: answer.orderId, orderIdEx: answer.orderIdEx, fingerprint }, transaction);
    }
    transaction.put(tables.ids, LAST_ID, this.#lastId);
  }

  /** Undoes a change that the disk refused, unless its orders have moved on since: a cancel may have met them. */
  #takeBack(change: Change): boolean {
    const { before, orders, packet } = change;
    if (before.size === 0 || [...before.keys()].some((id) => this.#orders.get(id)?.order !== orders.get(id))) return false;
    const undo = this.begin();
    const removed: OrderRecord[] = [];
    for (const [id, earlier] of before) {
      const order = orders.get(id);
      if (earlier !== undefined) this.putOrder(undo, earlier);
      else if (order !== undefined) removed.push(order);
    }
    for (const order of removed) {
      this.#removed.add(order.id);
      this.ledger.replaceOrder(order, undefined);
      this.#orders.remove(order);
    }
    const write = (transaction: Transaction): void => {
      this.#write(undo, transaction);
      for (const order of removed) this.#removeRows(order, transaction);
      if (packet !== undefined) this.packets.forget(packet.id, transaction);
    };
    const settled = () => {
      if (packet !== undefined) this.packets.settle(packet.id);
      for (const { id } of removed) this.#removed.delete(id);
    };
    this.journal.commit(write, { events: [], settled }).catch(() => undefined);
    change.isTakenBack = true;
    return true;
  }

  #removeRows({ id, accId, createdAt }: OrderRecord, transaction: Transaction): void {
    const { orders, ordersByTime, liveOrders } = this.#tables;
    transaction.remove(orders, keyOfId(id));
    transaction.remove(ordersByTime, timeKey(accId, createdAt, id));
    transaction.remove(liveOrders, keyOfId(id));
  }

  /** The change is on disk: what is over need not stay in memory. */
  #settle({ orders, packet }: Change): void {
    if (packet !== undefined) this.packets.settle(packet.id);
    for (const order of orders.values()) {
      if (isLive(order)) continue;
      if (this.#orders.get(order.id)?.order === order) this.#orders.endIsOnDisk(order.id);
    }
    if (this.#orders.forgetSurplus()) this.#hasArchive = true;
  }
}

/** Range of an account's keys by time: the last days. */
function recent({ id }: Account, now: number): { readonly start: string; readonly end: string } {
  return { start: timeBound(id, now - RECENT_MS), end: timeBound(id, FOREVER) };
}

function endedOf(order: OrderRecord): EndedOrder {
  return { id: order.id, symbol: mainLeg(order).symbol, time: order.updatedAt };
}

/** Whether a change has nothing for the disk. */
function hasNoRows({ orders, fills, transactions, positions, prints, rolls, packet }: Change): boolean {
  return packet === undefined && orders.size + fills.length + transactions.length + positions.size + prints.length + rolls.size === 0;
}
