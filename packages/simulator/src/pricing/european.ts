import { cumulative, density } from './normal.js';
import type { Valuation } from './option-terms.js';

/** A European option on something that pays `yield` all the time and nothing else. */
export interface European {
  readonly right: 'call' | 'put';
  readonly spot: number;
  readonly strike: number;
  readonly years: number;
  readonly rate: number;
  readonly yield: number;
  readonly volatility: number;
}

/**
 * Value by Black and Scholes (1973) with Merton's yield (1973), and its derivatives (Hull, Options, Futures, and Other Derivatives, "The Greek letters"). Everything
 * positive but the rates.
 */
export function european(option: European): Valuation {
  const { right, spot, strike, years, rate, yield: paid, volatility } = option;
  const root = Math.sqrt(years);
  const deviation = volatility * root;
  const d1 = (Math.log(spot / strike) + (rate - paid) * years) / deviation + deviation / 2;
  const d2 = d1 - deviation;
  const sign = right === 'call' ? 1 : -1;
  const held = spot * Math.exp(-paid * years);
  const owed = strike * Math.exp(-rate * years);
  const [in1, in2] = [cumulative(sign * d1), cumulative(sign * d2)];
  const bell = density(d1);
  return {
    value: Math.max(0, sign * (held * in1 - owed * in2)),
    delta: (sign * held * in1) / spot,
    gamma: (held * bell) / (spot * spot * deviation),
    vega: held * bell * root,
    theta: (-held * bell * volatility) / (2 * root) + sign * (paid * held * in1 - rate * owed * in2),
    rho: sign * years * owed * in2,
  };
}
