import type { Clock } from '@svc-gateway/contract/clock';
import { nextTurn } from '../pace.js';
import type { OrderRecord } from './order.js';
import { isChangeable } from './order-status.js';

/** Orders ended in one turn of the event loop: a few milliseconds' worth. */
const ORDERS_A_TURN = 25;

/**
 * Ends orders whose time is over. Only the next such moment is remembered: an order says itself when it ends, and what ends
 * at a moment is looked for among the live orders when it has come. So an order costs nothing here until then.
 */
export class Expiries {
  #next = Infinity;
  #cancel: () => void = () => undefined;
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly live: () => Iterable<OrderRecord>,
    private readonly end: (order: OrderRecord) => void,
  ) {}

  /** Minds the end of an order that is live. */
  note({ expiresAt }: OrderRecord): void {
    if (this.#closed || expiresAt >= this.#next) return;
    this.#cancel();
    this.#next = expiresAt;
    this.#cancel = this.clock.at(expiresAt, () => void this.#run(expiresAt));
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  async #run(time: number): Promise<void> {
    this.#next = Infinity;
    const due: OrderRecord[] = [];
    for (const order of this.live()) {
      if (!isChangeable(order.status)) continue;
      if (order.expiresAt <= time) due.push(order);
      else this.note(order);
    }
    let left = ORDERS_A_TURN;
    for (const order of due) {
      if (this.#closed) return;
      this.end(order);
      left -= 1;
      if (left > 0) continue;
      left = ORDERS_A_TURN;
      await nextTurn();
    }
  }
}
