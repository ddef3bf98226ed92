import { type Access, allowsCode, allowsMarket, allowsOneMarket, type KeyRecord, type Limits } from '@svc-gateway/access';
import { type QuoteMarketInfo, quoteMarketNumbered, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { marketName } from './trade-names.js';

/** By which names a list of markets allows a trading market as a whole: "HK", "FUTURES" for every market of futures. */
export function tradingMarketName(trading: number): string {
  const name = marketName(trading);
  return name.startsWith('FUTURES') ? 'FUTURES' : name;
}

/**
 * The names by which a list of markets may allow an order, a fill or a position: its trading market, and in mainland China
 * the exchange. Stock Connect (HKCC) lists the same securities and is a market of its own: what allows `CN` or `SH` does not allow it.
 */
export function tradedMarketNames(trading: number, market: QuoteMarketInfo | undefined): string[] {
  const name = tradingMarketName(trading);
  if (name === 'FUTURES') return market?.name === 'HK' ? ['FUTURES', 'HK_FUTURE'] : ['FUTURES'];
  return name === 'CN' && market !== undefined ? [name, market.name] : [name];
}

/** An order, a fill or a position, as far as lists look at it. */
export interface Traded {
  /** Trd_Common.TrdMarket; 0 where it does not say. */
  readonly trdMarket: number;
  /** Trd_Common.TrdSecMarket. */
  readonly secMarket: number;
  readonly code: string;
  /** The securities of an order of several legs; {@link code} is the first of them. */
  readonly comboLegs?: readonly { readonly security?: { readonly market: number; readonly code: string } | undefined }[];
}

/** The limits that hold for a caller: its key's, and those of the daemon's start. */
export function limitsOf(access: Access, key: KeyRecord | undefined): readonly Limits[] {
  return key === undefined ? [access.gates.flagLimits] : [key.limits, access.gates.flagLimits];
}

/**
 * Whether the lists of markets and symbols allow an order, a fill or a position to be seen: one rule for pushes and for reads.
 *
 * @param trading the trading market of what is not traded in one of its own.
 */
export function allowsTraded(limits: Limits, { trdMarket, secMarket, code, comboLegs = [] }: Traded, trading: number): boolean {
  if (limits.allowedMarkets === null && limits.allowedSymbols === null) return true;
  const market = quoteMarketOfSecMarket(secMarket);
  if (!allowsMarket(limits, tradedMarketNames(trdMarket || trading, market))) return false;
  for (const { security } of comboLegs) {
    const own = quoteMarketNumbered(security?.market ?? 0);
    if (!allowsMarket(limits, tradedMarketNames(trdMarket || trading, own))) return false;
    if (own === undefined || security === undefined || !allowsCode(limits, own.name, security.code)) return false;
  }
  return limits.allowedSymbols === null || (market !== undefined && allowsCode(limits, market.name, code));
}

/** Whether the lists of markets and symbols allow a security to be read. */
export function allowsSecurity(limits: Limits, { market, code }: { readonly market: number; readonly code: string }): boolean {
  const name = quoteMarketNumbered(market)?.name ?? String(market);
  return allowsOneMarket(limits, name) && allowsCode(limits, name, code);
}
