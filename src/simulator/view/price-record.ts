import { FACTOR_ONE, joined, type Market, type PriceBounds, type Quote } from '../market/index.js';
import { inTurns } from '../pace.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';
import { rangeBetween } from './price-range.js';

interface WholeDays {
  /** They start before this moment (epoch ms), at which the trading day begins. */
  readonly until: number;
  /** Undefined where none of them had a trade. */
  readonly range: PriceBounds | undefined;
}

const remembered = new WeakMap<Market, WeakMap<Listing, WholeDays>>();

/** Symbols of a request whose histories are read: one of 30 years takes about 60 ms of processor time, once. */
export const HISTORIES_MAX = 8;

/**
 * Highest and lowest price of all day bars, the running one included, forward adjusted. Undefined before {@link prepareRecords} has read the history, and
 * for plates, whose history would have to be made of all that their members ever traded.
 */
export function priceRecord({ world, market }: Facts<'world' | 'market'>, listing: Listing, quote: Quote): PriceBounds | undefined {
  const known = remembered.get(market)?.get(listing);
  const opening = openingOf(world, listing, quote);
  if (known === undefined || known.until !== opening) return undefined;
  return joined(known.range, market.range(listing.instrument, opening, Number.MAX_SAFE_INTEGER));
}

/** Brings the records of symbols up to the trading day; undefined when there is nothing to do. */
export function prepareRecords(facts: Facts<'world' | 'market'>, listings: readonly Listing[]): Promise<void> | undefined {
  const work = workOutAll(facts, listings);
  const first = work.next();
  return first.done ? undefined : Promise.resolve(inTurns(work));
}

function* workOutAll({ world, market }: Facts<'world' | 'market'>, listings: readonly Listing[]): Generator<void, void> {
  const records = remembered.get(market) ?? new WeakMap<Listing, WholeDays>();
  remembered.set(market, records);
  for (const listing of listings) {
    const { instrument } = listing;
    if (instrument.kind === 'plate') continue;
    const until = openingOf(world, listing, market.quote(instrument));
    const known = records.get(listing);
    if (until === undefined || known?.until === until) continue;
    yield;
    // A dividend or a split since then has changed what earlier prices are adjusted by.
    const isComparable =
      known !== undefined && known.until < until && market.adjustmentFactor(instrument, 'forward', known.until - 1) === FACTOR_ONE;
    if (isComparable) {
      records.set(listing, { until, range: joined(known.range, yield* rangeBetween(market, instrument, known.until, until)) });
      continue;
    }
    const [first] = market.bars(instrument, { unit: 'day' }, { from: Number.MIN_SAFE_INTEGER, limit: 1 });
    const range = first === undefined ? undefined : yield* rangeBetween(market, instrument, first.start, until);
    records.set(listing, { until, range });
  }
}

/** When the trading day of a quote begins. */
function openingOf(world: Facts<'world'>['world'], { instrument }: Listing, { tradingDay }: Quote): number | undefined {
  return world.calendar(instrument).sessions(tradingDay)[0]?.start;
}
