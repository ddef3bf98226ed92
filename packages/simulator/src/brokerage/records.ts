import type { Store, Transaction } from '@svc-gateway/storage';
import { CashLedger, type LedgerTransaction } from '../ledger/index.js';
import type { Tick } from '../market/market.js';
import { Pace } from '../pace.js';
import { keyOfId, paddedTime, timeBound, timeKey } from '../row-keys.js';
import { type Account, accounts } from './account.js';
import type { BrokerageEvent } from './events.js';
import { IdSequence } from './ids.js';
import { Journal } from './journal.js';
import { Ledger } from './ledger.js';
import { type LiveBlock, LiveOrders } from './live-orders.js';
import { afterRestart, arrived, type FillRecord, mainLeg, type OrderRecord } from './order.js';
import { isOpen } from './order-status.js';
import type { PacketAnswer, PacketId } from './packet.js';
import { Packets } from './packets.js';
import type { PositionRecord } from './position.js';
import { type EndedOrder, type OrderGroupRecord, type PrintRecord, type Tables, tablesOf } from './tables.js';

/** How far back a trading day can begin: over a long weekend. */
const RECENT_MS = 4 * 24 * 3_600_000;
const PRINTS_KEPT_MS = 7 * 24 * 3_600_000;
const LAST_ID = 'last';
const FOREVER = Number.MAX_SAFE_INTEGER;
/** Orders in memory that are looked at in one turn of the event loop, and rows that are read in one: about a millisecond's worth. */
const LISTED_A_TURN = 500;
const READ_A_TURN = 50;
/** Fraction of surplus finished orders in memory, as 1/n of the kept ones. */
const ENDED_SURPLUS = 20;

/**
 * Changes that take effect together: in memory as they are made, on disk in one transaction. What most of them have nothing of is
 * absent until there is something.
 */
export interface Change {
  readonly orders: Map<bigint, OrderRecord>;
  readonly fills: FillRecord[];
  /** Posted to the ledger already. */
  readonly transactions: LedgerTransaction[];
  positions: Map<string, PositionRecord> | undefined;
  readonly prints: PrintRecord[];
  readonly events: BrokerageEvent[];
  /** Calendar → the moment of its days that this change rolls. */
  rolls: Map<string, string> | undefined;
  group: OrderGroupRecord | undefined;
  packet: { readonly id: PacketId; readonly answer: PacketAnswer; readonly fingerprint: string } | undefined;
}

/** An order in memory: records are never changed in place, and there are a hundred thousand ids to look up. */
interface Kept {
  order: OrderRecord;
  /** Stored block that lists this order as live. */
  block: LiveBlock | undefined;
}

/** Everything the brokerage remembers: working state in memory, all of it on disk. */
export class Records {
  readonly money: CashLedger;
  readonly ledger: Ledger;
  readonly packets: Packets;
  readonly journal: Journal<BrokerageEvent>;
  readonly #tables: Tables;
  readonly #ids: IdSequence;
  readonly #live: LiveOrders;
  #lastId: bigint;
  readonly #orders = new Map<bigint, Kept>();
  /** Live orders by account, in order of creation. */
  readonly #liveOf = new Map<bigint, Map<bigint, Kept>>();
  /** Orders in memory that are over, in the order of their end, and whether that is on disk. */
  readonly #ended = new Map<bigint, boolean>();
  readonly #rolled: Map<string, string>;
  /** There are ended orders that memory does not have. */
  #hasArchive: boolean;

