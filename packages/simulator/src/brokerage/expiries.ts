import type { Clock } from '@svc-gateway/contract/clock';
import type { OrderRecord } from './order.js';
import { isChangeable } from './order-status.js';

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
    /** Given the orders that are due at one moment. */
    private readonly end: (orderIds: readonly bigint[]) => void,
  ) {}

  /** Minds the end of an order that is live. */
  note({ expiresAt }: OrderRecord): void {
    if (this.#closed || expiresAt >= this.#next) return;
    this.#cancel();
    this.#next = expiresAt;
    this.#cancel = this.clock.at(expiresAt, () => this.#run(expiresAt));
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #run(time: number): void {
    this.#next = Infinity;
    const due: bigint[] = [];
    for (const order of this.live()) {
      if (!isChangeable(order.status)) continue;
      if (order.expiresAt <= time) due.push(order.id);
      else this.note(order);
    }
    this.end(due);
  }
}
