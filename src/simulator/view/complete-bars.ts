import { requireDay } from '../../contract/time.js';
import type { Bar, BarPeriod } from '../market/index.js';
import { atOnce } from '../pace.js';
import type { Calendar } from '../world/index.js';
import type { Facts } from './facts.js';
import { newestBars } from './history-bars.js';
import { keptBars } from './kept-bars.js';
import type { Listing } from './listings.js';

/** The newest `count` bars that no trade can change any more, oldest first, forward adjusted. */
export function completeBars(
  facts: Facts<'clock' | 'world' | 'market'>,
  listing: Listing,
  period: BarPeriod,
  count: number,
): readonly Bar[] {
  return completeOf(facts, listing, period, atOnce(newestBars(facts, listing, period, 'forward', count + 1))).slice(-count);
}

/** As {@link completeBars}, of symbols that are asked for again and again: bars of days and longer ones are kept. */
export function keptCompleteBars(
  facts: Facts<'clock' | 'world' | 'market'>,
  listing: Listing,
  period: BarPeriod,
  count: number,
): readonly Bar[] {
  return completeOf(facts, listing, period, atOnce(keptBars(facts, listing, period, 'forward', count + 1))).slice(-count);
}

/** The newest bars without the one that is still running. */
function completeOf(
  { world, clock }: Facts<'clock' | 'world'>,
  { instrument }: Listing,
  period: BarPeriod,
  bars: readonly Bar[],
): readonly Bar[] {
  const last = bars.at(-1);
  return last === undefined || isComplete(world.calendar(instrument), period, last, clock.now()) ? bars : bars.slice(0, -1);
}

/** Days of regular trading that are over, seen from `now`: names what bars of days and longer are known. */
export function lastCompleteDay(calendar: Calendar, now: number): string {
  const day = calendar.tradingDay(now);
  const end = calendar.sessions(day).findLast(({ kind }) => kind === 'regular')?.end ?? now;
  return end <= now ? day : calendar.previousTradingDay(day);
}

function isComplete(calendar: Calendar, period: BarPeriod, bar: Bar, now: number): boolean {
  if (period.unit === 'minute') return bar.end <= now;
  const over = lastCompleteDay(calendar, now);
  const key = keyOf(period, calendar.tradingDay(bar.start));
  return key <= keyOf(period, over) && key < keyOf(period, calendar.nextTradingDay(over));
}

/** Rises from bar to bar. Weeks begin on Monday. */
function keyOf({ unit }: BarPeriod, day: string): number {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  switch (unit) {
    case 'week':
      return Math.floor((requireDay(day) + 3) / 7);
    case 'month':
      return year * 12 + month;
    case 'quarter':
      return year * 4 + Math.floor((month - 1) / 3);
    case 'year':
      return year;
    default:
      return requireDay(day);
  }
}
