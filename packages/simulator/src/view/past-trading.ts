import type { Decimal } from '@svc-gateway/contract/decimal';
import { addDays, dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import type { Quote } from '../market/index.js';
import { atOnce } from '../pace.js';
import type { Calendar } from '../world/calendar.js';
import type { Instrument } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import { percent, threePlaces } from './figures.js';
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

const MINUTE_MS = 60_000;
const CHANGE_MINUTES = 5;
/** Whole days that a usual day's volume is the mean of. */
const USUAL_DAYS = 5;

/**
 * The price of regular hours five minutes before: the close of the last minute that had ended by then. When the market is closed: five minutes before the end
 * of trading. Undefined before the day's first session of regular hours.
 */
export function closeFiveMinutesBefore(
  { clock, world, market }: Facts<'clock' | 'world' | 'market'>,
  { instrument }: Listing,
  { tradingDay }: Quote,
): Decimal | undefined {
  const now = clock.now();
  const session = world
    .calendar(instrument)
    .sessions(tradingDay)
    .findLast(({ kind, start }) => kind === 'regular' && start <= now);
  if (session === undefined) return undefined;
  const end = Math.floor(Math.min(now, session.end) / MINUTE_MS) * MINUTE_MS;
  const to = end - CHANGE_MINUTES * MINUTE_MS;
  return market.bars(instrument, { unit: 'minute', count: 1 }, { to: Math.max(to, session.start), limit: 1 }, 'forward')[0]?.close;
}

/** The last price of regular hours against {@link closeFiveMinutesBefore}, in percent; 0 before the day's first session, whose price is the close before. */
export function recentChange(facts: Facts<'clock' | 'world' | 'market'>, listing: Listing, quote: Quote): number | undefined {
  const opening = facts.world
    .calendar(listing.instrument)
    .sessions(quote.tradingDay)
    .find(({ kind }) => kind === 'regular');
  if (opening === undefined || facts.clock.now() < opening.start) return 0;
  return changeFrom(closeFiveMinutesBefore(facts, listing, quote), quote.last);
}

/** Usual volume of each minute of regular hours, by symbol; undefined where nothing was traded before. */
const usualVolumes: CacheKind<number | undefined> = { max: 40_000 };

/**
 * Volume for each minute of regular trading so far today ÷ that of the five whole days before. 1: as busy as usual. Undefined before the first minute,
 * without days before, and for plates, which trade nothing themselves.
 */
export function volumeRatio(facts: Facts<'clock' | 'world' | 'market' | 'caches'>, listing: Listing, quote: Quote): number | undefined {
  const { instrument } = listing;
  if (!kinds[instrument.kind].hasTrades) return undefined;
  const passed = regularMinutes(facts.world.calendar(instrument), quote.tradingDay, facts.clock.now());
  if (passed === 0) return undefined;
  const perMinute = atOnce(prepareUsualVolume(facts, listing, quote));
  return perMinute === undefined ? undefined : threePlaces(Number(quote.volume) / passed / perMinute);
}

/** Works out what {@link volumeRatio} takes long for, ready to pause; once a trading day. */
export function* prepareUsualVolume(
  { world, market, caches }: Facts<'world' | 'market' | 'caches'>,
  { instrument }: Listing,
  { tradingDay }: Quote,
): Generator<void, number | undefined> {
  if (!kinds[instrument.kind].hasTrades) return undefined;
  return yield* caches.inTurns(usualVolumes, instrument.symbol, tradingDay, function* () {
    const calendar = world.calendar(instrument);
    let [volume, minutes] = [0n, 0];
    let to = calendar.sessions(tradingDay)[0]?.start;
    for (let count = 0; count < USUAL_DAYS && to !== undefined; count += 1) {
      const [bar] = market.bars(instrument, { unit: 'day' }, { to, limit: 1 });
      if (bar === undefined) break;
      volume += bar.volume;
      minutes += regularMinutes(calendar, calendar.tradingDay(bar.start), Number.POSITIVE_INFINITY);
      to = bar.start;
      yield;
    }
    return volume === 0n ? undefined : Number(volume) / minutes;
  });
}

/** Minutes of regular trading of a day until a moment (epoch ms). */
function regularMinutes(calendar: Calendar, tradingDay: string, until: number): number {
  let minutes = 0;
  for (const { kind, start, end } of calendar.sessions(tradingDay))
    if (kind === 'regular') minutes += Math.max(0, Math.min(end, until) - start) / MINUTE_MS;
  return minutes;
}

/** Implied volatility of a share's options, and its place within the last year. All in percent. */
export interface VolatilityRecord {
  /** At the money, thirty days ahead: what the VIX of an index is about. */
  readonly implied: number;
  /** (today − least) ÷ (most − least) of the year; 0 where it never moved. */
  readonly rank: number;
  /** Part of the year's trading days on which it was lower. */
  readonly percentile: number;
}

const YEARS = 30 / 365;
const YEAR_DAYS = 365;

const records: CacheKind<VolatilityRecord> = { max: 2_000 };

/** The record of a share on a trading day ("2026-11-20"), worked out once; undefined for one that has no options. */
export function volatilityRecord(
  facts: Facts<'world' | 'market' | 'caches'>,
  { instrument }: Listing,
  day: string,
): VolatilityRecord | undefined {
  if (facts.world.optionSeries(instrument).length === 0) return undefined;
  return facts.caches.get(records, `${instrument.symbol} ${day}`, '', () => workRecord(facts, instrument, day));
}

function workRecord({ market, world }: Facts<'world' | 'market'>, instrument: Instrument, day: string): VolatilityRecord {
  const of = (date: string) => market.volatilityAtTheMoney(instrument, date, YEARS);
  const since = dayOfNumber(requireDay(day) - YEAR_DAYS);
  const dates = daysBefore(world.calendar(instrument), day).filter((date) => date >= since);
  const year = dates.map(of);
  const today = of(day);
  const [least, most] = [Math.min(today, ...year), Math.max(today, ...year)];
  return {
    implied: percentOf(today),
    rank: most === least ? 0 : percentOf((today - least) / (most - least)),
    percentile: year.length === 0 ? 0 : percentOf(year.filter((one) => one < today).length / year.length),
  };
}

function percentOf(fraction: number): number {
  return Math.round(fraction * 100_000) / 1000;
}
