import type { Account } from './account.js';
import type { FillRecord, OrderRecord } from './order.js';

/** Something that became durable. An event carries the order, and what could be sold, as they were at that point. */
export type BrokerageEvent = {
  readonly account: Account;
  readonly order: OrderRecord;
  /** Units of the order's symbol that the account could sell: see `Ledger.canSell`. */
  readonly canSell: bigint;
} & ({ readonly kind: 'order' } | { readonly kind: 'fill'; readonly fill: FillRecord });
