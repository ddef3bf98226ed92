import { addDays, weekday } from '@svc-gateway/contract/time';
import { businessDayFrom, businessDaysOf, businessDayUpTo, monthAfter } from './business-days.js';
import type { Calendar } from './calendar.js';
import type { OptionClass } from './data/options.js';
import { lastTradeDate } from './last-trade.js';

const FRIDAY = 5;
/** How long before its expiry a series is listed: months for the expiry of a month, days for that of a week or a day. */
const AHEAD = { january: 27, quarter: 12, month: 3, weekDays: 35, dayDays: 14 };

/** One expiry of a class and the first day on which its contracts trade. */
export interface OptionSeries {
  readonly expiry: string;
  readonly listed: string;
  /** Cycle of an expiry within its class: month, week, or a day without either. */
  readonly of: 'month' | 'week' | 'day';
}

/** The series of a class that expires on a day; undefined when none does. */
export function seriesExpiring(of: OptionClass, expiry: string): OptionSeries | undefined {
  const calendar = businessDaysOf(of.market === 'HK' ? 'HK' : 'US');
  if (!calendar.isTradingDay(expiry)) return undefined;
  if (expiry === monthlyExpiry(of, expiry.slice(0, 7), calendar))
    return series(expiry, monthlyListing(of, expiry.slice(0, 7), calendar), of);
  if (of.cycle === 'monthly') return undefined;
  if (expiry === weeklyExpiry(expiry, calendar)) return recent(expiry, 'week', of, calendar);
  return of.cycle === 'daily' ? recent(expiry, 'day', of, calendar) : undefined;
}

/** The series of a class that are listed on a day, in order of expiry. */
export function seriesOn(of: OptionClass, day: string): readonly OptionSeries[] {
  const calendar = businessDaysOf(of.market === 'HK' ? 'HK' : 'US');
  const expiries = new Set<string>();
  const near = of.cycle === 'monthly' ? -1 : AHEAD.weekDays + 7;
  for (let ahead = 0; ahead <= near; ahead += 1) expiries.add(addDays(day, ahead));
  for (let ahead = 0; ahead <= AHEAD.january + 1; ahead += 1) {
    const month = monthAfter(day.slice(0, 7), ahead);
    expiries.add(monthlyExpiry(of, month, calendar));
  }
  return [...expiries]
    .sort()
    .filter((expiry) => expiry >= day)
    .flatMap((expiry) => seriesExpiring(of, expiry) ?? [])
    .filter(({ listed }) => listed <= day);
}

/** US: the third Friday; Hong Kong: the last business day of the month but one, on which futures expire too. */
function monthlyExpiry({ market }: OptionClass, month: string, calendar: Calendar): string {
  return lastTradeDate(market === 'HK' ? 'last-but-one' : 'third-friday', month, calendar);
}

/** Quarters are listed a year ahead, US Januaries more than two, other months a quarter: on the day after an expiry. */
function monthlyListing(of: OptionClass, month: string, calendar: Calendar): string {
  const number = Number(month.slice(5));
  const ahead = of.market === 'US' && number === 1 ? AHEAD.january : number % 3 === 0 ? AHEAD.quarter : AHEAD.month;
  return calendar.nextTradingDay(monthlyExpiry(of, monthAfter(month, -ahead), calendar));
}

function series(expiry: string, listed: string, of: OptionClass): OptionSeries | undefined {
  // A class of monthly expiries only begins later.
  const first = of.cycle === 'monthly' && listed < of.since ? of.since : listed;
  return first > expiry ? undefined : { expiry, listed: first, of: 'month' };
}

function recent(expiry: string, cycle: 'week' | 'day', of: OptionClass, calendar: Calendar): OptionSeries | undefined {
  const listed = businessDayFrom(addDays(expiry, -(cycle === 'week' ? AHEAD.weekDays : AHEAD.dayDays)), calendar);
  if (expiry < of.since) return undefined;
  return { expiry, listed: listed < of.since ? businessDayFrom(of.since, calendar) : listed, of: cycle };
}

/** Friday of the week, or the business day before it. */
function weeklyExpiry(day: string, calendar: Calendar): string {
  return businessDayUpTo(addDays(day, FRIDAY - weekday(day)), calendar);
}
