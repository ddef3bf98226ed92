import type { Decimal } from '@svc-gateway/contract/decimal';
import { addDays } from '@svc-gateway/contract/time';
import type { Calendar } from '../world/calendar.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import { percent } from './figures.js';
import type { Listing } from './listings.js';

/** Trading days over which changes are told. */
const CHANGE_DAYS = [5, 10, 20, 60, 120, 250] as const;
export type ChangeDays = (typeof CHANGE_DAYS)[number];

/** Closes before a trading day, forward adjusted as of it; undefined where nothing had been traded yet. */
export interface PastCloses {
  /** So many trading days before the day. */
  readonly back: Readonly<Record<ChangeDays, Decimal | undefined>>;
  /** Close of the last trading day of the previous year. */
  readonly lastYear: Decimal | undefined;
}

const closes: CacheKind<PastCloses> = { max: 40_000 };

/** Closes before the current trading day; worked out once a day. */
export function pastCloses(facts: Facts<'clock' | 'world' | 'market' | 'caches'>, listing: Listing): PastCloses {
  const { instrument } = listing;
  const calendar = facts.world.calendar(instrument);
  const { tradingDay } = facts.market.quote(instrument);
  return facts.caches.get(closes, instrument.symbol, tradingDay, () => work(facts, listing, calendar, tradingDay));
}

/** The change from a past close to a price, in percent; undefined where there was none. */
export function changeFrom(close: Decimal | undefined, price: Decimal): number | undefined {
  return close === undefined || close === 0n ? undefined : percent(price - close, close);
}

/** Longer than 250 trading days with every holiday, and than a year. */
const LOOK_BACK_DAYS = 420;

function work({ market }: Facts<'market'>, { instrument }: Listing, calendar: Calendar, tradingDay: string): PastCloses {
  const days = daysBefore(calendar, tradingDay);
  const closeOn = (day: string | undefined) => {
    if (day === undefined) return undefined;
    const next = calendar.nextTradingDay(day);
    const start = calendar.sessions(next)[0]?.start ?? 0;
    const [newest] = market.bars(instrument, { unit: 'day' }, { to: start, limit: 1 }, 'forward');
    if (newest !== undefined) return newest.close;
    // On its first day a listing counts from the previous close: newcomers from their offer price.
    const [first] = market.bars(instrument, { unit: 'day' }, { from: start, limit: 1 }, 'forward');
    return first !== undefined && calendar.tradingDay(first.start) === next ? first.previousClose : undefined;
  };
  const back: Partial<Record<ChangeDays, Decimal | undefined>> = {};
  for (const count of CHANGE_DAYS) back[count] = closeOn(days.at(-count));
  return {
    back: back as Record<ChangeDays, Decimal | undefined>,
    lastYear: closeOn(days.findLast((day) => day.slice(0, 4) < tradingDay.slice(0, 4))),
  };
}

let lastAsked: { readonly calendar: Calendar; readonly tradingDay: string; readonly days: readonly string[] } | undefined;

/** Trading days of {@link LOOK_BACK_DAYS} before a day, oldest first. A ranking asks for the same ones for every share of a market. */
export function daysBefore(calendar: Calendar, tradingDay: string): readonly string[] {
  if (lastAsked?.calendar !== calendar || lastAsked.tradingDay !== tradingDay) {
    const dates = calendar.tradingDays(addDays(tradingDay, -LOOK_BACK_DAYS), addDays(tradingDay, -1));
    lastAsked = { calendar, tradingDay, days: dates.map(({ day }) => day) };
  }
  return lastAsked.days;
}
