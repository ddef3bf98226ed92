import type { Quote } from '../market/market.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';
import { changeFrom, pastCloses } from './past-closes.js';

const MINUTE_MS = 60_000;
const CHANGE_MINUTES = 5;

/**
 * The last price of regular hours against the price five minutes before, in percent: the close of the last minute that had ended by then. When the
 * market is closed: over the last five minutes of trading.
 */
export function recentChange(
  { clock, world, market }: Facts<'clock' | 'world' | 'market'>,
  { instrument }: Listing,
  { last, tradingDay }: Quote,
): number | undefined {
  const sessions = world.calendar(instrument).sessions(tradingDay);
  const now = clock.now();
  // Before the day's first session of regular hours, its last price is the close before.
  const session = sessions.findLast(({ kind, start }) => kind === 'regular' && start <= now);
  if (session === undefined) return 0;
  const end = Math.floor(Math.min(now, session.end) / MINUTE_MS) * MINUTE_MS;
  const to = end - CHANGE_MINUTES * MINUTE_MS;
  const [before] = market.bars(instrument, { unit: 'minute', count: 1 }, { to: Math.max(to, session.start), limit: 1 }, 'forward');
  return changeFrom(before?.close, last);
}

/**
 * Volume for each minute of regular trading today ÷ that of the five days before. 1: as busy as usual. Undefined before the first minute and
 * without days before.
 */
export function volumeRatio(
  facts: Facts<'clock' | 'world' | 'market'>,
  listing: Listing,
  { volume, tradingDay }: Quote,
): number | undefined {
  const { meanVolume } = pastCloses(facts, listing);
  const now = facts.clock.now();
  let [passed, whole] = [0, 0];
  for (const { kind, start, end } of facts.world.calendar(listing.instrument).sessions(tradingDay)) {
    if (kind !== 'regular') continue;
    whole += end - start;
    passed += Math.max(0, Math.min(now, end) - start);
  }
  if (meanVolume === undefined || meanVolume === 0 || passed === 0) return undefined;
  return Math.round((Number(volume) / passed / (meanVolume / whole)) * 1000) / 1000;
}
