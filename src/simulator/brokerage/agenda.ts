import type { Clock } from '../../contract/clock.js';
import { nextTurn } from '../pace.js';

/** Orders dealt with in one turn of the event loop: a few milliseconds' worth. */
const ORDERS_A_TURN = 25;

/** What is to be done for which order at what time, with one timer for all orders that share a time; many that are due take several turns. */
export class Agenda {
  readonly #times = new Map<number, { orders: Set<bigint>; cancel: () => void }>();
  readonly #timeOf = new Map<bigint, number>();
  /** Orders whose time has come, in its order. */
  readonly #due = new Set<bigint>();
  #running = false;

  constructor(
    private readonly clock: Clock,
    private readonly due: (orderId: bigint) => void,
  ) {}

  /** Enters an order at `time` (epoch ms), in place of its earlier entry. */
  set(orderId: bigint, time: number): void {
    this.remove(orderId);
    this.#timeOf.set(orderId, time);
    const entry = this.#times.get(time);
    if (entry !== undefined) entry.orders.add(orderId);
    else this.#times.set(time, { orders: new Set([orderId]), cancel: this.clock.at(time, () => this.#run(time)) });
  }

  remove(orderId: bigint): void {
    this.#due.delete(orderId);
    const time = this.#timeOf.get(orderId);
    if (time === undefined) return;
    this.#timeOf.delete(orderId);
    const entry = this.#times.get(time);
    entry?.orders.delete(orderId);
    if (entry?.orders.size === 0) {
      entry.cancel();
      this.#times.delete(time);
    }
  }

  close(): void {
    for (const { cancel } of this.#times.values()) cancel();
    this.#times.clear();
    this.#timeOf.clear();
    this.#due.clear();
  }

  #run(time: number): void {
    const entry = this.#times.get(time);
    if (entry === undefined) return;
    this.#times.delete(time);
    for (const orderId of entry.orders) {
      this.#timeOf.delete(orderId);
      this.#due.add(orderId);
    }
    if (!this.#running) void this.#work();
  }

  async #work(): Promise<void> {
    this.#running = true;
    let left = ORDERS_A_TURN;
    for (const orderId of this.#due) {
      this.#due.delete(orderId);
      this.due(orderId);
      left -= 1;
      if (left > 0) continue;
      left = ORDERS_A_TURN;
      await nextTurn();
    }
    this.#running = false;
  }
}
