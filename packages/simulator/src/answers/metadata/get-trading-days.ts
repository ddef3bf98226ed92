import { create } from '@bufbuild/protobuf';
import { listAccepted, tradeDateMarket } from '@svc-gateway/contract/enums';
import { TradeDateType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type C2S, type S2C, S2CSchema, TradeDateSchema } from '@svc-gateway/contract/generated/Qot_RequestTradeDate_pb';
import { epochSeconds, parseLocal } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import { dayOf, dayRange } from '../../view/dates.js';
import type { Answer, Facts } from '../../view/facts.js';
import { locateTerms } from '../../view/locate.js';
import { known } from '../../view/optional-fields.js';
import type { Calendar, CalendarName, TradingDate } from '../../world/index.js';

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
export const getTradingDays: Answer<'world' | 'listings', C2S, S2C> = (facts, request) => {
  const days = request.security === undefined ? daysOfMarket(facts, request.market) : daysOfSecurity(facts, request.security);
  if (days instanceof Refusal) return days;
  const beginTime = dayOf(request.beginTime);
  const endTime = dayOf(request.endTime);
  const refused = dayRange(beginTime, endTime, RANGE_DAYS_MAX);
  if (refused !== undefined) return refused;

  const { timeZone } = days.calendar;
  const payload = create(S2CSchema);
  payload.tradeDateList = days.calendar
    .tradingDays(beginTime, endTime)
    .filter(({ day }) => days.trades(day))
    .map(({ day, type }) =>
      create(TradeDateSchema, known({ time: day, timestamp: epochSeconds(parseLocal(day, timeZone)), tradeDateType: types[type] })),
    );
  return payload;
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
