import { type Account, accounts } from './account.js';
import type { OrderRecord } from './order.js';
import { isOpen } from './order-status.js';

/** Fraction of surplus finished orders in memory, as 1/n of the kept ones. */
const ENDED_SURPLUS = 20;

/** An order in memory: records are never changed in place, and there are a hundred thousand ids to look up. */
export interface Kept {
  order: OrderRecord;
  /** The store has a row of it. */
  isStored: boolean;
  /** The store lists it as live. */
  isListed: boolean;
}

/** The orders in memory: all that are live, and the newest of those that are over. */
export class OrdersInMemory {
  readonly #orders = new Map<bigint, Kept>();
  /** Live orders by account, in order of creation. */
  readonly #liveOf = new Map<bigint, Map<bigint, Kept>>(accounts.map(({ id }) => [id, new Map()]));
  /** Orders that are over, in the order of their end, and whether that is on disk. */
  readonly #ended = new Map<bigint, boolean>();

  /** @param endedKeptMax orders that are over and stay. */
  constructor(private readonly endedKeptMax: number) {}

  get size(): number {
    return this.#orders.size;
  }

  get(id: bigint): Kept | undefined {
    return this.#orders.get(id);
  }

  /** Open and disabled orders of an account in order of creation. */
  *live(accId: bigint): Iterable<OrderRecord> {
    for (const { order } of this.#liveOf.get(accId)?.values() ?? []) yield order;
  }

  /** Orders of an account that are over, and whether that is on disk, in the order of their end. */
  *ended({ id: accId }: Pick<Account, 'id'>): Iterable<{ readonly order: OrderRecord; readonly onDisk: boolean }> {
    for (const [id, onDisk] of this.#ended) {
      const order = this.#orders.get(id)?.order;
      if (order?.accId === accId) yield { order, onDisk };
    }
  }

  /** Keeps an order as it is now. Most only move on from one live state to another: no map changes with that. */
  keep(order: OrderRecord): Kept {
    const { id, accId } = order;
    const known = this.#orders.get(id);
    const kept = known ?? { order, isStored: false, isListed: false };
    const wasLive = known !== undefined && isLive(known.order);
    kept.order = order;
    if (known === undefined) this.#orders.set(id, kept);
    if (wasLive && isLive(order)) return kept;
    // Once more at the end, where it ended before.
    this.#ended.delete(id);
    if (isLive(order)) {
      this.#liveOf.get(accId)?.set(id, kept);
    } else {
      this.#liveOf.get(accId)?.delete(id);
      this.#ended.set(id, false);
    }
    return kept;
  }

  /** Forgets an order that was taken back before anybody heard of it. */
  remove({ id, accId }: OrderRecord): void {
    this.#orders.delete(id);
    this.#liveOf.get(accId)?.delete(id);
  }

  /** The end of an order is on disk. */
  endIsOnDisk(id: bigint): void {
    this.#ended.set(id, true);
  }

  /** Forgets the surplus of orders whose end is on disk; whether there was one. Many at a time: the map is walked from its front, where the gaps of earlier ones are. */
  forgetSurplus(): boolean {
    if (this.#ended.size <= this.endedKeptMax + Math.floor(this.endedKeptMax / ENDED_SURPLUS)) return false;
    let forgotten = false;
    for (const [id, onDisk] of this.#ended) {
      if (this.#ended.size <= this.endedKeptMax || !onDisk) break;
      this.#ended.delete(id);
      this.#orders.delete(id);
      forgotten = true;
    }
    return forgotten;
  }
}

/** Whether an order can still do something, so that a restart has to know it. */
export function isLive(order: OrderRecord): boolean {
  return isOpen(order.status) || order.status === 'disabled';
}
