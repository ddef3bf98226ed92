import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Quote } from '../market/index.js';
import { atOnce } from '../pace.js';
import type { Calendar } from '../world/calendar.js';
import { kinds } from '../world/kinds.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';
import { changeFrom } from './past-closes.js';

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
  return perMinute === undefined ? undefined : Math.round((Number(quote.volume) / passed / perMinute) * 1000) / 1000;
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
