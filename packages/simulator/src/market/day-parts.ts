import { mix } from '../rng/random.js';
import type { TradingSession } from '../world/calendar.js';
import { activityOf } from './activity.js';
import type { TradingDay } from './trading-days.js';

/** Pre-market, regular trading or after-market: `share` is its part of the day's trading. */
export type Part = Pick<TradingDay, 'start' | 'end' | 'activity'> & { readonly share: number };

/** Keys of a day's other parts. */
const PART = 1_000;
const partsOfDays = new WeakMap<TradingDay, readonly Part[]>();

/** The parts of a day: one where there are no extended hours. */
export function partsOf(day: TradingDay): readonly Part[] {
  let parts = partsOfDays.get(day);
  if (parts === undefined) {
    const { start, end } = day.regular;
    const sessions = [
      day.sessions.filter((session) => session.end <= start),
      day.sessions.filter((session) => session.start >= start && session.end <= end),
      day.sessions.filter((session) => session.start >= end),
    ].filter(([first]) => first !== undefined);
    parts = sessions.length === 1 ? [{ ...day, share: 1 }] : sessions.map((of) => partOf(day, of));
    partsOfDays.set(day, parts);
  }
  return parts;
}

function partOf(day: TradingDay, sessions: readonly TradingSession[]): Part {
  const [start, end] = [sessions[0]?.start ?? day.start, sessions.at(-1)?.end ?? day.end];
  const activity = activityOf(sessions);
  return { start, end, activity, share: activity.seconds / day.activity.seconds };
}

/** The first part's key is the day's. */
export function keyOfPart(key: number, part: number): number {
  return part === 0 ? key : mix(key, PART + part);
}
