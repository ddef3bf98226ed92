import { addDays, dayOfNumber, requireDay, weekdayOfNumber } from '@svc-gateway/contract/time';
import { type Economy, isBusinessDay } from './economies.js';

/** A day of a month: the n-th of a weekday (0 Sunday … 6 Saturday), a date, or the n-th business day. */
export type DayRule = { readonly weekday: number; readonly nth: number } | { readonly date: number } | { readonly businessDay: number };

/**
 * When an office publishes. `week`: every week on a weekday, about the week before. `month`, `quarter`: so many months after the last month of what it is about.
 * `meeting`: in certain months (1 to 12). A day on which the office does not work is moved to the next one on which it does; times are of the economy's zone.
 */
export type Rule =
  | { readonly every: 'week'; readonly weekday: number; readonly time: string }
  | { readonly every: 'month' | 'quarter'; readonly lag: number; readonly on: DayRule; readonly time: string }
  | { readonly every: 'meeting'; readonly months: readonly number[]; readonly on: DayRule; readonly time: string };

/** One publication. */
export interface Release {
  /** Numbers the releases of a rule without a gap: weeks, months or quarters, or meetings, counted from the year 0 (weeks: from 1970). */
  readonly period: number;
  /** "2026-11-20" in the economy's zone. */
  readonly day: string;
}

/** Releases are moved by holidays by less than this. */
const MOVED_MAX_DAYS = 14;

/** The releases of a rule on the days [from, to], in order. */
export function releasesBetween(economy: Economy, rule: Rule, from: string, to: string): readonly Release[] {
  const found: Release[] = [];
  const start = addDays(from, -MOVED_MAX_DAYS);
  const [first, last] =
    rule.every === 'week' ? [weekOf(start), weekOf(to)] : [firstPeriod(rule, monthNumber(start)), lastPeriod(rule, monthNumber(to))];
  for (let period = first; period <= last; period++) {
    const day = releaseDay(economy, rule, period);
    if (day >= from && day <= to) found.push({ period, day });
  }
  return found;
}

/** The day on which the release of a period is published. */
export function releaseDay(economy: Economy, rule: Rule, period: number): string {
  return businessDayFrom(economy, plannedDay(economy, rule, period));
}

function plannedDay(economy: Economy, rule: Rule, period: number): string {
  switch (rule.every) {
    case 'week':
      // Weeks begin on Monday; the day that 1970 began with was a Thursday.
      return dayOfNumber(period * 7 - 3 + ((rule.weekday + 6) % 7));
    case 'month':
      return dayIn(economy, period + rule.lag, rule.on);
    case 'quarter':
      return dayIn(economy, period * 3 + 2 + rule.lag, rule.on);
    case 'meeting': {
      const year = Math.floor(period / rule.months.length);
      const month = rule.months[period - year * rule.months.length] ?? 1;
      return dayIn(economy, year * 12 + month - 1, rule.on);
    }
  }
}

function firstPeriod(rule: Exclude<Rule, { every: 'week' }>, month: number): number {
  switch (rule.every) {
    case 'month':
      return month - rule.lag;
    case 'quarter':
      return Math.floor((month - rule.lag - 2) / 3);
    case 'meeting':
      return Math.floor(month / 12) * rule.months.length;
  }
}

function lastPeriod(rule: Exclude<Rule, { every: 'week' }>, month: number): number {
  return rule.every === 'meeting' ? (Math.floor(month / 12) + 1) * rule.months.length - 1 : firstPeriod(rule, month + 2);
}

/** Day that a rule names in a month, which is counted from the year 0. */
function dayIn(economy: Economy, month: number, on: DayRule): string {
  const year = Math.floor(month / 12);
  const first = requireDay(`${String(year).padStart(4, '0')}-${String(month - year * 12 + 1).padStart(2, '0')}-01`);
  if ('date' in on) return dayOfNumber(first + on.date - 1);
  if ('weekday' in on) return dayOfNumber(first + ((on.weekday - weekdayOfNumber(first) + 7) % 7) + 7 * (on.nth - 1));
  let day = businessDayFrom(economy, dayOfNumber(first));
  for (let count = 1; count < on.businessDay; count++) day = businessDayFrom(economy, addDays(day, 1));
  return day;
}

function businessDayFrom(economy: Economy, day: string): string {
  let found = day;
  for (let moved = 0; moved < MOVED_MAX_DAYS && !isBusinessDay(economy, found); moved++) found = addDays(found, 1);
  return found;
}

function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

function weekOf(day: string): number {
  return Math.floor((requireDay(day) + 3) / 7);
}
