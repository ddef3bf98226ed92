import { addDays, dayNumber, localDate, parseLocal, weekday } from '../../contract/time.js';
import type { Calendar, TradingDate, TradingSession } from './calendar.js';
import type { CalendarName } from './instrument.js';
import type { Hours, Mark, Schedule } from './schedules.js';

/** Plans kept at once: about ten years of days. */
const PLANS_MAX = 2_500;

/** A trading day in epoch ms. */
interface DayPlan {
  /** Changes of state, in order of time. The last holds until the next day's first. */
  readonly changes: readonly { readonly time: number; readonly state: number; readonly session?: TradingSession }[];
  readonly sessions: readonly TradingSession[];
  readonly opens: number;
}

/** A stretch of time, [from, until), in which every answer of the calendar is the same. */
interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly state: number;
  readonly session: TradingSession | undefined;
  readonly tradingDay: string;
}

/** A calendar that keeps the real sessions and holidays of its schedule. */
export class ScheduledCalendar implements Calendar {
  readonly name: CalendarName;
  readonly timeZone: string;
  readonly #schedule: Schedule;
  readonly #plans = new Map<string, DayPlan>();
  // Callers ask about now, again and again: the last stretch answers nearly all.
  #last: Stretch = { from: 0, until: 0, state: 0, session: undefined, tradingDay: '' };

  constructor(name: CalendarName, schedule: Schedule) {
    this.name = name;
    this.timeZone = schedule.timeZone;
    this.#schedule = schedule;
  }

  isTradingDay(day: string): boolean {
    if (dayNumber(day) === undefined) return false;
    const ofWeek = weekday(day);
    return ofWeek !== 0 && ofWeek !== 6 && !this.#schedule.holidays.closed.has(day);
  }

  sessions(day: string): readonly TradingSession[] {
    return this.isTradingDay(day) ? this.#plan(day).sessions : [];
  }

  tradingDay(time: number): string {
    return this.#stretch(time).tradingDay;
  }

  previousTradingDay(day: string): string {
    return this.#step(day, -1);
  }

  nextTradingDay(day: string): string {
    return this.#step(day, 1);
  }

  tradingDays(from: string, to: string): readonly TradingDate[] {
    const dates: TradingDate[] = [];
    for (let day = from; day <= to; day = addDays(day, 1)) {
      if (this.isTradingDay(day)) dates.push({ day, type: this.#schedule.holidays.half.has(day) ? 'morning' : 'whole' });
    }
    return dates;
  }

  state(time: number): number {
    return this.#stretch(time).state;
  }

  sessionAt(time: number): TradingSession | undefined {
    return this.#stretch(time).session;
  }

  #step(day: string, direction: 1 | -1): string {
    let next = addDays(day, direction);
    while (!this.isTradingDay(next)) next = addDays(next, direction);
    return next;
  }

  #stretch(time: number): Stretch {
    if (time < this.#last.from || time >= this.#last.until) this.#last = this.#find(time);
    return this.#last;
  }

  // A trading day's marks may start on an evening before it, never later than its own date: so the first day after
  // `time`'s date is the latest that can have started, and we go back from there to the one whose marks hold.
  #find(time: number): Stretch {
    let day = this.nextTradingDay(localDate(time, this.timeZone));
    let plan = this.#plan(day);
    let until = Number.POSITIVE_INFINITY;
    while (time < startOf(plan)) {
      until = startOf(plan);
      day = this.previousTradingDay(day);
      plan = this.#plan(day);
    }
    const at = plan.changes.findLastIndex((change) => change.time <= time);
    const change = plan.changes[at];
    if (change === undefined) throw new Error(`calendar ${this.name} has a day without marks: ${day}`);
    return {
      from: change.time,
      until: plan.changes[at + 1]?.time ?? until,
      state: change.state,
      session: change.session,
      tradingDay: change.time >= plan.opens ? day : this.previousTradingDay(day),
    };
  }

  #plan(day: string): DayPlan {
    let plan = this.#plans.get(day);
    if (plan === undefined) {
      plan = this.#planOf(day);
      if (this.#plans.size >= PLANS_MAX) this.#plans.clear();
      this.#plans.set(day, plan);
    }
    return plan;
  }

  #planOf(day: string): DayPlan {
    const hours = this.#hoursOn(day);
    const half = hours.half !== undefined && this.#schedule.holidays.half.has(day);
    const marks = [...this.#eveOf(day, hours), ...this.#timed(day, half ? (hours.half ?? []) : hours.full)];
    const changes = marks.map(({ time, mark: [, state, kind] }, i) => {
      const end = marks[i + 1]?.time;
      return kind === undefined || end === undefined ? { time, state } : { time, state, session: { start: time, end, state, kind } };
    });
    const sessions = changes.flatMap(({ session }) => session ?? []);
    return { changes, sessions, opens: sessions[0]?.start ?? Number.POSITIVE_INFINITY };
  }

  #eveOf(day: string, { eve }: Hours): { time: number; mark: Mark }[] {
    if (eve === undefined) return [];
    if (eve.of === 'previous-day') return this.#timed(addDays(day, -1), eve.marks);
    const previous = this.previousTradingDay(day);
    return this.#schedule.holidays.half.has(previous) ? [] : this.#timed(previous, eve.marks);
  }

  #hoursOn(day: string): Hours {
    const hours = this.#schedule.hours.find(({ since }) => since === undefined || day >= since);
    if (hours === undefined) throw new Error(`calendar ${this.name} has no hours on ${day}`);
    return hours;
  }

  #timed(day: string, marks: readonly Mark[]): { time: number; mark: Mark }[] {
    return marks.map((mark) => ({ time: wallTime(day, mark[0], this.timeZone), mark }));
  }
}

function startOf(plan: DayPlan): number {
  return plan.changes[0]?.time ?? Number.POSITIVE_INFINITY;
}

/** Epoch ms of a mark's wall time, whose hours may run past 24. */
function wallTime(day: string, text: string, timeZone: string): number {
  const hour = Number(text.slice(0, 2));
  const date = addDays(day, Math.floor(hour / 24));
  const time = parseLocal(`${date} ${String(hour % 24).padStart(2, '0')}${text.slice(2)}:00`, timeZone);
  if (time === undefined) throw new Error(`no wall time: ${text}`);
  return time;
}
