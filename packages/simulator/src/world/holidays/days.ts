import { DAY_MS, requireDay, weekdayOfNumber } from '@svc-gateway/contract/time';

/**
 * Dates as counts of days since 1970-01-01, as holiday rules compute with them. Months count from 1; weekdays are 0 Sunday … 6 Saturday.
 */

/** "2015-09-03 2015-09-04" as a list. */
export function days(text = ''): readonly number[] {
  return text === '' ? [] : text.split(' ').map(requireDay);
}

export function date(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

/** The `nth` (from 1) such weekday of a month. */
export function nthWeekday(year: number, month: number, weekday: number, nth: number): number {
  const first = date(year, month, 1);
  return first + ((weekday - weekdayOfNumber(first) + 7) % 7) + 7 * (nth - 1);
}

export function lastWeekday(year: number, month: number, weekday: number): number {
  const last = date(year, month + 1, 1) - 1;
  return last - ((weekdayOfNumber(last) - weekday + 7) % 7);
}

export function isWeekend(day: number): boolean {
  const weekday = weekdayOfNumber(day);
  return weekday === 0 || weekday === 6;
}

/** Easter Sunday by the Gregorian computus (Meeus, Jones and Butcher). */
export function easter(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return date(year, month, ((h + l - 7 * m + 114) % 31) + 1);
}

/** Holidays of which no two fall together, nor any on a Sunday: such a one is kept on the next day that is none. `fixed` ones stay where they are. */
export function keptApart(movable: readonly number[], fixed: readonly number[] = []): number[] {
  const taken = new Set(fixed);
  const inOrder = [...movable].sort((a, b) => a - b);
  const moved = inOrder.filter((day) => weekdayOfNumber(day) === 0 || taken.has(day));
  for (const day of inOrder) if (!moved.includes(day)) taken.add(day);
  for (const day of moved) {
    let kept = day;
    while (taken.has(kept) || weekdayOfNumber(kept) === 0) kept += 1;
    taken.add(kept);
  }
  return [...taken];
}
