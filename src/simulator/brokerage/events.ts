import type { Account } from './account.js';
import type { FillRecord, OrderRecord } from './order.js';

/** Something that became durable. An order event carries the order as it was at that point. */
export type BrokerageEvent =
  | { readonly kind: 'order'; readonly account: Account; readonly order: OrderRecord }
  | { readonly kind: 'fill'; readonly account: Account; readonly fill: FillRecord; readonly order: OrderRecord };
