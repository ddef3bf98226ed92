import { addDays, weekday } from '@svc-gateway/contract/time';
import { businessDayUpTo, daysBefore, monthAfter } from './business-days.js';
import type { Calendar } from './calendar.js';

/**
 * How an exchange fixes the last trading day of a contract month:
 * - `last-but-one`, `third-last`: business day of the month counted from its end (HKFE and SGX index futures; COMEX metals)
 * - `third-friday`: or the business day before, when it is a holiday (CME equity index futures)
 * - `before-second-friday`: the business day before it (OSE index futures)
 * - `crude-oil`: the third business day before the 25th of the month before, or the fourth when the 25th is no business day (NYMEX CL)
 * - `natural-gas`: the third last business day of the month before (NYMEX NG)
 * - `treasury`: the seventh business day before the last one of the month (CBOT ZN, ZB)
 */
export type LastTradeRule =
  | 'last-but-one'
  | 'third-last'
  | 'third-friday'
  | 'before-second-friday'
  | 'crude-oil'
  | 'natural-gas'
  | 'treasury';

/** The last trading day, "2026-12-30", of the contract of a month ("2026-12") by the exchange's rule and business days. */
export function lastTradeDate(rule: LastTradeRule, month: string, calendar: Calendar): string {
  const first = `${month}-01`;
  const afterMonth = `${monthAfter(month)}-01`;
  switch (rule) {
    case 'last-but-one':
      return daysBefore(afterMonth, 2, calendar);
    case 'third-last':
      return daysBefore(afterMonth, 3, calendar);
    case 'third-friday':
      return businessDayUpTo(nthFriday(first, 3), calendar);
    case 'before-second-friday':
      return calendar.previousTradingDay(nthFriday(first, 2));
    case 'crude-oil': {
      const reference = `${monthAfter(month, -1)}-25`;
      return daysBefore(reference, calendar.isTradingDay(reference) ? 3 : 4, calendar);
    }
    case 'natural-gas':
      return daysBefore(first, 3, calendar);
    case 'treasury':
      return daysBefore(afterMonth, 8, calendar);
  }
}

function nthFriday(first: string, n: number): string {
  return addDays(first, ((5 - weekday(first) + 7) % 7) + 7 * (n - 1));
}
