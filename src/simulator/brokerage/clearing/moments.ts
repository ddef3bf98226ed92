import { addDays, localDate, parseLocal } from '../../../contract/time.js';
import type { Calendar } from '../../world/calendar.js';

/** A moment at which the brokerage books what a market's day brings. */
export interface DayMoment {
  readonly day: string;
  /** `begin`: local midnight, of every calendar day. `close`: the end of a trading day's last session. */
  readonly phase: 'begin' | 'close';
  /** Epoch ms. */
  readonly time: number;
}

/** A moment as text: texts of a calendar sort as its moments follow each other. */
export function keyOfMoment({ day, phase }: DayMoment): string {
  return `${day} ${phase}`;
}

/** The moment that follows the one of this key. */
export function momentAfter(calendar: Calendar, key: string): DayMoment {
  const [day = '', phase] = key.split(' ');
  return phase === 'begin' && calendar.isTradingDay(day) ? closeOf(calendar, day) : beginOf(calendar, addDays(day, 1));
}

/** The last moment at or before `time` (epoch ms). */
export function lastMoment(calendar: Calendar, time: number): DayMoment {
  const day = localDate(time, calendar.timeZone);
  if (!calendar.isTradingDay(day)) return beginOf(calendar, day);
  const close = closeOf(calendar, day);
  return close.time <= time ? close : beginOf(calendar, day);
}

function beginOf(calendar: Calendar, day: string): DayMoment {
  const time = parseLocal(day, calendar.timeZone);
  if (time === undefined) throw new RangeError(`no day: ${JSON.stringify(day)}`);
  return { day, phase: 'begin', time };
}

function closeOf(calendar: Calendar, day: string): DayMoment {
  const last = calendar.sessions(day).at(-1);
  if (last === undefined) throw new RangeError(`calendar ${calendar.name} has no sessions on ${day}`);
  // Sessions after midnight belong to the next trading day.
  return { day, phase: 'close', time: Math.min(last.end, beginOf(calendar, addDays(day, 1)).time) };
}
