import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { requireDay } from '@svc-gateway/contract/time';
import type { Bar, BarPeriod } from '../market/index.js';
import { atOnce } from '../pace.js';
import { type Calendar, marketCalendar } from '../world/index.js';
import type { Facts } from './facts.js';
import { newestBars } from './history-bars.js';
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

/** The newest bars without the one that is still running. */
export function completeOf(
  { world, clock }: Facts<'world' | 'clock'>,
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

/** Stamp of what follows from a market's listings and its complete days: the listings change by the date, the days at the close. */
export function completeDayStamp({ world, clock }: Facts<'world' | 'clock'>, market: QuoteMarket): string {
  const calendar = marketCalendar(market);
  return `${world.today(calendar)} ${lastCompleteDay(world.calendar(calendar), clock.now())}`;
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
