import { dayOfNumber } from '@svc-gateway/contract/time';
import { tradingDaysOf } from '../world/business-days.js';
import type { Instrument } from '../world/instrument.js';

// Days of the exchanges' own calendars, also where the simulated market is open around the clock; counted from 1970-01-01 where they are numbers.

/** Longer than any holiday, so that the search for a common trading day ends. */
const SEARCH_MAX_DAYS = 60;

export function isTradingDay({ calendar }: Instrument, day: number): boolean {
  return tradingDaysOf(calendar).trades(day);
}

/** The first day from `day` on on which all listings of an issuer trade: one for corporate actions. */
export function firstCommon(instruments: readonly Instrument[], day: number): number {
  for (let candidate = day; candidate < day + SEARCH_MAX_DAYS; candidate++) {
    if (instruments.every((instrument) => isTradingDay(instrument, candidate))) return candidate;
  }
  return day;
}

/** The first trading day from `day` on. */
export function firstFrom(instrument: Instrument, day: number): string {
  return dayOfNumber(firstCommon([instrument], day));
}

/** "2026-11-20": `count` trading days after a trading day (before it, where negative). */
export function shifted(instrument: Instrument, day: string, count: number): string {
  const calendar = tradingDaysOf(instrument.calendar);
  let found = day;
  for (let step = 0; step < Math.abs(count); step++) {
    found = count > 0 ? calendar.nextTradingDay(found) : calendar.previousTradingDay(found);
  }
  return found;
}
