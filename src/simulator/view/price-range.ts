import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Decimal } from '../../contract/decimal.js';
import type { Quote } from '../market/market.js';
import type { Listing } from './listings.js';
import type { QuoteSimulation } from './quote-simulation.js';

export interface PriceRange {
  readonly high: Decimal;
  readonly low: Decimal;
}

interface Remembered {
  readonly tradingDay: string;
  /** Of the days before `tradingDay`; undefined for an instrument's first day. */
  readonly before: PriceRange | undefined;
}

const YEAR_MS = 52 * 7 * 86_400_000;

// Whole days do not change any more, so their range is worked out once a trading day.
const remembered = new WeakMap<QuoteSimulation, Map<Listing, Remembered>>();

/** Highest and lowest regular trade of the 52 weeks up to now. */
export function yearRange(simulation: QuoteSimulation, listing: Listing, quote: Quote): PriceRange {
  const { before } = rememberedRange(simulation, listing, quote) ?? workOut(simulation, listing, quote);
  return {
    high: before !== undefined && before.high > quote.high ? before.high : quote.high,
    low: before !== undefined && before.low < quote.low ? before.low : quote.low,
  };
}

/** How many ranges may be worked out (milliseconds each) before others get their turn. */
const RANGES_PER_TURN = 8;

/**
 * Works out the ranges that a request about many symbols needs, a few a turn, so that it does not hold up everybody
 * else. Undefined when there is next to nothing to do.
 */
export function prepareYearRanges(simulation: QuoteSimulation, listings: readonly Listing[]): Promise<void> | undefined {
  const missing = listings.filter((listing) => {
    return rememberedRange(simulation, listing, simulation.market.quote(listing.instrument)) === undefined;
  });
  return missing.length <= RANGES_PER_TURN ? undefined : workOutInTurns(simulation, missing);
}

async function workOutInTurns(simulation: QuoteSimulation, listings: readonly Listing[]): Promise<void> {
  for (const [index, listing] of listings.entries()) {
    if (index % RANGES_PER_TURN === 0) await nextTurn();
    workOut(simulation, listing, simulation.market.quote(listing.instrument));
  }
}

function rememberedRange(simulation: QuoteSimulation, listing: Listing, { tradingDay }: Quote): Remembered | undefined {
  const range = remembered.get(simulation)?.get(listing);
  return range?.tradingDay === tradingDay ? range : undefined;
}

function workOut(simulation: QuoteSimulation, listing: Listing, { tradingDay }: Quote): Remembered {
  let ranges = remembered.get(simulation);
  if (ranges === undefined) {
    ranges = new Map();
    remembered.set(simulation, ranges);
  }
  const range = { tradingDay, before: daysBefore(simulation, listing, tradingDay) };
  ranges.set(listing, range);
  return range;
}

function daysBefore(simulation: QuoteSimulation, listing: Listing, tradingDay: string): PriceRange | undefined {
  const to = simulation.world.calendar(listing.instrument).sessions(tradingDay)[0]?.start ?? simulation.clock.now();
  let range: PriceRange | undefined;
  for (const { high, low } of simulation.market.bars(listing.instrument, { unit: 'day' }, { from: to - YEAR_MS, to })) {
    range = {
      high: range === undefined || high > range.high ? high : range.high,
      low: range === undefined || low < range.low ? low : range.low,
    };
  }
  return range;
}
