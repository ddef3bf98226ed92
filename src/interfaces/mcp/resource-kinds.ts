import type { Operation } from '../../contract/operation.js';
import { account, quote } from '../../contract/operations/index.js';

interface Kind {
  /** The address up to its variable: "svc://quote/". */
  readonly prefix: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What answers a reading. */
  readonly operation: Operation;
}

/** Something about one security. */
export interface SymbolKind extends Kind {
  readonly variable: 'symbol';
  /** Qot_Common.SubType of the stream whose events say that it has changed. */
  readonly subType: number;
}

/** Something about one account; its order and fill events say that it has changed. */
export interface AccountKind extends Kind {
  readonly variable: 'acc_id';
}

export type ResourceKind = SymbolKind | AccountKind;

export const symbolKinds: readonly SymbolKind[] = [
  {
    prefix: 'svc://quote/',
    variable: 'symbol',
    name: 'quote',
    title: 'Quote',
    description: 'Last price, day’s range and volume of one security: svc://quote/HK.00700.',
    operation: quote.getQuote,
    subType: 1,
  },
  {
    prefix: 'svc://orderbook/',
    variable: 'symbol',
    name: 'orderbook',
    title: 'Order book',
    description: 'Best ten bids and asks of one security: svc://orderbook/HK.00700.',
    operation: quote.getOrderBook,
    subType: 2,
  },
];

export const accountKinds: readonly AccountKind[] = [
  {
    prefix: 'svc://funds/',
    variable: 'acc_id',
    name: 'funds',
    title: 'Funds',
    description: 'Cash, buying power and assets of one account.',
    operation: account.getFunds,
  },
  {
    prefix: 'svc://positions/',
    variable: 'acc_id',
    name: 'positions',
    title: 'Positions',
    description: 'What one account holds, with cost and profit.',
    operation: account.getPositions,
  },
  {
    prefix: 'svc://orders/',
    variable: 'acc_id',
    name: 'orders',
    title: 'Orders',
    description: 'Today’s orders of one account, open and ended.',
    operation: account.getOrders,
  },
];

export interface FoundKind {
  readonly kind: ResourceKind;
  /** Of the address's variable. */
  readonly value: string;
}

/** The kind of an address and the value of its variable; undefined where there is no such kind. */
export function findKind(uri: string): FoundKind | undefined {
  for (const kind of [...symbolKinds, ...accountKinds]) {
    if (!uri.startsWith(kind.prefix)) continue;
    const value = uri.slice(kind.prefix.length);
    if (value !== '' && !/[/?#\s]/.test(value)) return { kind, value: kind.variable === 'symbol' ? value.toUpperCase() : value };
  }
  return undefined;
}
