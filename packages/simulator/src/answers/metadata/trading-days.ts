import { listAccepted, tradeDateMarket } from '@svc-gateway/contract/enums';
import { TradeDateType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { dayNumber, epochSeconds, parseLocal } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms, locateTerms } from '../../view/locate.js';
import { dayOf, dayRange } from '../../view/requests.js';
import type { Calendar, CalendarName, TradingDate } from '../../world/index.js';
import { kinds } from '../../world/kinds.js';
import type { AnswerTo } from '../table.js';

/** Ten years. */
const RANGE_DAYS_MAX = 3660;

/** The calendar of each Qot_Common.TradeDateMarket. */
const calendars: Readonly<Record<number, CalendarName>> = {
  1: 'HK',
  2: 'US',
  3: 'CN',
  4: 'CN',
  5: 'HK',
  6: 'JP_FUTURE',
  7: 'SG_FUTURE',
  8: 'SG',
  9: 'MY',
  10: 'JP',
};

/**
 * Stock Connect trades where both sides do (HKEX, since April 2023). How long it trades is up to the market that is traded: a
 * half day in Hong Kong shortens the southbound day alone.
 */
const otherSides: Readonly<Record<number, CalendarName>> = { 4: 'HK', 5: 'CN' };

const types = {
  whole: TradeDateType.TradeDateType_Whole,
  morning: TradeDateType.TradeDateType_Morning,
  afternoon: TradeDateType.TradeDateType_Afternoon,
} as const satisfies Record<TradingDate['type'], TradeDateType>;

/** A calendar, and the days of it that count. */
interface Days {
  readonly calendar: Calendar;
  trades(day: string): boolean;
}

/** Qot_RequestTradeDate: the trading days between two dates, both included, of a security or else of a market. */
export const getTradingDays: AnswerTo<typeof declared.getTradingDays> = (facts, request) => {
  const days = request.security === undefined ? daysOfMarket(facts, request.market) : daysOfSecurity(facts, request.security);
  if (days instanceof Refusal) return days;
  const beginTime = dayOf(request.beginTime);
  const endTime = dayOf(request.endTime);
  const refused = dayRange(beginTime, endTime, RANGE_DAYS_MAX);
  if (refused !== undefined) return refused;

  const { timeZone } = days.calendar;
  const tradeDateList = days.calendar
    .tradingDays(beginTime, endTime)
    .filter(({ day }) => days.trades(day))
    .map(({ day, type }) => ({ time: day, timestamp: epochSeconds(parseLocal(day, timeZone)), tradeDateType: types[type] }));
  return { tradeDateList };
};

function daysOfSecurity(facts: Facts<'world' | 'listings'>, security: { readonly market: number; readonly code: string }): Days | Refusal {
  const listing = locateTerms(facts, security);
  if (listing instanceof Refusal) return listing;
  return { calendar: facts.world.calendar(listing.instrument), trades: () => true };
}

function daysOfMarket({ world }: Facts<'world'>, market: number): Days | Refusal {
  const name = calendars[market];
  if (name === undefined)
    return new Refusal(`unknown market ${market}; accepted: ${listAccepted(tradeDateMarket, 'rest')}`, 'broker.value');
  const other = otherSides[market];
  const otherCalendar = other === undefined ? undefined : world.calendar(other);
  return { calendar: world.calendar(name), trades: (day) => otherCalendar?.isTradingDay(day) ?? true };
}

const SYMBOLS_MAX = 400;
/** Ten years of ten symbols. */
const SYMBOL_DAYS_MAX = 36_600;

/** Qot_GetSuspend: the trading days on which nothing traded, though the market did, from the first day of trading to the last that is over. */
export const getSuspend: AnswerTo<typeof declared.getSuspend> = (facts, request) => {
  const listings = locateAllTerms(facts, request.securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  const [beginTime, endTime] = [dayOf(request.beginTime), dayOf(request.endTime)];
  const refused = dayRange(beginTime, endTime, SYMBOL_DAYS_MAX);
  if (refused !== undefined) return refused;
  const days = (dayNumber(endTime) ?? 0) - (dayNumber(beginTime) ?? 0) + 1;
  if (days * listings.length > SYMBOL_DAYS_MAX) {
    return new Refusal(
      `${listings.length} symbols over ${days} days: at most ${SYMBOL_DAYS_MAX} symbol-days in one request`,
      'broker.value',
    );
  }
  return { SecuritySuspendList: listings.map((listing) => suspensions(facts, listing, beginTime, endTime)) };
};

function suspensions(
  { clock, world, market }: Facts<'clock' | 'world' | 'market'>,
  { instrument, market: { timeZone }, security }: Listing,
  beginTime: string,
  endTime: string,
) {
  const { listDate, lastTradingDay = '9999-12-31', kind } = instrument;
  const calendar = world.calendar(instrument);
  const [first] = market.bars(instrument, { unit: 'day' }, { from: 0, limit: 1 });
  // Before the first bar of loaded history nothing is known.
  const known = first === undefined ? listDate : calendar.tradingDay(first.start);
  const from = [beginTime, listDate, known].reduce((latest, day) => (day > latest ? day : latest));
  const to = endTime < lastTradingDay ? endTime : lastTradingDay;
  // Instruments without trades of their own are never suspended.
  const days = !kinds[kind].quoted || from > to ? [] : calendar.tradingDays(from, to);
  const found: string[] = [];
  for (const { day } of days) {
    const sessions = calendar.sessions(day);
    const [start, end] = [sessions[0]?.start ?? 0, sessions.at(-1)?.end ?? 0];
    if (end > clock.now()) break;
    if (market.bars(instrument, { unit: 'day' }, { from: start, to: end, limit: 1 }).length === 0) found.push(day);
  }
  const suspendList = found.map((time) => ({ time, timestamp: epochSeconds(parseLocal(time, timeZone)) }));
  return { security, suspendList };
}
