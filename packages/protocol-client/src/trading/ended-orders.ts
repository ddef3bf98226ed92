import type { Clock } from '@svc-gateway/contract/clock';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { TradePush } from '@svc-gateway/gateway/backend';
import { finalStatuses, LISTS_APART_MS, nameOfOrder, orderKey, pushedOrder } from '@svc-gateway/gateway/order';
import { LruCache } from '../requests/lru-cache.js';

/** Orders that are remembered: those of a busy day. */
const ORDERS_MAX = 10_000;

/**
 * Orders whose end was pushed. A server that comes back with an older state has them working again; its pushes and its time-stamps do not
 * say so, and only a list that was asked for long enough after the end does, since lists may be behind pushes.
 */
export class EndedOrders {
  /** Monotonic time at which an order's end was heard of, by its key. */
  readonly #endedAt = new LruCache<number>(ORDERS_MAX);

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Notes the state of an order that is pushed. */
  see(event: TradePush): void {
    const order = pushedOrder(event);
    if (order === undefined) return;
    const key = orderKey(event.accId, nameOfOrder(order));
    if (finalStatuses.has(order.orderStatus)) this.#endedAt.set(key, this.clock.monotonic());
    else this.#endedAt.delete(key);
  }

  /** The orders of a list, asked for at `askedAt` (monotonic), that work again after their end. */
  returned(accId: bigint, listed: readonly Order[], askedAt: number): readonly Order[] {
    return listed.filter((order) => {
      const endedAt = this.#endedAt.get(orderKey(accId, nameOfOrder(order)));
      return endedAt !== undefined && askedAt - endedAt >= LISTS_APART_MS && !finalStatuses.has(order.orderStatus);
    });
  }
}
