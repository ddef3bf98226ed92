import { type Access, allowsMarket, allowsSymbol, type GateName, type KeyRecord, scopeMask } from '@svc-gateway/access';
import { quoteMarketNumbered, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { Rejection, type Told, type TradedSecurity } from '@svc-gateway/contract/rejection';
import { isLimited } from './limit-check.js';
import { limitsOf, type Traded, tradedMarketNames } from './market-names.js';

/**
 * Visibility of an account's orders, positions and losses. Refusals and previews obey the same rules as lists and pushes: a key that may
 * trade but lacks acc:read sees none of them.
 */

const accountScopes = scopeMask(['acc:read']);

/** Reason why a sum or a count over all keys is not told. */
export const TOTALS_UNTOLD =
  'on what all keys send together (daemon-wide); how much of it is used is told to keys with acc:read and without lists of accounts, markets and symbols';

/** Whether a caller may read accounts at all. */
export function mayReadAccounts(access: Access, key: KeyRecord | undefined): boolean {
  return access.authorise(key, accountScopes) === undefined;
}

/** Whether a caller may see what a text or a figure describes. */
export function maySee(access: Access, key: KeyRecord | undefined, told: Told): boolean {
  if (!mayReadAccounts(access, key)) return false;
  if (told === 'all keys') return key === undefined || !isLimited(key.limits);
  return limitsOf(access, key).every((limits) =>
    told.every(({ markets, symbol }) => allowsMarket(limits, markets) && allowsSymbol(limits, symbol)),
  );
}

/** The securities of an order or a position. @param trading its trading market where the record has none. */
export function securitiesOf({ trdMarket, secMarket, code, comboLegs = [] }: Traded, trading: number): readonly TradedSecurity[] {
  const one = (market: ReturnType<typeof quoteMarketOfSecMarket>, own: string) => ({
    markets: tradedMarketNames(trdMarket || trading, market),
    symbol: `${market?.name ?? secMarket}.${own}`,
  });
  const legs = comboLegs.map(({ security }) => one(quoteMarketNumbered(security?.market ?? 0), security?.code ?? ''));
  return legs.length === 0 ? [one(quoteMarketOfSecMarket(secMarket), code)] : legs;
}

/** Marks a refusal by what its text describes. */
export function telling(rejection: Rejection, about: Told): Rejection {
  return new Rejection(rejection.code, rejection.message, { ...rejection.details, about });
}

/** A gate, and the holder of its limits; the key by default. */
export interface GateOf {
  readonly gate: GateName;
  readonly holder?: 'key' | 'flags';
}

/** Gates whose texts and figures describe the order that they judge. */
const tellOfOrder: ReadonlySet<GateName> = new Set(['market', 'symbol', 'side', 'order_value', 'daily_value']);

/** Gates that count or sum orders: those of the start-up flags, over all keys. */
const tellOfTotals: ReadonlySet<GateName> = new Set(['rate', 'daily_value', 'open_orders']);

/** Returns the facts beyond the request that a gate's text and figures reveal; undefined: none. @param standing securities of the existing order or position. */
export function toldBy({ gate, holder }: GateOf, standing: readonly TradedSecurity[] | undefined): Told | undefined {
  if (holder === 'flags' && tellOfTotals.has(gate)) return 'all keys';
  if (gate === 'daily_loss') return [];
  return tellOfOrder.has(gate) ? standing : undefined;
}

/** An order or a position of which nobody says what it is in: keys with lists of markets or symbols do not see it. */
export const unidentified: readonly [TradedSecurity] = [{ markets: [], symbol: '' }];

/** A reason to refuse a request. */
export interface Reason {
  readonly code: string;
  readonly message: string;
  /** Facts beyond the request that the message describes; undefined: none. */
  readonly about: Told | undefined;
}

/** The text of a reason, without the facts that its caller may not see. */
export function shownText(access: Access, key: KeyRecord | undefined, { code, message, about }: Reason): string {
  if (about === undefined || maySee(access, key, about)) return message;
  if (about === 'all keys') return `refused (${code}): a limit of the daemon ${TOTALS_UNTOLD}`;
  return `refused (${code}): the reason describes an order, a position, a loss or a balance that this key may not see; reading it takes acc:read and, if the key has lists, the market and symbol in them`;
}

/** A refusal without the facts that its caller may not see; its code stays. */
export function shownRefusal(access: Access, key: KeyRecord | undefined, rejection: Rejection): Rejection {
  const { about, order: _, ...details } = rejection.details;
  const message = shownText(access, key, { code: rejection.code, message: rejection.message, about });
  return message === rejection.message ? rejection : new Rejection(rejection.code, message, details);
}
