import { parseSymbol, quoteMarkets } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';

interface Kind {
  /** The address up to its variable: "svc://quote/". */
  readonly prefix: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Operation that a read calls. */
  readonly operation: Operation;
}

/** A resource about one security. */
export interface SymbolKind extends Kind {
  readonly variable: 'symbol';
  /** Qot_Common.SubType of the stream whose events announce changes. */
  readonly subType: number;
}

/** A resource about one account; its order and fill events announce changes. */
export interface AccountKind extends Kind {
  readonly variable: 'acc_id';
}

export type ResourceKind = SymbolKind | AccountKind;

/** A resource that is addressed by its name and a variable: "svc://quote/". */
function kindOf<const V>(
  variable: V,
  name: string,
  title: string,
  description: string,
  operation: Operation,
): Kind & { readonly variable: V } {
  return { prefix: `svc://${name}/`, variable, name, title, description, operation };
}

export const symbolKinds: readonly SymbolKind[] = [
  {
    ...kindOf('symbol', 'quote', 'Quote', 'Last price, day’s range and volume of one security: svc://quote/HK.00700.', quote.getQuote),
    subType: 1,
  },
  {
    ...kindOf('symbol', 'orderbook', 'Order book', 'Best ten bids and asks of one security: svc://orderbook/HK.00700.', quote.getOrderBook),
    subType: 2,
  },
];

export const accountKinds: readonly AccountKind[] = [
  kindOf('acc_id', 'funds', 'Funds', 'Cash, buying power and assets of one account.', account.getFunds),
  kindOf('acc_id', 'positions', 'Positions', 'What one account holds, with cost and profit.', account.getPositions),
  kindOf('acc_id', 'orders', 'Orders', 'Today’s orders of one account, open and ended.', account.getOrders),
];

export interface FoundKind {
  readonly kind: ResourceKind;
  /** Value of the address's variable, as in requests and events: "HK.00700", or an account id without leading zeros. */
  readonly value: string;
}

/** Parses an address into its kind and variable; undefined for an unknown kind, a rejection for an invalid value. */
export function findKind(uri: string): FoundKind | Rejection | undefined {
  const kind = [...symbolKinds, ...accountKinds].find(({ prefix }) => uri.startsWith(prefix));
  if (kind === undefined) return undefined;
  const text = uri.slice(kind.prefix.length);
  const value = kind.variable === 'symbol' ? symbolNamed(text) : accountNamed(text);
  if (value !== undefined) return { kind, value };
  return new Rejection('request.invalid', `uri: expected ${kind.prefix} and ${accepted[kind.variable]}, found ${quoteUri(uri)}`);
}

/** An address for messages, truncated if long. */
export function quoteUri(uri: string): string {
  return quoted(uri);
}

/** Canonical address of a resource, whatever spelling was given: events are matched by it. */
export function addressOf({ kind, value }: FoundKind): string {
  return `${kind.prefix}${value}`;
}

const ACCOUNT_ID_MAX = 2n ** 64n - 1n;

const accepted = {
  symbol: `MARKET.CODE with a market of ${quoteMarkets.map(({ name }) => name).join(', ')} (such as HK.00700)`,
  acc_id: `an account id of decimal digits, at most ${ACCOUNT_ID_MAX}`,
};

function symbolNamed(text: string): string | undefined {
  const parsed = parseSymbol(text);
  return parsed && `${parsed.market.name}.${parsed.code}`;
}

function accountNamed(text: string): string | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const id = BigInt(text);
  return id > ACCOUNT_ID_MAX ? undefined : String(id);
}
