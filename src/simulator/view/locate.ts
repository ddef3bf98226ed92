import { Refusal } from '../handler.js';
import type { Listing } from './listings.js';
import type { QuoteSimulation } from './quote-simulation.js';

interface SecurityName {
  readonly market: number;
  readonly code: string;
}

/** The listing that a request names, or why there is none. A message's required security may be missing on a raw protocol connection. */
export function locate(simulation: QuoteSimulation, security: SecurityName | undefined): Listing | Refusal {
  if (security === undefined) return new Refusal('missing field "security"');
  return simulation.listings.find(security) ?? new Refusal(simulation.listings.describeUnknown(security));
}

/** The listings that a request names, in its order. One unknown symbol refuses the whole request, so that no answer is partial. */
export function locateAll(
  simulation: QuoteSimulation,
  securities: readonly SecurityName[],
  countMax: number,
): readonly Listing[] | Refusal {
  if (securities.length === 0) return new Refusal('no symbols: name at least one');
  if (securities.length > countMax) return new Refusal(`${securities.length} symbols: at most ${countMax} in one request`);
  const listings: Listing[] = [];
  for (const security of securities) {
    const listing = locate(simulation, security);
    if (listing instanceof Refusal) return listing;
    listings.push(listing);
  }
  return listings;
}
