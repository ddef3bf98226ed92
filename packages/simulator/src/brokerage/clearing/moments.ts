import { addDays, localDate, parseLocal } from '@svc-gateway/contract/time';
import type { Calendar, TradingSession } from '../../world/calendar.js';

/** A moment at which the brokerage books what a market's day brings. */
export interface DayMoment {
  readonly day: string;
  /**
   * `begin`: local midnight, of every calendar day. `open`: the start of a trading day's first session, when prices become those of the
   * day. `close`: the end of its last session.
   */
  readonly phase: 'begin' | 'open' | 'close';
  /** Epoch ms. */
  readonly time: number;
}

/** A moment as text, which begins with its day. */
export function keyOfMoment({ day, phase }: DayMoment): string {
  return `${day} ${phase}`;
}

/** The moment that follows the one of this key. */
export function momentAfter(calendar: Calendar, key: string): DayMoment {
  const [day = '', phase] = key.split(' ');
  if (phase === 'begin' && calendar.isTradingDay(day)) return openOf(calendar, day);
  return phase === 'open' ? closeOf(calendar, day) : beginOf(calendar, addDays(day, 1));
}

/** The last moment at or before `time` (epoch ms). */
export function lastMoment(calendar: Calendar, time: number): DayMoment {
  const day = localDate(time, calendar.timeZone);
  if (!calendar.isTradingDay(day)) return beginOf(calendar, day);
  const passed = [closeOf(calendar, day), openOf(calendar, day)].find((moment) => moment.time <= time);
  return passed ?? beginOf(calendar, day);
}

function beginOf(calendar: Calendar, day: string): DayMoment {
  const time = parseLocal(day, calendar.timeZone);
  if (time === undefined) throw new RangeError(`no day: ${JSON.stringify(day)}`);
  return { day, phase: 'begin', time };
}

function openOf(calendar: Calendar, day: string): DayMoment {
  const [first] = sessionsOf(calendar, day);
  // Sessions of the evening before are of this day, which has not begun by then.
  return { day, phase: 'open', time: Math.max(first.start, beginOf(calendar, day).time) };
}

function closeOf(calendar: Calendar, day: string): DayMoment {
  const sessions = sessionsOf(calendar, day);
  const last = sessions.at(-1) ?? sessions[0];
  // Sessions after midnight belong to the next trading day.
  return { day, phase: 'close', time: Math.min(last.end, beginOf(calendar, addDays(day, 1)).time) };
}

function sessionsOf(calendar: Calendar, day: string): readonly [TradingSession, ...TradingSession[]] {
  const [first, ...others] = calendar.sessions(day);
  if (first === undefined) throw new RangeError(`calendar ${calendar.name} has no sessions on ${day}`);
  return [first, ...others];
}
