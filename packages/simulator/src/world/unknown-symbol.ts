import type { BrokerCode } from '@svc-gateway/contract/broker-codes';
import { quoteMarketNumbered, quoteMarkets } from '@svc-gateway/contract/markets';
import { symbolsMeant, unknownSymbol } from '@svc-gateway/contract/symbol-spellings';
import type { World } from './index.js';

/** Longer codes are cut in messages. */
const CODE_LENGTH_MAX = 32;

/** Reason why a security is not found. */
export interface UnknownSecurity {
  readonly code: BrokerCode;
  readonly message: string;
}

/** Reason why a security is not found, with the listed one that was probably meant: in another spelling, or in another market. */
export function describeUnknown(world: World, security: { readonly market: number; readonly code: string }): UnknownSecurity {
  const market = quoteMarketNumbered(security.market);
  if (market === undefined) {
    const accepted = quoteMarkets.map(({ number, name }) => `${number} (${name})`).join(', ');
    return { code: 'broker.enumeration', message: `unknown quote market ${security.market}; accepted: ${accepted}` };
  }
  return { code: 'broker.unknown_code', message: describeUnknownIn(world, market.name, security.code) };
}

/** The text for an unknown code in a market. */
export function describeUnknownIn(world: World, market: string, code: string): string {
  const symbol = `${market}.${printable(code)}`;
  return code.length > CODE_LENGTH_MAX ? unknownSymbol(symbol, undefined) : unknownSymbol(symbol, nearestListed(world, market, code));
}

function nearestListed(world: World, market: string, code: string): string | undefined {
  const elsewhere = quoteMarkets.map(({ name }) => `${name}.${code}`);
  const candidates = [...symbolsMeant(`${market}.${code}`), code, ...symbolsMeant(code), ...elsewhere];
  for (const symbol of candidates) {
    const instrument = world.instrument(symbol);
    if (instrument !== undefined && world.state(instrument) === 'listed') return instrument.symbol;
  }
  return undefined;
}

/** A caller's text, fit for a message: short, and without what is not printable ASCII. */
function printable(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, '?');
  return clean.length > CODE_LENGTH_MAX ? `${clean.slice(0, CODE_LENGTH_MAX)}…` : clean;
}

/** Reasons that one refusal tells. */
const REASONS_MAX = 20;

/** All that is wrong with a list, so that a caller can mend it at once: the first reasons, and how many follow. */
export function together(reasons: readonly string[]): string {
  const told = reasons.slice(0, REASONS_MAX).join(' · ');
  return reasons.length > REASONS_MAX ? `${told} · and ${reasons.length - REASONS_MAX} more` : told;
}
