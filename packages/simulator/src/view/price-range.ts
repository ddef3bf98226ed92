import { joined, type Market, type PriceBounds, type Quote } from '../market/index.js';
import { atOnce } from '../pace.js';
import type { Instrument } from '../world/instrument.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';

const WEEK_MS = 7 * 86_400_000;
const YEAR_MS = 52 * WEEK_MS;
/** Days looked at without a pause: those whose extremes are known before any of their trades, those that are made for them, and those of a plate with all of its members. */
const PART_MS = { outlined: 13 * WEEK_MS, made: WEEK_MS, ofMembers: WEEK_MS / 7 };

function partOf({ kind }: Instrument): number {
  if (kind === 'plate') return PART_MS.ofMembers;
  return kind === 'forex' || kind === 'future' || kind === 'option' || kind === 'warrant' ? PART_MS.made : PART_MS.outlined;
}

/** Ranges of the days before a trading day, by symbol; undefined for an instrument's first day. */
const pastRanges: CacheKind<PriceBounds | undefined> = { max: 40_000 };

/** Highest and lowest regular trade of the 52 weeks up to now, at prices that dividends and splits since then are taken off. */
export function yearRange(facts: Facts<'clock' | 'world' | 'market' | 'caches'>, listing: Listing, quote: Quote): PriceBounds {
  const before = atOnce(prepareYearRange(facts, listing, quote));
  return {
    high: before !== undefined && before.high > quote.high ? before.high : quote.high,
    low: before !== undefined && before.low < quote.low ? before.low : quote.low,
  };
}

/** Works out what {@link yearRange} takes long for, ready to pause; once a trading day. */
export function* prepareYearRange(
  { clock, world, market, caches }: Facts<'clock' | 'world' | 'market' | 'caches'>,
  { instrument }: Listing,
  { tradingDay }: Quote,
): Generator<void, PriceBounds | undefined> {
  return yield* caches.inTurns(pastRanges, instrument.symbol, tradingDay, () => {
    const end = world.calendar(instrument).sessions(tradingDay)[0]?.start ?? clock.now();
    return rangeBetween(market, instrument, end - YEAR_MS, end);
  });
}

/** {@link Market.range}, ready to pause. */
function* rangeBetween(market: Market, instrument: Instrument, from: number, to: number): Generator<void, PriceBounds | undefined> {
  let range: PriceBounds | undefined;
  const length = partOf(instrument);
  for (let start = from; start < to; start += length) {
    range = joined(range, market.range(instrument, start, Math.min(start + length, to)));
    yield;
  }
  return range;
}

/** Ranges of all days before a trading day, by symbol; undefined where none of them had a trade. */
const recordedRanges: CacheKind<PriceBounds | undefined> = { max: 1_000 };

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
  return yield* caches.inTurns(recordedRanges, instrument.symbol, opening, function* () {
    const [first] = market.bars(instrument, { unit: 'day' }, { from: Number.MIN_SAFE_INTEGER, limit: 1 });
    return first === undefined ? undefined : yield* rangeBetween(market, instrument, first.start, opening);
  });
}

/** When the trading day of a quote begins; undefined for plates, and where there is no such day. */
function openingOf({ world }: Facts<'world'>, { instrument }: Listing, { tradingDay }: Quote): number | undefined {
  return instrument.kind === 'plate' ? undefined : world.calendar(instrument).sessions(tradingDay)[0]?.start;
}
