import type { Calendar, CalendarMode, CalendarName } from './calendar.js';
import { OpenCalendar } from './open-calendar.js';
import { ScheduledCalendar } from './scheduled-calendar.js';
import { schedules } from './schedules.js';

/** The calendar of a group of instruments. A world keeps one of each name: calendars remember what they worked out. */
export function createCalendar(name: CalendarName, mode: CalendarMode): Calendar {
  const schedule = schedules[name];
  return mode === 'open' ? new OpenCalendar(name, schedule) : new ScheduledCalendar(name, schedule);
}
