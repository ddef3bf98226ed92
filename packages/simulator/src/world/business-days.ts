import { addDays } from '@svc-gateway/contract/time';
import type { Calendar, CalendarMode, CalendarName } from './calendar.js';
import { schedules } from './data/schedules.js';
import type { Schedule } from './schedule.js';
import { ScheduledCalendar } from './scheduled-calendar.js';

/** The calendar of a group of instruments. A world keeps one of each name: calendars remember what they worked out. */
export function createCalendar(name: CalendarName, mode: CalendarMode): ScheduledCalendar {
  return new ScheduledCalendar(name, mode === 'open' ? heldOpen(schedules[name]) : schedules[name]);
}

/** A schedule of one session every day, from local midnight to local midnight (23 or 25 hours where clocks change). */
function heldOpen({ timeZone, openTimeZone = timeZone, openState }: Schedule): Schedule {
  const holidays = () => ({ closed: new Set<number>(), half: new Set<number>() });
  const full = [
    ['00:00', openState, 'regular'],
    ['24:00', openState],
  ] as const;
  return { timeZone: openTimeZone, openState, holidays, tradesOnWeekends: true, hours: [{ full }] };
}

// Contracts expire on the exchanges' days, in every calendar mode. Calendars are pure, so that one of each name serves all.
const calendars = new Map<CalendarName, ScheduledCalendar>();

/** The business days by which the contracts of a calendar are dated. */
export function businessDaysOf(name: CalendarName): ScheduledCalendar {
  // CME trades part of most US holidays, but does not count them as business days.
  return tradingDaysOf(name === 'US_FUTURE' ? 'US' : name);
}

/** The days on which an exchange does trade. */
export function tradingDaysOf(name: CalendarName): ScheduledCalendar {
  const calendar = calendars.get(name) ?? createCalendar(name, 'calendar');
  calendars.set(name, calendar);
  return calendar;
}

/** The month `count` after (negative: before) a month, "2026-12". */
export function monthAfter(month: string, count = 1): string {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
}

/** The day itself when it is a business day, else the last one before it. */
export function businessDayUpTo(day: string, calendar: Calendar): string {
  return calendar.isTradingDay(day) ? day : calendar.previousTradingDay(day);
}

/** The day itself when it is a business day, else the next one. */
export function businessDayFrom(day: string, calendar: Calendar): string {
  return calendar.isTradingDay(day) ? day : calendar.nextTradingDay(day);
}

/** The `count`th business day before a day. */
export function daysBefore(day: string, count: number, calendar: Calendar): string {
  let before = day;
  for (let left = count; left > 0; left -= 1) before = calendar.previousTradingDay(before);
  return before;
}

/** The year of two digits that is nearest to a year: 2026 takes "36" for 2036 and "98" for 1998. */
export function yearOf(digits: string, near: number): number {
  const year = near - (near % 100) + Number(digits);
  if (year - near >= 50) return year - 100;
  return year - near < -50 ? year + 100 : year;
}

/** {@link addDays} up to the next business day. */
export function daysLater(day: string, count: number, calendar: Calendar): string {
  return businessDayFrom(addDays(day, count), calendar);
}
