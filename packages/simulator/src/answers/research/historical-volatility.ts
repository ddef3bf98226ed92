import type { Bar } from '../../market/index.js';

/** Trading days that historical volatility looks back over, and how many a year has. */
export const VOLATILITY_DAYS = 30;
const DAYS_PER_YEAR = 252;

/**
 * The deviation of the last thirty daily logarithmic changes, a year's, in percent to three places: √(Σ(r − r̄)² ÷ (n − 1) × 252), as in Hull, Options,
 * Futures, and Other Derivatives, chapter 15. Changes count from the reference price, so that ex-days are no moves. Undefined with fewer days.
 *
 * @param bars of days, oldest first
 */
export function historicalVolatility(bars: readonly Bar[]): number | undefined {
  const changes = bars.slice(-VOLATILITY_DAYS).map(({ close, previousClose }) => Math.log(Number(close) / Number(previousClose)));
  if (changes.length < VOLATILITY_DAYS) return undefined;
  const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length;
  const variance = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0) / (changes.length - 1);
  return Math.round(Math.sqrt(variance * DAYS_PER_YEAR) * 100_000) / 1000;
}
