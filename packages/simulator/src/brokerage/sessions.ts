import type { Calendar, TradingSession } from '../world/calendar.js';

/** Longer than any exchange stays closed. */
const CLOSED_DAYS_MAX = 30;

function allows(session: TradingSession, extendedHours: boolean): boolean {
  return session.kind === 'regular' || extendedHours;
}

/** Trading days from the one that `time` falls in. */
function* daysFrom(calendar: Calendar, time: number): Iterable<string> {
  let day = calendar.tradingDay(time);
  for (let count = 0; count < CLOSED_DAYS_MAX; count += 1) {
    yield day;
    day = calendar.nextTradingDay(day);
  }
}

/** The session open at `time` for an order, or else the next one. */
export function sessionFor(calendar: Calendar, time: number, extendedHours: boolean): TradingSession {
  const open = calendar.sessionAt(time);
  if (open !== undefined && allows(open, extendedHours)) return open;
  for (const day of daysFrom(calendar, time)) {
    const session = calendar.sessions(day).find((candidate) => candidate.end > time && allows(candidate, extendedHours));
    if (session !== undefined) return session;
  }
  throw new Error(`calendar ${calendar.name} never opens after ${time}`);
}

/** When a day order placed at `time` ends: the close of the day that is trading, or of the next one. */
export function dayEnd(calendar: Calendar, time: number, extendedHours: boolean): number {
  for (const day of daysFrom(calendar, time)) {
    const last = calendar.sessions(day).findLast((session) => allows(session, extendedHours));
    if (last !== undefined && last.end > time) return last.end;
  }
  throw new Error(`calendar ${calendar.name} never closes after ${time}`);
}

/** The next opening of a trading day after `time`, where auction orders meet, and that day's close. */
export function nextOpening(calendar: Calendar, time: number): { opensAt: number; closesAt: number } {
  for (const day of daysFrom(calendar, time)) {
    const regular = calendar.sessions(day).filter((session) => session.kind === 'regular');
    const [first] = regular;
    const last = regular.at(-1);
    if (first !== undefined && last !== undefined && first.start > time) return { opensAt: first.start, closesAt: last.end };
  }
  throw new Error(`calendar ${calendar.name} never opens after ${time}`);
}
