import { type Filter, passes } from '../../brokerage/filter.js';
import type { OrderRecord } from '../../brokerage/order.js';
import type { OrderStatus } from '../../brokerage/terms.js';

/** Whether a list of orders shows this one. Deleted orders are shown to those who ask for them. */
export function isWanted(order: OrderRecord, filter: Filter, statuses: ReadonlySet<OrderStatus>): boolean {
  const wanted = statuses.size === 0 ? order.status !== 'deleted' : statuses.has(order.status);
  if (!wanted) return false;
  const { id, tradeMarket, idEx: orderIdEx, createdAt: time } = order;
  return order.legs.some(({ symbol }) => passes(filter, { symbol, id, tradeMarket, orderIdEx, time }));
}
