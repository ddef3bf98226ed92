import type { Order } from '../../contract/generated/Trd_Common_pb.js';
import { namesOf } from './order-lookup.js';

/** Changes that ended and are remembered; a change that was valued before the oldest of them is valued again. */
const ENDED_MAX = 1_000;

type ChangedOrder = Pick<Order, 'orderID' | 'orderIDEx'>;

/** Exclusive right to change an order. */
export interface Turn {
  /** Resolves when the turn has come; undefined where it is there at once, and the order as it was looked at. */
  readonly ready: Promise<void> | undefined;
  /** Gives the turn on. */
  end(): void;
}

/** Changes of one order: one at a time, and the callers who wait for it by turns. */
class Queue {
  #isTaken = false;
  /** Waiting changes by caller, who is served last when it was served now. */
  readonly #waiting = new Map<string, (() => void)[]>();

  get isIdle(): boolean {
    return !this.#isTaken;
  }

  /** Takes the turn, or waits for it. */
  enter(caller: string): Promise<void> | undefined {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return undefined;
    }
    return new Promise((resolve) => {
      const own = this.#waiting.get(caller);
      if (own === undefined) this.#waiting.set(caller, [resolve]);
      else own.push(resolve);
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    const [caller, [first, ...others]] = next;
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    first?.();
  }
}

/**
 * Changes of orders, one after another for each order: a change is judged by the terms that it replaces, and may be sent only while
 * the order still has them. Callers have their turns in rotation, so that a flood of one holds nobody else up for long. Times are
 * numbers that rise with each change that ended.
 */
export class ConcurrentChanges {
  /** By account and order name. */
  readonly #queues = new Map<string, Queue>();
  /** Time of the last change that ended, by account and order name; the oldest first. */
  readonly #ended = new Map<string, number>();
  #now = 0;
  /** Time of the newest change that is not in `#ended` any more. */
  #forgotten = 0;

  /** Present time, to be taken before an order is looked at. */
  get now(): number {
    return this.#now;
  }

  /** Asks for the turn to change an order that was looked at `since` then. Whoever has to wait looks at the order again. */
  enter(accId: bigint, order: ChangedOrder, since: number, caller: string): Turn {
    const keys = namesOf(order).map((name) => `${accId}/${name}`);
    const queue = keys.map((key) => this.#queues.get(key)).find((found) => found !== undefined) ?? new Queue();
    for (const key of keys) this.#queues.set(key, queue);
    const isChanged = since < this.#forgotten || keys.some((key) => (this.#ended.get(key) ?? 0) > since);
    const waiting = queue.enter(caller);
    return { ready: waiting ?? (isChanged ? Promise.resolve() : undefined), end: () => this.#end(keys, queue) };
  }

  #end(keys: readonly string[], queue: Queue): void {
    this.#now += 1;
    for (const key of keys) {
      this.#ended.delete(key);
      this.#ended.set(key, this.#now);
    }
    for (const [key, time] of this.#ended) {
      if (this.#ended.size <= ENDED_MAX) break;
      this.#ended.delete(key);
      this.#forgotten = time;
    }
    queue.leave();
    if (queue.isIdle) for (const key of keys) if (this.#queues.get(key) === queue) this.#queues.delete(key);
  }
}
