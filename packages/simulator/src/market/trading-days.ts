import { requireDay } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import type { Calendar, TradingSession } from '../world/calendar.js';
import { type Activity, activityOf } from './activity.js';

/** A trading day of a calendar, with what the generator derives from it. */
export interface TradingDay {
  /** "2026-11-20". */
  readonly day: string;
  /** Days since 1970-01-01 of that date. */
  readonly number: number;
  readonly sessions: readonly TradingSession[];
  /** Start of the first session and end of the last, epoch ms. */
  readonly start: number;
  readonly end: number;
  /** From the start of regular trading to its end: the day's own figures are of this. Extended hours lie before and after. */
  readonly regular: { readonly start: number; readonly end: number };
  readonly activity: Activity;
}

/** A day with its neighbours, as far as somebody has asked: whoever looks at years goes from one to the next. */
interface LinkedDay extends TradingDay {
  /** Calendar that the day belongs to; session times differ elsewhere. */
  readonly of: TradingDays;
  before: LinkedDay | undefined;
  after: LinkedDay | undefined;
}

const CACHED_DAYS = 10_000;

/** The trading days of one calendar, remembered (up to a bound): they are shared by all its instruments. */
export class TradingDays {
  readonly #days = new LruCache<string, LinkedDay>(CACHED_DAYS);

  /** @param kinds of sessions that count: what is quoted in regular hours only has no others. */
  constructor(
    readonly calendar: Calendar,
    private readonly kinds: ReadonlySet<TradingSession['kind']> = new Set(['regular', 'extended']),
  ) {}

  /** Throws when `day` is no trading day: only days that the calendar itself named are asked for. */
  on(day: string): TradingDay {
    return this.#on(day);
  }

  #on(day: string): LinkedDay {
    return this.#days.get(day, () => {
      const sessions = this.calendar.sessions(day).filter(({ kind }) => this.kinds.has(kind));
      const first = sessions[0];
      const last = sessions.at(-1);
      if (first === undefined || last === undefined) throw new Error(`${this.calendar.name} has no session on ${day}`);
      const regular = sessions.filter(({ kind }) => kind === 'regular');
      return {
        day,
        number: requireDay(day),
        sessions,
        start: first.start,
        end: last.end,
        regular: { start: (regular[0] ?? first).start, end: (regular.at(-1) ?? last).end },
        activity: activityOf(sessions),
        of: this,
        before: undefined,
        after: undefined,
      };
    });
  }

  /** The day that `time` falls in; between days, the last one that began. */
  at(time: number): TradingDay {
    const day = this.on(this.calendar.tradingDay(time));
    return day.start <= time ? day : this.previous(day);
  }

  previous(day: TradingDay): TradingDay {
    const own = this.#own(day);
    own.before ??= this.#on(this.calendar.previousTradingDay(day.day));
    return own.before;
  }

  next(day: TradingDay): TradingDay {
    const own = this.#own(day);
    own.after ??= this.#on(this.calendar.nextTradingDay(day.day));
    return own.after;
  }

  #own(day: TradingDay): LinkedDay {
    const linked = day as Partial<LinkedDay>;
    return linked.of === this ? (linked as LinkedDay) : this.#on(day.day);
  }
}
