import { cumulative, density } from './normal.js';
import type { Valuation } from './option-terms.js';

/** Pays one when the underlying ends between two prices, both included. */
export interface InlineWarrant {
  readonly spot: number;
  readonly lower: number;
  readonly upper: number;
  readonly years: number;
  readonly rate: number;
  readonly yield: number;
  /** At both prices. */
  readonly volatilities: readonly [lower: number, upper: number];
}

/** The difference of two cash-or-nothing calls (Reiner and Rubinstein, "Unscrambling the binary code", Risk, 1991), each at its strike's volatility. */
export function inlineValuation(warrant: InlineWarrant): Valuation {
  const { spot, lower, upper, years } = warrant;
  if (years <= 0) return { value: spot >= lower && spot <= upper ? 1 : 0, delta: 0, gamma: 0, vega: 0, theta: 0, rho: 0 };
  const [low, high] = [digital(warrant, lower, warrant.volatilities[0]), digital(warrant, upper, warrant.volatilities[1])];
  return {
    value: Math.max(0, low.value - high.value),
    delta: low.delta - high.delta,
    gamma: low.gamma - high.gamma,
    vega: low.vega - high.vega,
    theta: low.theta - high.theta,
    rho: low.rho - high.rho,
  };
}

/** A call that pays one. */
function digital({ spot, years, rate, yield: paid }: InlineWarrant, strike: number, volatility: number): Valuation {
  const root = Math.sqrt(years);
  const deviation = volatility * root;
  const drift = rate - paid;
  const d2 = (Math.log(spot / strike) + drift * years) / deviation - deviation / 2;
  const discount = Math.exp(-rate * years);
  const bell = discount * density(d2);
  const value = discount * cumulative(d2);
  return {
    value,
    delta: bell / (spot * deviation),
    gamma: (-bell / (spot * spot * deviation)) * (1 + d2 / deviation),
    vega: -bell * (d2 / volatility + root),
    theta: rate * value - bell * (drift / deviation - d2 / (2 * years) - volatility / (2 * root)),
    rho: -years * value + (bell * root) / volatility,
  };
}
