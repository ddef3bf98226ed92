import type { Bar, BarPeriod, PriceAdjustment } from '../market/index.js';
import type { Market } from '../market/market.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Facts } from './facts.js';
import { newestBars } from './history-bars.js';
import type { Listing } from './listings.js';

/** Bars of one symbol and period read so far. */
interface Past {
  /** The newest bar when they were read: it may still change, and is none of them. */
  readonly newest: number;
  readonly tradingDay: string;
  /** Oldest first, without a gap up to the newest one. */
  readonly bars: readonly Bar[];
  /** Whether nothing is older. */
  readonly isAll: boolean;
}

/** Cached series, by symbol, period and adjustment: a thousand bars of about a kilobyte each. */
const REMEMBERED = 16;
const remembered = new WeakMap<Market, LruCache<string, { past: Past | undefined }>>();

/**
 * As {@link newestBars}. Bars of days and longer ones that are over are the same objects throughout a trading day, so that others may remember what they make of
 * them: those of minutes are always, as the market remembers them.
 */
export function* keptBars(
  facts: Facts<'market'>,
  listing: Listing,
  period: BarPeriod,
  adjustment: PriceAdjustment,
  count: number,
): Generator<void, readonly Bar[]> {
  if (period.unit === 'minute') return yield* newestBars(facts, listing, period, adjustment, count);
  const { market } = facts;
  const { instrument } = listing;
  const kept = remembered.get(market) ?? new LruCache<string, { past: Past | undefined }>(REMEMBERED);
  remembered.set(market, kept);
  const known = kept.get(`${instrument.symbol} ${period.unit} ${adjustment}`, () => ({ past: undefined }));
  const [newest] = yield* newestBars(facts, listing, period, adjustment, 1);
  if (newest === undefined) return [];
  const wanted = count - 1;
  // Callers trade in the current day alone, and what goes ex adjusts the bars of the days before it.
  const { tradingDay } = market.quote(instrument);
  let { past } = known;
  if (past?.newest !== newest.start || past.tradingDay !== tradingDay) past = { newest: newest.start, tradingDay, bars: [], isAll: false };
  if (past.bars.length < wanted && !past.isAll) {
    const missing = wanted - past.bars.length;
    const older = yield* newestBars(facts, listing, period, adjustment, missing, past.bars[0]?.start ?? newest.start);
    past = { ...past, bars: [...older, ...past.bars], isAll: older.length < missing };
    known.past = past;
  }
  return [...past.bars.slice(Math.max(0, past.bars.length - wanted)), newest];
}
