import { DAY_MS, dayNumber, dayOfNumber, fromWall, localDayNumber, requireDay } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import type { Calendar, CalendarName, TradingDate, TradingSession } from './calendar.js';
import { isWeekend } from './holidays/days.js';
import type { HolidayYear } from './holidays/holidays.js';
import type { Hours, Mark, Schedule } from './schedule.js';

/** Plans kept: about five years of days. */
const PLANS_CACHED = 1_250;
const YEARS_CACHED = 50;

/** A change of state, in epoch ms; with a session when trading begins there. */
interface Change {
  readonly time: number;
  readonly state: number;
  readonly session: TradingSession | undefined;
}

/** A trading day in epoch ms. */
interface DayPlan {
  readonly day: string;
  /** In order of time. The last holds until the next trading day's first. */
  readonly changes: readonly Change[];
  readonly sessions: readonly TradingSession[];
}

/** The time from a change to the next, in which every answer of the calendar is the same. */
interface Stretch extends Change {
  readonly until: number;
  readonly tradingDay: string;
}

/** A calendar that keeps the sessions and holidays of its schedule. Inside, days are counts of days since 1970-01-01. */
export class ScheduledCalendar implements Calendar {
  readonly name: CalendarName;
  readonly timeZone: string;
  readonly #schedule: Schedule;
  readonly #years = new LruCache<number, HolidayYear>(YEARS_CACHED);
  readonly #plans = new LruCache<number, DayPlan>(PLANS_CACHED);
  // Callers ask about now, again and again: the last stretch answers nearly all.
  #last: Stretch = { time: 0, until: 0, state: 0, session: undefined, tradingDay: '' };

  constructor(name: CalendarName, schedule: Schedule) {
    this.name = name;
    this.timeZone = schedule.timeZone;
    this.#schedule = schedule;
  }

  isTradingDay(day: string): boolean {
    const days = dayNumber(day);
    return days !== undefined && this.trades(days);
  }

  sessions(day: string): readonly TradingSession[] {
    const days = dayNumber(day);
    return days !== undefined && this.trades(days) ? this.#plan(days).sessions : [];
  }

  tradingDay(time: number): string {
    return this.#stretch(time).tradingDay;
  }

  previousTradingDay(day: string): string {
    return dayOfNumber(this.#neighbour(requireDay(day), -1));
  }

  nextTradingDay(day: string): string {
    return dayOfNumber(this.#neighbour(requireDay(day), 1));
  }

  tradingDays(from: string, to: string): readonly TradingDate[] {
    const dates: TradingDate[] = [];
    const last = requireDay(to);
    for (let day = requireDay(from); day <= last; day += 1) {
      if (this.trades(day)) dates.push({ day: dayOfNumber(day), type: this.#isHalf(day) ? 'morning' : 'whole' });
    }
    return dates;
  }

  state(time: number): number {
    return this.#stretch(time).state;
  }

  sessionAt(time: number): TradingSession | undefined {
    return this.#stretch(time).session;
  }

  /** {@link isTradingDay} of a day counted from 1970-01-01. */
  trades(day: number): boolean {
    return (this.#schedule.tradesOnWeekends || !isWeekend(day)) && !this.#yearOf(day).closed.has(day);
  }

  #isHalf(day: number): boolean {
    return this.#yearOf(day).half.has(day);
  }

  #yearOf(day: number): HolidayYear {
    const year = new Date(day * DAY_MS).getUTCFullYear();
    return this.#years.get(year, () => this.#schedule.holidays(year));
  }

  #neighbour(day: number, direction: 1 | -1): number {
    let next = day + direction;
    while (!this.trades(next)) next += direction;
    return next;
  }

  #stretch(time: number): Stretch {
    if (time < this.#last.time || time >= this.#last.until) this.#last = this.#find(time);
    return this.#last;
  }

  // The marks of a trading day may start on an evening before it, never after its own date: so the first trading day
  // after `time`'s date is the latest that can have started, and we go back from there to the one whose marks hold.
  #find(time: number): Stretch {
    let day = this.#neighbour(localDayNumber(time, this.timeZone), 1);
    let until = Infinity;
    for (;;) {
      const { day: text, changes, sessions } = this.#plan(day);
      const at = changes.findLastIndex((change) => change.time <= time);
      const [change, opening] = [changes[at], sessions[0]];
      const before = this.#neighbour(day, -1);
      if (change !== undefined && opening !== undefined) {
        const tradingDay = change.time >= opening.start ? text : dayOfNumber(before);
        return { ...change, until: changes[at + 1]?.time ?? until, tradingDay };
      }
      until = changes[0]?.time ?? until;
      day = before;
    }
  }

  #plan(day: number): DayPlan {
    return this.#plans.get(day, () => this.#planOf(day));
  }

  #planOf(day: number): DayPlan {
    const text = dayOfNumber(day);
    const hours = this.#hoursOn(text);
    const marks = (this.#isHalf(day) ? hours.half : undefined) ?? hours.full;
    const timed = [...this.#eveOf(day, hours), ...this.#timed(day, marks)];
    const changes = timed.map(({ time, mark: [, state, kind] }, i): Change => {
      const end = timed[i + 1]?.time;
      const session = kind === undefined || end === undefined ? undefined : { start: time, end, state, kind };
      return { time, state, session };
    });
    return { day: text, changes, sessions: changes.flatMap(({ session }) => session ?? []) };
  }

  #eveOf(day: number, { eve }: Hours): { time: number; mark: Mark }[] {
    if (eve === undefined) return [];
    if (eve.of === 'previous-day') return this.#timed(day - 1, eve.marks);
    const previous = this.#neighbour(day, -1);
    return this.#isHalf(previous) ? [] : this.#timed(previous, eve.marks);
  }

  #hoursOn(day: string): Hours {
    const hours = this.#schedule.hours.find(({ since }) => since === undefined || day >= since);
    if (hours === undefined) throw new Error(`calendar ${this.name} has no hours on ${day}`);
    return hours;
  }

  #timed(day: number, marks: readonly Mark[]): { time: number; mark: Mark }[] {
    return marks.map((mark) => ({ time: fromWall(day * DAY_MS + minuteOf(mark[0]) * 60_000, this.timeZone), mark }));
  }
}

/** "09:30" → 570; hours may run past 24. */
function minuteOf(wallTime: string): number {
  return Number(wallTime.slice(0, 2)) * 60 + Number(wallTime.slice(3));
}
