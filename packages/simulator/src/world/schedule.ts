import type { TradingSession } from './calendar.js';
import type { Holidays } from './holidays/holidays.js';

/**
 * From this wall time on the market shows `state`, until the next mark; with `session`, it trades meanwhile. Hours from 24 on are
 * those of the following calendar day.
 */
export type Mark = readonly [wallTime: string, state: number, session?: TradingSession['kind']];

/** The hours of a trading day. */
export interface Hours {
  /** Marks of an evening before that belong to this day. */
  readonly eve?: {
    /** Day of the evening session: the calendar day before, or the trading day before (then a weekend lies in between). */
    readonly of: 'previous-day' | 'previous-trading-day';
    readonly marks: readonly Mark[];
  };
  readonly full: readonly Mark[];
  /** A half day; it has no evening session after it. */
  readonly half?: readonly Mark[];
}

/** When one group of instruments trades. Every change of state is a mark; the last one of a day holds until the next day's first. */
export interface Schedule {
  /** IANA zone of all its wall times. */
  readonly timeZone: string;
  readonly holidays: Holidays;
  readonly tradesOnWeekends?: boolean;
  /** The hours in force, newest first; the last has no `since`. */
  readonly hours: readonly (Hours & { readonly since?: string })[];
  /** Market state shown around the clock in clock mode `open`. */
  readonly openState: number;
  /** Zone of its days in that mode, where they are not of `timeZone`. */
  readonly openTimeZone?: string;
}
