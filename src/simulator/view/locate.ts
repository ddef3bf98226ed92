import { Refusal } from '../handler.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';

interface SecurityName {
  readonly market: number;
  readonly code: string;
}

/** The listing that a request names, or why there is none. A message's required security may be missing on a raw protocol connection. */
export function locate(facts: Facts<'listings'>, security: SecurityName | undefined): Listing | Refusal {
  if (security === undefined) return new Refusal('missing field "security"');
  return facts.listings.find(security) ?? new Refusal(facts.listings.describeUnknown(security));
}

/** The listings that a request names, in its order. One unknown symbol refuses the whole request, so that no answer is partial. */
export function locateAll(facts: Facts<'listings'>, securities: readonly SecurityName[], countMax: number): readonly Listing[] | Refusal {
  if (securities.length === 0) return new Refusal('no symbols: name at least one');
  if (securities.length > countMax) return new Refusal(`${securities.length} symbols: at most ${countMax} in one request`);
  const listings: Listing[] = [];
  for (const security of securities) {
    const listing = locate(facts, security);
    if (listing instanceof Refusal) return listing;
    listings.push(listing);
  }
  return listings;
}
