import type { Calendar, CalendarMode, CalendarName } from './calendar.js';
import { fx, hkFuture, jpFuture, sgFuture, usFuture } from './data/future-schedules.js';
import { cn, hk, jp, my, sg, us } from './data/stock-schedules.js';
import { OpenCalendar } from './open-calendar.js';
import type { Schedule } from './schedule.js';
import { ScheduledCalendar } from './scheduled-calendar.js';

/** The calendar of a group of instruments. A world keeps one of each name: calendars remember what they worked out. */
export function createCalendar(name: CalendarName, mode: CalendarMode): Calendar {
  const schedule = schedules[name];
  return mode === 'open' ? new OpenCalendar(name, schedule) : new ScheduledCalendar(name, schedule);
}

/** When each group of instruments trades. */
export const schedules: Readonly<Record<CalendarName, Schedule>> = {
  HK: hk,
  US: us,
  CN: cn,
  SG: sg,
  JP: jp,
  MY: my,
  HK_FUTURE: hkFuture,
  US_FUTURE: usFuture,
  SG_FUTURE: sgFuture,
  JP_FUTURE: jpFuture,
  FX: fx,
};
