import { walk } from '../rng/price-chain.js';
import { exponential, keyOf } from '../rng/random.js';
import { basisPoints, type RateArea, typicalBasisPoints } from './risk-free-rate.js';

/** Term premium over the typical short rate, in basis points. */
const TERM_PREMIUM = 60;
/** How much the long end moves in a day. */
const DAILY_BASIS_POINTS = 4;
/** Years in which the curve has gone most of the way from its short end to its long one. */
const DECAY_YEARS = 3;

const keys: Readonly<Record<RateArea, number>> = { hk: keyOf('long rate hk'), us: keyOf('long rate us'), jp: keyOf('long rate jp') };

/**
 * Yield of a government's bond that is due in `years`, on a day (counted from 1970-01-01): a year's, compounded twice, as a fraction. The curve is that of Nelson and
 * Siegel (1987) without its hump: the short end is the risk-free rate, the long end wanders.
 */
export function governmentYield(day: number, years: number, area: RateArea): number {
  const short = basisPoints(day, area);
  const long = typicalBasisPoints(area) + TERM_PREMIUM + walk(keys[area], day, DAILY_BASIS_POINTS);
  const x = Math.max(years, 0) / DECAY_YEARS;
  const weight = x < 1e-6 ? 1 : (1 - exponential(-x)) / x;
  return Math.max(1, long + (short - long) * weight) / 10_000;
}
