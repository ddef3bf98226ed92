import { parseSymbol } from '@svc-gateway/contract/markets';
import { quoted } from '@svc-gateway/contract/shown';
import { spelledAs } from '@svc-gateway/contract/symbol-spellings';
import { missing, Refusal } from '../refusal.js';
import { kinds } from '../world/kinds.js';
import { together } from '../world/unknown-symbol.js';
import { about, type Facts } from './facts.js';
import type { Listing } from './listings.js';

interface SecurityName {
  readonly market: number;
  readonly code: string;
}

/**
 * The listing that a request for quotes names, or why there is none: not known, not listed yet, or of a kind without quotes. What has
 * expired or been delisted shows its last day. A message's required security may be missing on a raw protocol connection.
 */
export function locate(facts: Facts<'listings'>, security: SecurityName | undefined): Listing | Refusal {
  const listing = locateTerms(facts, security);
  if (listing instanceof Refusal) return listing;
  const { symbol, kind } = listing.instrument;
  const { quoted: isQuoted, noun } = kinds[kind];
  return isQuoted ? listing : new Refusal(`${symbol} is ${noun}: the simulation knows its terms, but does not quote it`);
}

/** As {@link locate}, of a field that holds a symbol: "HK.00700". */
export function locateNamed(facts: Facts<'listings'>, symbol: string, path: string): Listing | Refusal {
  const named = parseSymbol(symbol);
  if (named !== undefined) return locate(facts, { market: named.market.number, code: named.code });
  const hint = spelledAs(symbol);
  return new Refusal(`${path}: expected MARKET.CODE (such as "HK.00700"), found ${quoted(symbol)}${hint}`, 'broker.value');
}

/** Answers about the listing that a request names. */
export const ofSecurity = about((facts: Facts<'listings'>, { security }: { readonly security?: SecurityName | undefined }) =>
  locate(facts, security),
);

/** As {@link locate}, of a request for single trades, which an index that is made of other securities' has none of. */
export function locateTraded(facts: Facts<'listings'>, security: SecurityName | undefined): Listing | Refusal {
  const listing = locate(facts, security);
  if (listing instanceof Refusal || kinds[listing.instrument.kind].hasTrades) return listing;
  const { symbol, kind } = listing.instrument;
  return new Refusal(`${symbol} is ${kinds[kind].noun}: its members trade, it does not`);
}

/** As {@link locate}, of a request for terms, which instruments without quotes have as well. */
export function locateTerms({ listings }: Facts<'listings'>, security: SecurityName | undefined): Listing | Refusal {
  if (security === undefined) return missing(['security']);
  const listing = listings.find(security);
  if (listing === undefined) return listings.unknown(security);
  const { symbol, listDate } = listing.instrument;
  return listings.state(listing) === 'coming' ? new Refusal(`${symbol} is not listed before ${listDate}`, 'broker.not_listed') : listing;
}

/** The listings that a request for quotes names, in its order. One unknown symbol refuses the whole request, so that no answer is partial. */
export function locateAll(facts: Facts<'listings'>, securities: readonly SecurityName[], countMax: number): readonly Listing[] | Refusal {
  return locateEach(facts, securities, countMax, locate);
}

/** The listings of those that {@link locateAll} would not refuse, and the others with what it would say of them. */
export interface KnownListings {
  readonly listings: readonly Listing[];
  readonly missing: readonly SecurityName[];
  readonly reason: string;
}

export function locateKnown(facts: Facts<'listings'>, securities: readonly SecurityName[], countMax: number): KnownListings | Refusal {
  const refused = checkCount(securities, countMax);
  if (refused !== undefined) return refused;
  const listings: Listing[] = [];
  const missing: SecurityName[] = [];
  const reasons = new Set<string>();
  for (const security of securities) {
    const listing = locate(facts, security);
    if (listing instanceof Refusal) {
      missing.push(security);
      reasons.add(listing.message);
    } else listings.push(listing);
  }
  return { listings, missing, reason: together([...reasons]) };
}

/** As {@link locateAll}, of a request for terms. */
export function locateAllTerms(
  facts: Facts<'listings'>,
  securities: readonly SecurityName[],
  countMax: number,
): readonly Listing[] | Refusal {
  return locateEach(facts, securities, countMax, locateTerms);
}

function locateEach(
  facts: Facts<'listings'>,
  securities: readonly SecurityName[],
  countMax: number,
  locateOne: typeof locate,
): readonly Listing[] | Refusal {
  const miscounted = checkCount(securities, countMax);
  if (miscounted !== undefined) return miscounted;
  const listings: Listing[] = [];
  const refused: Refusal[] = [];
  for (const security of securities) {
    const listing = locateOne(facts, security);
    if (listing instanceof Refusal) refused.push(listing);
    else listings.push(listing);
  }
  return refused.length === 0 ? listings : allOf(refused);
}

/** One refusal of a list; its code is that of the first. */
export function allOf(refusals: readonly Refusal[]): Refusal {
  return new Refusal(together([...new Set(refusals.map(({ message }) => message))]), refusals[0]?.errCode);
}

function checkCount({ length }: readonly SecurityName[], countMax: number): Refusal | undefined {
  if (length === 0) return missing(['securityList'], 'name at least one');
  return length > countMax ? new Refusal(`${length} symbols: at most ${countMax} in one request`, 'broker.value') : undefined;
}

/** Finds a listing by number (SecurityStaticBasic.id) or by security; contracts that expire are named only by the latter. */
export function locateStock(
  facts: Facts<'world' | 'listings'>,
  { stockId, security }: { readonly stockId: bigint; readonly security?: { readonly market: number; readonly code: string } | undefined },
): Listing | Refusal {
  if (security !== undefined) {
    const named = locate(facts, security);
    if (named instanceof Refusal || stockId === 0n || named.instrument.id === stockId) return named;
    return new Refusal(`stock_id ${stockId} is not that of ${named.instrument.symbol}: name one of the two`);
  }
  if (stockId === 0n) return missing(['stock_id'], 'the number of a stock, or security in its place');
  const instrument = facts.world.instruments().find(({ id }) => id === stockId);
  if (instrument === undefined || !kinds[instrument.kind].quoted)
    return new Refusal(`stock_id ${stockId}: no stock has this number`, 'broker.unknown_code');
  const listing = facts.listings.of(instrument);
  return locate(facts, listing.security);
}

/** Answers about the listing that a request names in either way. */
export const ofStock = about(locateStock);
