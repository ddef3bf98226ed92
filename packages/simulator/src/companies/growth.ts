import { requireDay } from '@svc-gateway/contract/time';

/** The day of the world's reference prices and share counts: what grows is 1 on it. */
export const REFERENCE_DAY = requireDay('2026-01-01');

/** Years from the reference day in which companies grow and act; before and after, everything stands as at the end. */
export const FIRST_YEAR = 1990;
export const LAST_YEAR = 2060;

/** The calendar year of a day counted from 1970-01-01. */
export function yearOf(day: number): number {
  return new Date(day * 86_400_000).getUTCFullYear();
}

/** Days from 1970-01-01 to the first of a month (1 to 12). */
export function firstOf(year: number, month: number): number {
  return Date.UTC(year, month - 1, 1) / 86_400_000;
}

const DAYS_PER_YEAR = 365.25;
const YEARS_BACK = (REFERENCE_DAY - requireDay(`${FIRST_YEAR}-01-01`)) / DAYS_PER_YEAR;
const YEARS_AHEAD = (requireDay(`${LAST_YEAR}-12-31`) - REFERENCE_DAY) / DAYS_PER_YEAR;

/** Years from the reference day to `day` (days since 1970-01-01), held within the years of growth. */
export function yearsTo(day: number): number {
  return Math.max(-YEARS_BACK, Math.min((day - REFERENCE_DAY) / DAYS_PER_YEAR, YEARS_AHEAD));
}

/** (1 + rate)^years, straight between whole years: the same on every machine, which Math.pow need not be. */
export function compound(rate: number, years: number): number {
  const whole = Math.floor(years);
  let power = 1;
  for (let year = Math.abs(whole); year > 0; year--) power *= 1 + rate;
  return (whole < 0 ? 1 / power : power) * (1 + rate * (years - whole));
}
