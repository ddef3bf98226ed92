import type { Decimal } from '@svc-gateway/contract/decimal';
import { walk } from '../rng/price-chain.js';
import { exponential, keyOf, uniform } from '../rng/random.js';

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

/** Term premium over the typical short rate, in basis points. */
const TERM_PREMIUM = 60;
/** How much the long end moves in a day. */
const DAILY_BASIS_POINTS = 4;
/** Years in which the curve has gone most of the way from its short end to its long one. */
const DECAY_YEARS = 3;

/**
 * Yield of a government's bond that is due in `years`, on a day (counted from 1970-01-01): a year's, compounded twice, as a fraction. The curve is that of Nelson and
 * Siegel (1987) without its hump: the short end is the risk-free rate, the long end wanders.
 */
export function governmentYield(day: number, years: number, area: RateArea): number {
  const short = basisPoints(day, area);
  const long = areas[area][0] + TERM_PREMIUM + walk(keyOf(`long rate ${area}`), day, DAILY_BASIS_POINTS);
  const x = Math.max(years, 0) / DECAY_YEARS;
  const weight = x < 1e-6 ? 1 : (1 - exponential(-x)) / x;
  return Math.max(1, long + (short - long) * weight) / 10_000;
}