  /**
   * @param now epoch ms.
   * @param endedKeptMax orders that are over and stay in memory.
   * @param locked units of a position that may not be sold today.
   */
  constructor(
    store: Store,
    now: number,
    private readonly endedKeptMax: number,
    locked: (position: PositionRecord) => bigint,
  ) {
    this.#tables = tablesOf(store);
    this.journal = new Journal(store);
    this.packets = new Packets(this.#tables.packets);
    this.money = new CashLedger(store);
    this.ledger = new Ledger(this.#tables, this.money, locked);
    this.#rolled = new Map(this.#tables.dayRolls.entries());
    this.#lastId = this.#tables.ids.get(LAST_ID) ?? 0n;
    this.#ids = new IdSequence(this.#lastId);
    this.#hasArchive = this.#lastId > 0n;
    this.#live = new LiveOrders(this.#tables.liveOrders);
    this.#load(now);
  }

  #load(now: number): void {
    for (const account of accounts) this.#liveOf.set(account.id, new Map());
    // In the order of their numbers, and so of creation.
    for (const [id, block] of [...this.#live.named()].sort(([a], [b]) => (a < b ? -1 : 1))) this.#takeUp(id, block, now);
    const old = [...this.#tables.prints.entries({ end: paddedTime(now - PRINTS_KEPT_MS) })];
    if (old.length === 0) return;
    const forget = (transaction: Transaction): void => {
      for (const [key] of old) transaction.remove(this.#tables.prints, key);
    };
    this.journal.commit(forget, []).catch(() => undefined);
  }

  /** An order that the disk names as live: once, and unless it is over or never got there. */
  #takeUp(id: bigint, block: LiveBlock | undefined, now: number): void {
    const row = this.#orders.has(id) ? undefined : this.#tables.orders.get(keyOfId(id));
    const order = row && afterRestart(row, now);
    if (order === undefined || !isLive(order)) {
      if (block !== undefined) this.#live.leave(id, block);
      return;
    }
    this.#keep(order);
    const kept = this.#orders.get(id);
    if (kept !== undefined) kept.block = block;
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
    const kept = this.#orders.get(id);
    if (kept !== undefined) return kept.order;
    const row = this.#tables.orders.get(keyOfId(id));
    return row;
  }

  /** Puts a group of orders into the change that places them. */
  putGroup(change: Change, group: OrderGroupRecord): void {
    change.group = group;
  }

  /** A group of orders as the disk has it. */
  orderGroup(id: bigint): OrderGroupRecord | undefined {
    return this.#tables.orderGroups.get(keyOfId(id));
  }

  /** Open and disabled orders in order of creation. */
  *openOrders(account: Account): Iterable<OrderRecord> {
    for (const { order } of this.#liveOf.get(account.id)?.values() ?? []) yield order;
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
    const found = new Map<bigint, OrderRecord>();
    for (const order of live) {
      found.set(order.id, order);
      const wait = pace.step();
      if (wait !== undefined) await wait;
    }
    for (const order of this.#endedInMemory(account)) {
      if (isWanted({ id: order.id, symbol: mainLeg(order).symbol, time: order.updatedAt })) found.set(order.id, order);
      const wait = pace.step();
      if (wait !== undefined) await wait;
    }
    if (this.#hasArchive) {
      const range = { start: timeBound(account.id, now - RECENT_MS), end: timeBound(account.id, FOREVER) };
      const archivePace = new Pace(READ_A_TURN);
      for await (const [, ended] of this.#tables.endedOrders.entries(range)) {
        if (!found.has(ended.id) && isWanted(ended)) found.set(ended.id, this.order(ended.id) ?? this.#stored(ended.id));
        const wait = archivePace.step();
        if (wait !== undefined) await wait;
      }
    }
    return found.size === live.length ? live : newestFirst(found, pace);
  }

  /** Fills of the last days, from the store: what is not on disk yet is missing. Newest first. */
  async *recentFills(account: Account, now: number): AsyncIterable<FillRecord> {
    const range = { start: timeBound(account.id, now - RECENT_MS), end: timeBound(account.id, FOREVER) };
    for await (const [, fill] of this.#tables.fills.entries({ ...range, reverse: true })) yield fill;
  }

  /** Every order created in [from, to), from the store: what is not on disk yet is missing. Oldest first. */
  async *ordersBetween(accId: bigint, from: number, to: number): AsyncIterable<OrderRecord> {
    const range = { start: timeBound(accId, from), end: timeBound(accId, to) };
    // Looked up before the index is read: what ends meanwhile would be in neither.
    const unlisted = this.#unlisted(accId, range);
    const known = new Set(unlisted.map(({ id }) => id));
    let next = 0;
    for await (const [key, id] of this.#tables.ordersByTime.entries(range)) {
      if (known.has(id)) continue;
      const from = next;
      while ((unlisted[next]?.key ?? key) < key) next += 1;
      yield* this.#storedOf(unlisted.slice(from, next));
      yield this.#stored(id);
    }
    yield* this.#storedOf(unlisted.slice(next));
  }

  /** The orders that the index of a range of times may lack, in its order. */
  #unlisted(
    accId: bigint,
    { start, end }: { readonly start: string; readonly end: string },
  ): { readonly key: string; readonly id: bigint }[] {
    const unlisted: { key: string; id: bigint }[] = [];
    const add = ({ createdAt, id }: OrderRecord) => {
      const key = timeKey(accId, createdAt, id);
      if (key >= start && key < end) unlisted.push({ key, id });
    };
    for (const { order } of this.#liveOf.get(accId)?.values() ?? []) add(order);
    for (const [id, onDisk] of this.#ended) {
      const order = onDisk ? undefined : this.#orders.get(id)?.order;
      if (order?.accId === accId) add(order);
    }
    return unlisted.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Persisted versions of these orders. */
  async *#storedOf(orders: readonly { readonly id: bigint }[]): AsyncIterable<OrderRecord> {
    const pace = new Pace(READ_A_TURN);
    for (const { id } of orders) {
      const row = this.#tables.orders.get(keyOfId(id));
      if (row !== undefined) yield this.#asItStands(row);
      const wait = pace.step();
      if (wait !== undefined) await wait;
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

  *#endedInMemory(account: Account): Iterable<OrderRecord> {
    for (const id of this.#ended.keys()) {
      const order = this.#orders.get(id)?.order;
      if (order?.accId === account.id) yield order;
    }
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
      positions: undefined,
      prints: [],
      rolls: undefined,
      events: [],
      group: undefined,
      packet: undefined,
    };
  }

  putOrder(change: Change, order: OrderRecord): void {
    const kept = this.#orders.get(order.id);
    this.ledger.replaceOrder(kept?.order, order);
    this.#keep(order, kept);
    change.orders.set(order.id, order);
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
    change.positions ??= new Map();
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
    change.rolls ??= new Map();
    change.rolls.set(calendar, moment);
  }

  /** Puts a change on disk, tells its events and resolves to `answer`. `soon`: nobody waits for it. */
  commit<T = undefined>(change: Change, when: 'now' | 'soon' = 'now', answer?: T): Promise<T> {
    if (hasNoRows(change)) return this.journal.tell(change.events, answer);
    return this.journal.commit(
      (transaction) => this.#write(change, transaction),
      change.events,
      () => this.#settle(change),
      when,
      answer,
    );
  }

  #write(change: Change, transaction: Transaction): void {
    const tables = this.#tables;
    for (const order of change.orders.values()) {
      const key = keyOfId(order.id);
      transaction.put(tables.orders, key, order);
      if (isLive(order)) {
        const kept = this.#orders.get(order.id);
        if (kept !== undefined) kept.block ??= this.#live.enter(order.id, transaction);
        continue;
      }
      transaction.put(tables.ordersByTime, `${timeBound(order.accId, order.createdAt)}/${key}`, order.id);
      const ended = { id: order.id, symbol: mainLeg(order).symbol, time: order.updatedAt };
      transaction.put(tables.endedOrders, `${timeBound(order.accId, order.updatedAt)}/${key}`, ended);
    }
    for (const fill of change.fills) transaction.put(tables.fills, timeKey(fill.accId, fill.time, fill.id), fill);
    if (change.transactions.length > 0) this.money.write(change.transactions, transaction);
    if (change.rolls !== undefined) for (const [calendar, moment] of change.rolls) transaction.put(tables.dayRolls, calendar, moment);
    if (change.positions !== undefined) for (const [key, position] of change.positions) transaction.put(tables.positions, key, position);
    for (const print of change.prints) {
      transaction.put(tables.prints, `${paddedTime(print.tick.time)}/${keyOfId(print.tick.sequence)}/${print.symbol}`, print);
    }
    if (change.group !== undefined) transaction.put(tables.orderGroups, keyOfId(change.group.id), change.group);
    if (change.packet !== undefined) {
      const { id, answer, fingerprint } = change.packet;
      this.packets.remember(id, { orderId: answer.orderId, orderIdEx: answer.orderIdEx, fingerprint }, transaction);
    }
    this.#live.save(transaction);
    transaction.put(tables.ids, LAST_ID, this.#lastId);
  }

  /** Keeps an order as it is now. Most only move on from one live state to another: no map changes with that. */
  #keep(order: OrderRecord, known?: Kept): void {
    const { id, accId } = order;
    const kept = known ?? { order, block: undefined };
    const wasLive = known !== undefined && isLive(known.order);
    kept.order = order;
    if (known === undefined) this.#orders.set(id, kept);
    if (isLive(order)) {
      if (wasLive) return;
      if (known !== undefined) this.#ended.delete(id);
      this.#liveOf.get(accId)?.set(id, kept);
    } else {
      this.#liveOf.get(accId)?.delete(id);
      // Once more at the end, where it ended before.
      this.#ended.delete(id);
      this.#ended.set(id, false);
    }
  }

  /** The change is on disk: what is over need not stay in memory. */
  #settle({ orders, packet }: Change): void {
    if (packet !== undefined) this.packets.settle(packet.id);
    for (const order of orders.values()) {
      if (isLive(order)) continue;
      const kept = this.#orders.get(order.id);
      if (kept?.order !== order) continue;
      this.#ended.set(order.id, true);
      if (kept.block === undefined) continue;
      this.#live.leave(order.id, kept.block);
      kept.block = undefined;
    }
    // Many at a time: the map is walked from its front, where the gaps of those are that were forgotten before.
    if (this.#ended.size <= this.endedKeptMax + Math.floor(this.endedKeptMax / ENDED_SURPLUS)) return;
    for (const [id, onDisk] of this.#ended) {
      if (this.#ended.size <= this.endedKeptMax || !onDisk) break;
      this.#ended.delete(id);
      this.#orders.delete(id);
      this.#hasArchive = true;
    }
  }
}

/** Sorted as plain numbers, which takes a tenth of the time that comparing records does: there may be a hundred thousand. */
async function newestFirst(orders: ReadonlyMap<bigint, OrderRecord>, pace: Pace): Promise<OrderRecord[]> {
  const ids = new BigUint64Array(orders.size);
  let count = 0;
  for (const id of orders.keys()) {
    ids[count++] = id;
    const wait = pace.step();
    if (wait !== undefined) await wait;
  }
  const sorted: OrderRecord[] = [];
  for (const id of ids.sort().reverse()) {
    const order = orders.get(id);
    if (order !== undefined) sorted.push(order);
    const wait = pace.step();
    if (wait !== undefined) await wait;
  }
  return sorted;
}

/** Whether a change has nothing for the disk. */
function hasNoRows({ orders, fills, transactions, positions, prints, rolls, group, packet }: Change): boolean {
  return orders.size + fills.length + transactions.length + prints.length === 0 && (positions ?? rolls ?? group ?? packet) === undefined;
}

/** Whether an order can still do something, so that a restart has to know it. */
function isLive(order: OrderRecord): boolean {
  return isOpen(order.status) || order.status === 'disabled';
}
