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

/** Highest and lowest trade of the 52 weeks up to now. */
export function yearRange(simulation: QuoteSimulation, listing: Listing, quote: Quote): PriceRange {
  let ranges = remembered.get(simulation);
  if (ranges === undefined) {
    ranges = new Map();
    remembered.set(simulation, ranges);
  }
  let entry = ranges.get(listing);
  if (entry?.tradingDay !== quote.tradingDay) {
    entry = { tradingDay: quote.tradingDay, before: daysBefore(simulation, listing, quote.tradingDay) };
    ranges.set(listing, entry);
  }
  const { before } = entry;
  return {
    high: before !== undefined && before.high > quote.high ? before.high : quote.high,
    low: before !== undefined && before.low < quote.low ? before.low : quote.low,
  };
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
