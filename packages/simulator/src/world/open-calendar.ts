import { addDays, dayNumber, dayOfNumber, fromWall, localDayNumber, requireDay } from '@svc-gateway/contract/time';
import type { Calendar, CalendarName, TradingDate, TradingSession } from './calendar.js';
import type { Schedule } from './schedule.js';

const DAY_MS = 86_400_000;

interface OpenDay {
  readonly day: string;
  readonly session: TradingSession;
}

/** A calendar of which every day is a trading day of one session, from local midnight to local midnight (23 or 25 hours at DST changes). */
export class OpenCalendar implements Calendar {
  readonly name: CalendarName;
  readonly timeZone: string;
  readonly #state: number;
  #last: OpenDay;

  constructor(name: CalendarName, schedule: Schedule) {
    this.name = name;
    this.timeZone = schedule.openTimeZone ?? schedule.timeZone;
    this.#state = schedule.openState;
    this.#last = this.#on(0);
  }

  isTradingDay(day: string): boolean {
    return dayNumber(day) !== undefined;
  }

  sessions(day: string): readonly TradingSession[] {
    if (day === this.#last.day) return [this.#last.session];
    const days = dayNumber(day);
    return days === undefined ? [] : [this.#on(days).session];
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
    const last = requireDay(to);
    for (let day = requireDay(from); day <= last; day += 1) dates.push({ day: dayOfNumber(day), type: 'whole' });
    return dates;
  }

  state(_time: number): number {
    return this.#state;
  }

  sessionAt(time: number): TradingSession {
    return this.#at(time).session;
  }

  #at(time: number): OpenDay {
    const { session } = this.#last;
    if (time < session.start || time >= session.end) this.#last = this.#on(localDayNumber(time, this.timeZone));
    return this.#last;
  }

  #on(day: number): OpenDay {
    const start = fromWall(day * DAY_MS, this.timeZone);
    const end = fromWall((day + 1) * DAY_MS, this.timeZone);
    return { day: dayOfNumber(day), session: { start, end, state: this.#state, kind: 'regular' } };
  }
}
