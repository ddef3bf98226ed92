import { DAY_MS } from '@svc-gateway/contract/time';
import { days, isWeekend } from './days.js';

/** The weekdays of a year on which an exchange is closed, or closes early: counts of days since 1970-01-01. */
export interface HolidayYear {
  /** No trading. */
  readonly closed: ReadonlySet<number>;
  /** Trading ends at midday (US: at 13:00). */
  readonly half: ReadonlySet<number>;
}

/** An exchange's holidays of any year. Pure; costs some computing, so that who asks often remembers. */
export type Holidays = (year: number) => HolidayYear;

/** Days that a rule yields for a year; weekends, repetitions and half days that are closed anyway may be among them. */
interface Expected {
  readonly closed: readonly number[];
  readonly half?: readonly number[];
}

/** Where what was announced differs from the rule: days as in {@link days}. */
interface Announced {
  /** Closed, though the rule would trade. */
  readonly closed?: string;
  /** Traded, though the rule would rest. */
  readonly open?: string;
  readonly half?: string;
}

/** Holidays by a rule for every year, with what was announced otherwise. Closures on the day (typhoons, storms, failures) are not among them. */
export function holidays(rule: (year: number) => Expected, announced: Announced = {}): Holidays {
  const [extra, open, half] = [days(announced.closed), new Set(days(announced.open)), days(announced.half)];
  return (year) => {
    const [first, end] = [Date.UTC(year, 0, 1) / DAY_MS, Date.UTC(year + 1, 0, 1) / DAY_MS];
    const isOfYear = (day: number) => day >= first && day < end && !isWeekend(day);
    const expected = rule(year);
    const closed = new Set([...expected.closed.filter((day) => !open.has(day)), ...extra].filter(isOfYear));
    return { closed, half: new Set([...(expected.half ?? []), ...half].filter((day) => isOfYear(day) && !closed.has(day))) };
  };
}
