import type { Order } from '../../contract/generated/Trd_Common_pb.js';
import { namesOf } from './order-lookup.js';

/** Answered changes that are remembered; a change that was valued before the oldest of them is valued again. */
const ANSWERED_MAX = 1_000;

type ChangedOrder = Pick<Order, 'orderID' | 'orderIDEx'>;

/**
 * Changes of orders, one after another for each order: a change is judged by the terms that it replaces, and may be sent only while
 * the order still has them. Times are numbers that rise with each answered change.
 */
export class ConcurrentChanges {
  /** Settles with the change under way, by account and order name. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** Time of the last answered change, by account and order name; the oldest first. */
  readonly #answered = new Map<string, number>();
  #now = 0;
  /** Time of the newest change that is not in `#answered` any more. */
  #forgotten = 0;

  /** Present time, to be taken before an order is looked at. */
  get now(): number {
    return this.#now;
  }

  /** Resolves when an order that was looked at `since` then may be looked at again; undefined where nothing has changed it. */
  overtaken(accId: bigint, order: ChangedOrder, since: number): Promise<void> | undefined {
    const keys = keysOf(accId, order);
    const underWay = keys.map((key) => this.#underWay.get(key)).find((found) => found !== undefined);
    if (underWay !== undefined) return underWay;
    const isChanged = since < this.#forgotten || keys.some((key) => (this.#answered.get(key) ?? 0) > since);
    return isChanged ? Promise.resolve() : undefined;
  }

  /** Runs a change. Until it is answered, or has failed, no other change of the order may be sent. */
  async run<T>(accId: bigint, order: ChangedOrder, change: () => Promise<T>): Promise<T> {
    const keys = keysOf(accId, order);
    const answer = change();
    const settled = answer.then(
      () => undefined,
      () => undefined,
    );
    for (const key of keys) this.#underWay.set(key, settled);
    try {
      return await answer;
    } finally {
      this.#now += 1;
      for (const key of keys) {
        this.#underWay.delete(key);
        this.#answered.delete(key);
        this.#answered.set(key, this.#now);
      }
      this.#forget();
    }
  }

  #forget(): void {
    for (const [key, time] of this.#answered) {
      if (this.#answered.size <= ANSWERED_MAX) return;
      this.#answered.delete(key);
      this.#forgotten = time;
    }
  }
}

function keysOf(accId: bigint, order: ChangedOrder): string[] {
  return namesOf(order).map((name) => `${accId}/${name}`);
}
