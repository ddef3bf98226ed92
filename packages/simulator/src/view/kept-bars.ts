import type { Bar, BarPeriod, PriceAdjustment } from '../market/index.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import { newestBars } from './history-bars.js';
import type { Listing } from './listings.js';

/** Past bars of a symbol, a period and an adjustment. */
interface Past {
  /** Oldest first, without a gap up to the newest one, which may still change and is none of them. */
  readonly bars: readonly Bar[];
  /** Whether nothing is older. */
  readonly isAll: boolean;
}

/** At a thousand bars of about a kilobyte with what is made of them. */
const pastBars: CacheKind<Past> = { max: 32 };

/**
 * As {@link newestBars}. Bars of days and longer ones that are over are the same objects throughout a trading day, so that others may remember what they make of
 * them: those of minutes are always, as the market remembers them.
 */
export function* keptBars(
  facts: Facts<'market' | 'caches'>,
  listing: Listing,
  period: BarPeriod,
  adjustment: PriceAdjustment,
  count: number,
): Generator<void, readonly Bar[]> {
  if (period.unit === 'minute') return yield* newestBars(facts, listing, period, adjustment, count);
  const { market, caches } = facts;
  const { instrument } = listing;
  const [newest] = yield* newestBars(facts, listing, period, adjustment, 1);
  if (newest === undefined) return [];
  const wanted = count - 1;
  // Callers trade in the current day alone, and what goes ex adjusts the bars of the days before it.
  const key = `${instrument.symbol} ${period.unit} ${adjustment}`;
  const stamp = `${newest.start} ${market.quote(instrument).tradingDay}`;
  let past = caches.known(pastBars, key, stamp)?.made ?? { bars: [], isAll: false };
  if (past.bars.length < wanted && !past.isAll) {
    const missing = wanted - past.bars.length;
    const older = yield* newestBars(facts, listing, period, adjustment, missing, past.bars[0]?.start ?? newest.start);
    past = caches.keep(pastBars, key, stamp, { bars: [...older, ...past.bars], isAll: older.length < missing });
  }
  return [...past.bars.slice(Math.max(0, past.bars.length - wanted)), newest];
}
