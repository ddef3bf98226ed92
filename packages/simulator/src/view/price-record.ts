import { joined, type PriceBounds, type Quote } from '../market/index.js';
import { atOnce } from '../pace.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';
import { rangeBetween } from './price-range.js';

/** Ranges of all days before a trading day, by symbol; undefined where none of them had a trade. */
const pastRanges: CacheKind<PriceBounds | undefined> = { max: 1_000 };

/** Symbols of a request whose histories are read: one of 30 years takes about 60 ms of processor time, once a day. */
export const HISTORIES_MAX = 8;

/**
 * Highest and lowest price of all day bars, the running one included, forward adjusted. Undefined for plates, whose history would have to be made of all
 * that their members ever traded.
 */
export function priceRecord(facts: Facts<'world' | 'market' | 'caches'>, listing: Listing, quote: Quote): PriceBounds | undefined {
  const opening = openingOf(facts, listing, quote);
  if (opening === undefined) return undefined;
  return joined(atOnce(prepareRecord(facts, listing, quote)), facts.market.range(listing.instrument, opening, Number.MAX_SAFE_INTEGER));
}

/** Works out what {@link priceRecord} takes long for, ready to pause; once a trading day. */
export function* prepareRecord(
  facts: Facts<'world' | 'market' | 'caches'>,
  listing: Listing,
  quote: Quote,
): Generator<void, PriceBounds | undefined> {
  const { market, caches } = facts;
  const { instrument } = listing;
  const opening = openingOf(facts, listing, quote);
  if (opening === undefined) return undefined;
  return yield* caches.inTurns(pastRanges, instrument.symbol, opening, function* () {
    const [first] = market.bars(instrument, { unit: 'day' }, { from: Number.MIN_SAFE_INTEGER, limit: 1 });
    return first === undefined ? undefined : yield* rangeBetween(market, instrument, first.start, opening);
  });
}

/** When the trading day of a quote begins; undefined for plates, and where there is no such day. */
function openingOf({ world }: Facts<'world'>, { instrument }: Listing, { tradingDay }: Quote): number | undefined {
  return instrument.kind === 'plate' ? undefined : world.calendar(instrument).sessions(tradingDay)[0]?.start;
}
