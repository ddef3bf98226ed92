import type { Bar, BarPeriod, PriceAdjustment } from '../market/market.js';
import { type Hours, inHours, labelTime } from './bars.js';
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

export interface HistoryPage {
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
    yield* facts.market.prepareBars(listing.instrument, period, { from, to, limit });
    const found = facts.market.bars(listing.instrument, period, { from, to, limit }, adjustment);
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
    yield* market.prepareBars(listing.instrument, period, { ...range, limit });
    const found = market.bars(listing.instrument, period, { ...range, limit }, adjustment);
    newestFirst.push(found);
    wanted -= found.length;
    const [oldest] = found;
    if (oldest === undefined || found.length < limit || wanted === 0) return ([] as readonly Bar[]).concat(...newestFirst.reverse());
    range = { to: oldest.start };
    yield;
  }
}
