import { keyOf, uniform } from '../chance/random.js';

/** A hundredth of a percent. */
const BASIS_POINTS = 10_000;

/** Typical level and largest deviation from it, in basis points. */
const areas = { hk: [320, 60], us: [400, 60], jp: [50, 30] } as const;

/** Whose money. */
export type RateArea = keyof typeof areas;

/** How long a rate takes from one random level to the next. */
const DRIFT_DAYS = 90;

/**
 * The risk-free rate of a day (counted from 1970-01-01) in whole basis points a year. Invented, a function of the date alone: each wanders between random levels,
 * a quarter apart.
 */
export function riskFreeBasisPoints(day: number, area: RateArea): number {
  const [level, deviation] = areas[area];
  const key = keyOf(`risk-free ${area}`);
  const quarter = Math.floor(day / DRIFT_DAYS);
  const passed = (day - quarter * DRIFT_DAYS) / DRIFT_DAYS;
  const position = uniform(key, quarter) * (1 - passed) + uniform(key, quarter + 1) * passed;
  return Math.round(level + deviation * (2 * position - 1));
}

/** The same as a fraction. */
export function riskFreeRate(day: number, area: RateArea): number {
  return riskFreeBasisPoints(day, area) / BASIS_POINTS;
}
