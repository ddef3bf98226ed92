import { joined, type Market, type PriceBounds, type Quote } from '../market/index.js';
import { atOnce, inTurns } from '../pace.js';
import type { Instrument } from '../world/instrument.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';

interface Remembered {
  readonly tradingDay: string;
  /** Range of the days before `tradingDay`; undefined for an instrument's first day. */
  readonly before: PriceBounds | undefined;
}

const WEEK_MS = 7 * 86_400_000;
const YEAR_MS = 52 * WEEK_MS;
/** Days looked at without a pause: those whose extremes are known before any of their trades, those that are made for them, and those of a plate with all of its members. */
const PART_MS = { outlined: 13 * WEEK_MS, made: WEEK_MS, ofMembers: WEEK_MS / 7 };

function partOf({ kind }: Instrument): number {
  if (kind === 'plate') return PART_MS.ofMembers;
  return kind === 'forex' || kind === 'future' || kind === 'option' || kind === 'warrant' ? PART_MS.made : PART_MS.outlined;
}

// Whole days do not change any more, so their range is worked out once a trading day.
const remembered = new WeakMap<Market, WeakMap<Listing, Remembered>>();

/** Highest and lowest regular trade of the 52 weeks up to now, at prices that dividends and splits since then are taken off. */
export function yearRange(facts: Facts<'clock' | 'world' | 'market'>, listing: Listing, quote: Quote): PriceBounds {
  const { before } = rememberedRange(facts, listing, quote) ?? atOnce(workOut(facts, listing, quote));
  return {
    high: before !== undefined && before.high > quote.high ? before.high : quote.high,
    low: before !== undefined && before.low < quote.low ? before.low : quote.low,
  };
}

/** How many symbols may be looked at that nobody asked for yet (milliseconds each) before others get their turn. */
const NEW_SYMBOLS_A_TURN = 1;

/**
 * Works out the quotes and ranges that a request about many symbols needs, a few a turn, so that it does not hold up everybody
 * else. Undefined when there is next to nothing to do.
 */
export function prepareYearRanges(facts: Facts<'clock' | 'world' | 'market'>, listings: readonly Listing[]): Promise<void> | undefined {
  const ranges = remembered.get(facts.market);
  const fresh = listings.filter((listing) => {
    // Only of those that were looked at before does it cost next to nothing to know.
    if (ranges?.get(listing) === undefined) return true;
    return rememberedRange(facts, listing, facts.market.quote(listing.instrument)) === undefined;
  });
  if (fresh.length <= NEW_SYMBOLS_A_TURN && fresh.every(({ instrument }) => instrument.kind !== 'plate')) return undefined;
  return Promise.resolve(inTurns(workOutAll(facts, fresh)));
}

function* workOutAll(facts: Facts<'clock' | 'world' | 'market'>, listings: readonly Listing[]): Generator<void, void> {
  for (const listing of listings) {
    const quote = facts.market.quote(listing.instrument);
    yield;
    yield* workOut(facts, listing, quote);
    yield;
  }
}

function rememberedRange(facts: Facts<'market'>, listing: Listing, { tradingDay }: Quote): Remembered | undefined {
  const range = remembered.get(facts.market)?.get(listing);
  return range?.tradingDay === tradingDay ? range : undefined;
}

function* workOut(facts: Facts<'clock' | 'world' | 'market'>, listing: Listing, { tradingDay }: Quote): Generator<void, Remembered> {
  let ranges = remembered.get(facts.market);
  if (ranges === undefined) {
    ranges = new WeakMap();
    remembered.set(facts.market, ranges);
  }
  const range = { tradingDay, before: yield* daysBefore(facts, listing, tradingDay) };
  ranges.set(listing, range);
  return range;
}

function* daysBefore(
  facts: Facts<'clock' | 'world' | 'market'>,
  { instrument }: Listing,
  tradingDay: string,
): Generator<void, PriceBounds | undefined> {
  const end = facts.world.calendar(instrument).sessions(tradingDay)[0]?.start ?? facts.clock.now();
  return yield* rangeBetween(facts.market, instrument, end - YEAR_MS, end);
}

/** {@link Market.range}, ready to pause. */
export function* rangeBetween(market: Market, instrument: Instrument, from: number, to: number): Generator<void, PriceBounds | undefined> {
  let range: PriceBounds | undefined;
  const length = partOf(instrument);
  for (let start = from; start < to; start += length) {
    range = joined(range, market.range(instrument, start, Math.min(start + length, to)));
    yield;
  }
  return range;
}
