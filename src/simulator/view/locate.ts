import { Refusal } from '../handler.js';
import { kinds } from '../world/kinds.js';
import type { Listing } from './listings.js';
import type { QuoteSimulation } from './quote-simulation.js';

interface SecurityName {
  readonly market: number;
  readonly code: string;
}

/**
 * The listing that a request for quotes names, or why there is none: not known, not listed yet, or of a kind without quotes. What has
 * expired or been delisted shows its last day. A message's required security may be missing on a raw protocol connection.
 */
export function locate(simulation: QuoteSimulation, security: SecurityName | undefined): Listing | Refusal {
  const listing = locateTerms(simulation, security);
  if (listing instanceof Refusal) return listing;
  const { symbol, kind } = listing.instrument;
  const { quoted, noun } = kinds[kind];
  return quoted ? listing : new Refusal(`${symbol} is ${noun}: the simulation knows its terms, but does not quote it`);
}

/** As {@link locate}, of a request for terms, which instruments without quotes have as well. */
export function locateTerms(simulation: QuoteSimulation, security: SecurityName | undefined): Listing | Refusal {
  if (security === undefined) return new Refusal('missing field "security"');
  const listing = simulation.listings.find(security);
  if (listing === undefined) return new Refusal(simulation.listings.describeUnknown(security));
  // Nearly always; a night session may begin on the evening before.
  if (simulation.clock.now() >= listing.listTimestamp * 1000) return listing;
  const { symbol, listDate } = listing.instrument;
  return simulation.world.state(listing.instrument) === 'coming' ? new Refusal(`${symbol} is not listed before ${listDate}`) : listing;
}

/** The listings that a request for quotes names, in its order. One unknown symbol refuses the whole request, so that no answer is partial. */
export function locateAll(
  simulation: QuoteSimulation,
  securities: readonly SecurityName[],
  countMax: number,
): readonly Listing[] | Refusal {
  return locateEach(simulation, securities, countMax, locate);
}

/** As {@link locateAll}, of a request for terms. */
export function locateAllTerms(
  simulation: QuoteSimulation,
  securities: readonly SecurityName[],
  countMax: number,
): readonly Listing[] | Refusal {
  return locateEach(simulation, securities, countMax, locateTerms);
}

function locateEach(
  simulation: QuoteSimulation,
  securities: readonly SecurityName[],
  countMax: number,
  locateOne: typeof locate,
): readonly Listing[] | Refusal {
  if (securities.length === 0) return new Refusal('no symbols: name at least one');
  if (securities.length > countMax) return new Refusal(`${securities.length} symbols: at most ${countMax} in one request`);
  const listings: Listing[] = [];
  for (const security of securities) {
    const listing = locateOne(simulation, security);
    if (listing instanceof Refusal) return listing;
    listings.push(listing);
  }
  return listings;
}
