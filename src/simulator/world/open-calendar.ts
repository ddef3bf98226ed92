import { addDays, dayNumber, localDate, parseLocal } from '../../contract/time.js';
import type { Calendar, TradingDate, TradingSession } from './calendar.js';
import type { CalendarName } from './instrument.js';
import type { Schedule } from './schedules.js';

/** A calendar of which every day is a trading day of one session, from local midnight to local midnight (23 or 25 hours at DST changes). */
export class OpenCalendar implements Calendar {
  readonly name: CalendarName;
  readonly timeZone: string;
  readonly #state: number;
  #last: { readonly day: string; readonly session: TradingSession };

  constructor(name: CalendarName, schedule: Schedule) {
    this.name = name;
    this.timeZone = schedule.timeZone;
    this.#state = schedule.openState;
    this.#last = this.#on('1970-01-01');
  }

  isTradingDay(day: string): boolean {
    return dayNumber(day) !== undefined;
  }

  sessions(day: string): readonly TradingSession[] {
    return this.isTradingDay(day) ? [this.#on(day).session] : [];
  }

  tradingDay(time: number): string {
    return this.#at(time).day;
  }

  previousTradingDay(day: string): string {
    return addDays(day, -1);
  }

  nextTradingDay(day: string): string {
    return addDays(day, 1);
  }

  tradingDays(from: string, to: string): readonly TradingDate[] {
    const dates: TradingDate[] = [];
    for (let day = from; day <= to; day = addDays(day, 1)) dates.push({ day, type: 'whole' });
    return dates;
  }

  state(_time: number): number {
    return this.#state;
  }

  sessionAt(time: number): TradingSession {
    return this.#at(time).session;
  }

  #at(time: number): { readonly day: string; readonly session: TradingSession } {
    const { session } = this.#last;
    if (time < session.start || time >= session.end) this.#last = this.#on(localDate(time, this.timeZone));
    return this.#last;
  }

  #on(day: string): { readonly day: string; readonly session: TradingSession } {
    const start = midnight(day, this.timeZone);
    const end = midnight(addDays(day, 1), this.timeZone);
    return { day, session: { start, end, state: this.#state, kind: 'regular' } };
  }
}

function midnight(day: string, timeZone: string): number {
  const time = parseLocal(day, timeZone);
  if (time === undefined) throw new RangeError(`no date: ${JSON.stringify(day)}`);
  return time;
}
