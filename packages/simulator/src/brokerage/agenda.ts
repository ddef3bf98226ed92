import type { Clock } from '@svc-gateway/contract/clock';
import { nextTurn } from '../pace.js';

/** Orders dealt with in one turn of the event loop: a few milliseconds' worth. */
const ORDERS_A_TURN = 25;

/** Orders that share a time. */
interface Moment {
  readonly time: number;
  readonly orders: Set<bigint>;
  cancel(): void;
}

/** Timed work on orders. One timer serves all orders that share a time; many that are due take several turns. */
export class Agenda {
  readonly #moments = new Map<number, Moment>();
  readonly #momentOf = new Map<bigint, Moment>();
  /** Orders whose time has come, in its order. */
  readonly #due = new Set<bigint>();
  #running = false;

  constructor(
    private readonly clock: Clock,
    /** Given the orders of one turn, in the order of their times. */
    private readonly due: (orderIds: readonly bigint[]) => void,
  ) {}

  /** Enters an order at `time` (epoch ms), in place of its earlier entry. */
  set(orderId: bigint, time: number): void {
    this.remove(orderId);
    let moment = this.#moments.get(time);
    if (moment === undefined) {
      moment = { time, orders: new Set(), cancel: this.clock.at(time, () => this.#run(time)) };
      this.#moments.set(time, moment);
    }
    moment.orders.add(orderId);
    this.#momentOf.set(orderId, moment);
  }

  remove(orderId: bigint): void {
    if (this.#due.size > 0) this.#due.delete(orderId);
    const moment = this.#momentOf.get(orderId);
    if (moment === undefined) return;
    this.#momentOf.delete(orderId);
    moment.orders.delete(orderId);
    if (moment.orders.size > 0) return;
    moment.cancel();
    this.#moments.delete(moment.time);
  }

  close(): void {
    for (const moment of this.#moments.values()) moment.cancel();
    this.#moments.clear();
    this.#momentOf.clear();
    this.#due.clear();
  }

  #run(time: number): void {
    const moment = this.#moments.get(time);
    if (moment === undefined) return;
    this.#moments.delete(time);
    for (const orderId of moment.orders) {
      this.#momentOf.delete(orderId);
      this.#due.add(orderId);
    }
    if (!this.#running) void this.#work();
  }

  async #work(): Promise<void> {
    this.#running = true;
    while (this.#due.size > 0) {
      this.due(this.#take());
      if (this.#due.size > 0) await nextTurn();
    }
    this.#running = false;
  }

  #take(): bigint[] {
    const orders: bigint[] = [];
    for (const orderId of this.#due) {
      this.#due.delete(orderId);
      if (orders.push(orderId) === ORDERS_A_TURN) break;
    }
    return orders;
  }
}
