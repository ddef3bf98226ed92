import { cumulative } from './normal.js';

/** Probability that something that costs `forward` for later then costs less than `price`: lognormal, with the volatility of that strike. */
export function probabilityBelow(price: number, forward: number, years: number, volatility: number): number {
  if (price <= 0) return 0;
  if (years <= 0) return price > forward ? 1 : 0;
  const deviation = volatility * Math.sqrt(years);
  return cumulative(Math.log(price / forward) / deviation + deviation / 2);
}
