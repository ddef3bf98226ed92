import type { Clock } from '@svc-gateway/contract/clock';
import type { Calendar } from '../../world/calendar.js';
import { type DayMoment, keyOfMoment, lastMoment, momentAfter } from './moments.js';

/** Orders on pre-split terms are cancelled this long before the ex-date opens. */
const AHEAD_MS = 60_000;

/**
 * Calls `end` for each calendar a minute before each of its trading days opens. Orders that a split or an issue of rights does away with are ended then, a
 * slice a turn. The opening itself ends those that are left in the same change in which it splits what is held, so that none meets the new price.
 */
export class EndedAhead {
  #stopTimer: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly calendars: readonly Calendar[],
    private readonly end: (calendar: Calendar, day: string) => void,
  ) {}

  /** Sets the timer for the next opening that is further off than the minute. */
  start(): void {
    this.#stopTimer();
    const now = this.clock.now();
    const openings = this.calendars.map((calendar) => ({ calendar, opening: openingAfter(calendar, now + AHEAD_MS) }));
    const time = Math.min(...openings.map(({ opening }) => opening.time));
    this.#stopTimer = this.clock.at(time - AHEAD_MS, () => {
      for (const { calendar, opening } of openings) if (opening.time === time) this.end(calendar, opening.day);
      this.start();
    });
  }

  close(): void {
    this.#stopTimer();
  }
}

/** The first opening of a trading day after `time`. */
function openingAfter(calendar: Calendar, time: number): DayMoment {
  let moment = lastMoment(calendar, time);
  do moment = momentAfter(calendar, keyOfMoment(moment));
  while (moment.phase !== 'open' || moment.time <= time);
  return moment;
}
