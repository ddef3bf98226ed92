import { missing, Refusal } from '../refusal.js';
import { kinds } from '../world/kinds.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';
import { locate } from './locate.js';

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
