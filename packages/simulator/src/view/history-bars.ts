import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { requireDay } from '@svc-gateway/contract/time';
import { periodOf } from '../market/bars.js';
import type { Bar, BarPeriod, PriceAdjustment } from '../market/market.js';
import { atOnce } from '../pace.js';
import { type Calendar, marketCalendar } from '../world/index.js';
import { type Hours, inHours, labelTime } from './bars.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';

/** Bars that a history read covers. `first` and `last` bound the time that names a bar, inclusive, epoch ms. */
export interface HistoryRange {
  readonly period: BarPeriod;
  readonly adjustment: PriceAdjustment;
  readonly hours: Hours;
  readonly first: number;
  readonly last: number;
}

interface HistoryPage {
  readonly bars: readonly Bar[];
  /** Start of the first bar of the next page; undefined on the last one. */
  readonly next: number | undefined;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A night session belongs to a trading day that may come after a weekend and holidays: how long before its date a day's bar may start. */
const EVE_MS = 12 * DAY_MS;

/**
 * How many bars of a period are read without a pause: those of about a month, or of two hours. Less than a millisecond's worth, where nobody has asked for
 * these days before.
 */
const barsAtOnce: Readonly<Record<BarPeriod['unit'], number>> = { minute: 120, day: 20, week: 4, month: 1, quarter: 1, year: 1 };
/**
 * Up to `count` bars of a range, oldest first, from the bar that starts at `resume` on (from the first one without it). Pauses between
 * turns: for `inTurns`. The market is read for as many bars as are still wanted, so that a page costs what it holds and not what the range
 * holds.
 */
export function* historyPage(
  facts: Facts<'clock' | 'world' | 'market'>,
  listing: Listing,
  range: HistoryRange,
  count: number,
  resume: number | undefined,
): Generator<void, HistoryPage> {
  const { period, adjustment, hours, first, last } = range;
  const earliest = first - (period.unit === 'minute' ? period.count * MINUTE_MS : EVE_MS);
  // A day's bar starts after the midnight that names it.
  const to = Math.min(last + DAY_MS, facts.clock.now() + 1);

  const bars: Bar[] = [];
  let from = Math.max(earliest, resume ?? earliest);
  for (;;) {
    const limit = Math.min(count + 1 - bars.length, barsAtOnce[period.unit]);
    const found = yield* facts.market.barsInTurns(listing.instrument, period, { from, to, limit }, adjustment);
    for (const bar of found) {
      const label = labelTime(facts, listing, period, bar);
      if (label < first || label > last || !inHours(facts, listing, period, bar, hours)) continue;
      if (bars.length === count) return { bars, next: bar.start };
      bars.push(bar);
    }
    const end = found.at(-1);
    if (end === undefined || found.length < limit) return { bars, next: undefined };
    from = end.start + 1;
    yield;
  }
}

/** The newest `count` bars, of those that start before `to` where it is given; oldest first, the running one last. Pauses as {@link historyPage} does. */
export function* newestBars(
  { market }: Facts<'market'>,
  listing: Listing,
  period: BarPeriod,
  adjustment: PriceAdjustment,
  count: number,
  to?: number,
): Generator<void, readonly Bar[]> {
  const newestFirst: (readonly Bar[])[] = [];
  let wanted = count;
  let range: { readonly to?: number } = to === undefined ? {} : { to };
  for (;;) {
    const limit = Math.min(wanted, barsAtOnce[period.unit]);
    const found = yield* market.barsInTurns(listing.instrument, period, { ...range, limit }, adjustment);
    newestFirst.push(found);
    wanted -= found.length;
    const [oldest] = found;
    if (oldest === undefined || found.length < limit || wanted === 0) return ([] as readonly Bar[]).concat(...newestFirst.reverse());
    range = { to: oldest.start };
    yield;
  }
}

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
  const keyOf = (day: string) => periodOf({ day, number: requireDay(day) }, period);
  const key = keyOf(calendar.tradingDay(bar.start));
  return key <= keyOf(over) && key < keyOf(calendar.nextTradingDay(over));
}
