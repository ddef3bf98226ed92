import { weekdayOfNumber } from '@svc-gateway/contract/time';
import { date, easter, lastWeekday, nthWeekday } from './days.js';
import { holidays } from './holidays.js';

const [SUNDAY, MONDAY, THURSDAY, FRIDAY, SATURDAY] = [0, 1, 4, 5, 6];

/** On a Saturday kept on the Friday before, on a Sunday on the Monday after. */
function observed(day: number): number {
  const weekday = weekdayOfNumber(day);
  return weekday === SATURDAY ? day - 1 : weekday === SUNDAY ? day + 1 : day;
}

/** NYSE rule 7.2: New Year's Day on a Saturday is not made up for, as the Friday ends an accounting year. */
function newYear(year: number): number {
  const day = date(year, 1, 1);
  return weekdayOfNumber(day) === SUNDAY ? day + 1 : day;
}

const goodFriday = (year: number) => easter(year) - 2;
const thanksgiving = (year: number) => nthWeekday(year, 11, THURSDAY, 4);

/** Holidays of the stock exchanges on which the CME Group trades to midday. */
function federalHolidays(year: number): number[] {
  return [
    nthWeekday(year, 1, MONDAY, 3),
    nthWeekday(year, 2, MONDAY, 3),
    lastWeekday(year, 5, MONDAY),
    ...(year >= 2022 ? [observed(date(year, 6, 19))] : []),
    observed(date(year, 7, 4)),
    nthWeekday(year, 9, MONDAY, 1),
    thanksgiving(year),
  ];
}

/** The eve of Independence Day when that is a weekday other than Monday, the day after Thanksgiving, and Christmas Eve from Monday to Thursday. */
function earlyCloses(year: number): number[] {
  const [independenceEve, christmasEve] = [date(year, 7, 3), date(year, 12, 24)];
  return [
    ...(weekdayOfNumber(independenceEve) < FRIDAY ? [independenceEve] : []),
    thanksgiving(year) + 1,
    ...(weekdayOfNumber(christmasEve) < FRIDAY ? [christmasEve] : []),
  ];
}

/** NYSE and Nasdaq. */
export const usHolidays = holidays(
  (year) => ({
    closed: [newYear(year), goodFriday(year), ...federalHolidays(year), observed(date(year, 12, 25))],
    half: earlyCloses(year),
  }),
  // Days of mourning for Presidents Reagan, Ford, Bush and Carter; September 2001; Hurricane Sandy.
  {
    closed: '2001-09-11 2001-09-12 2001-09-13 2001-09-14 2004-06-11 2007-01-02 2012-10-29 2012-10-30 2018-12-05 2025-01-09',
  },
);

/** CME Group: shut on New Year's Day, Good Friday and Christmas; on the other holidays its products trade to 13:00 New York time. */
export const usFutureHolidays = holidays((year) => ({
  closed: [newYear(year), goodFriday(year), observed(date(year, 12, 25))],
  half: [...federalHolidays(year), ...earlyCloses(year)],
}));

/** Interbank forex rests on Christmas and New Year only. */
export const fxHolidays = holidays((year) => ({ closed: [date(year, 1, 1), date(year, 12, 25)] }));
