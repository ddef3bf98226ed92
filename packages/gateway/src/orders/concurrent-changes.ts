import type { Clock } from '@svc-gateway/contract/clock';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { namesOf } from './order-lookup.js';

/** Changes that ended and are remembered; a change that was valued before the oldest of them is valued again. */
const ENDED_MAX = 1_000;

type ChangedOrder = Pick<Order, 'orderID' | 'orderIDEx'>;

/** Time after which a change that is not answered is told of to those who wait for it. */
const UNANSWERED_MS = 5_000;

/** Exclusive right to change an order. */
export interface Turn {
  /**
   * Resolves to true when the turn has come, and to false where there is none, as the change before is not answered. undefined where the turn is there
   * at once, and the order as it was looked at.
   */
  readonly ready: Promise<boolean> | undefined;
  /** Gives the turn on. */
  end(): void;
}

/** Changes of one order: one at a time, and the callers who wait for it by turns. */
class Queue {
  /** When the change under way had its turn, of the monotonic clock. */
  #takenAt: number | undefined;
  /** Waiting changes by caller, who is served last when it was served now. */
  readonly #waiting = new Map<string, ((hasTurn: boolean) => void)[]>();
  #cancelTimer: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  get isIdle(): boolean {
    return this.#takenAt === undefined;
  }

  /** Takes the turn, or waits for it. */
  enter(caller: string): Promise<boolean> | undefined {
    const now = this.clock.monotonic();
    if (this.#takenAt === undefined) {
      this.#takenAt = now;
      return undefined;
    }
    const left = this.#takenAt + UNANSWERED_MS - now;
    if (left <= 0) return Promise.resolve(false);
    this.#cancelTimer ??= this.clock.after(left, () => this.#refuseWaiting());
    return new Promise((resolve) => {
      const own = this.#waiting.get(caller);
      if (own === undefined) this.#waiting.set(caller, [resolve]);
      else own.push(resolve);
    });
  }

  leave(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#takenAt = undefined;
      return;
    }
    const [caller, [first, ...others]] = next;
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    this.#takenAt = this.clock.monotonic();
    if (this.#waiting.size > 0) this.#cancelTimer = this.clock.after(UNANSWERED_MS, () => this.#refuseWaiting());
    first?.(true);
  }

  #refuseWaiting(): void {
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const refuse of waiting) refuse(false);
  }
}

/**
 * Changes of orders, one after another for each order: a change is judged by the terms that it replaces, and may be sent only while
 * the order still has them. Callers have their turns in rotation, so that a flood of one holds nobody else up for long; whoever waits for a change
 * that is not answered for {@link UNANSWERED_MS} has none. Times are numbers that rise with each change that ended.
 */
export class ConcurrentChanges {
  /** By account and order name. */
  readonly #queues = new Map<string, Queue>();
  /** Time of the last change that ended, by account and order name; the oldest first. */
  readonly #ended = new Map<string, number>();
  #now = 0;
  /** Time of the newest change that is not in `#ended` any more. */
  #forgotten = 0;

  constructor(private readonly clock: Clock) {}

  /** Present time, to be taken before an order is looked at. */
  get now(): number {
    return this.#now;
  }

  /** Asks for the turn to change an order that was looked at `since` then. Whoever has to wait looks at the order again. */
  enter(accId: bigint, order: ChangedOrder, since: number, caller: string): Turn {
    const keys = namesOf(order).map((name) => `${accId}/${name}`);
    const queue = keys.map((key) => this.#queues.get(key)).find((found) => found !== undefined) ?? new Queue(this.clock);
    for (const key of keys) this.#queues.set(key, queue);
    const isChanged = since < this.#forgotten || keys.some((key) => (this.#ended.get(key) ?? 0) > since);
    const waiting = queue.enter(caller);
    let hasTurn = waiting === undefined;
    const ready = waiting?.then((isOwn) => {
      hasTurn = isOwn;
      return isOwn;
    });
    return {
      ready: ready ?? (isChanged ? Promise.resolve(true) : undefined),
      end: () => {
        if (hasTurn) this.#end(keys, queue);
      },
    };
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
