import type { Decimal } from '@svc-gateway/contract/decimal';
import { keyOf, uniform } from '../rng/random.js';

/** Currency areas with a risk-free rate. */
export type RateArea = keyof typeof areas;

/** Typical level and largest deviation from it, in basis points. */
const areas = { hk: [320, 60], us: [400, 60], jp: [50, 30] } as const;

/** How long a rate takes from one random level to the next. */
const DRIFT_DAYS = 90;
/** One hundredth of a percent, in billionths of a percent. */
const BASIS_POINT: Decimal = 10_000_000n;

/**
 * The made-up short rate of a day (counted from 1970-01-01), in percent a year: a function of the date alone. It wanders between random levels, a
 * quarter apart.
 */
export function riskFreeRate(day: number, area: RateArea): Decimal {
  return BigInt(Math.round(basisPoints(day, area))) * BASIS_POINT;
}

/** {@link riskFreeRate} in unrounded basis points. */
export function basisPoints(day: number, area: RateArea): number {
  const [level, deviation] = areas[area];
  const key = keyOf(`risk-free ${area}`);
  const quarter = Math.floor(day / DRIFT_DAYS);
  const passed = (day - quarter * DRIFT_DAYS) / DRIFT_DAYS;
  const position = uniform(key, quarter) * (1 - passed) + uniform(key, quarter + 1) * passed;
  return level + deviation * (2 * position - 1);
}

/** The level around which the rate of an area wanders, in basis points. */
export function typicalBasisPoints(area: RateArea): number {
  return areas[area][0];
}
