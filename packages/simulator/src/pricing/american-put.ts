import { type European, european } from './european.js';
import { cumulative, density } from './normal.js';
import type { Valuation } from './option-terms.js';

/** A put on something without income, which may be exercised at any time. */
export type Put = Omit<European, 'right' | 'yield'>;

/** Interest that is not worth exercising for. */
const INTEREST_LEAST = 1e-9;
const STEPS_MAX = 60;
const PRECISE = 1e-12;

/**
 * Barone-Adesi and Whaley, "Efficient analytic approximation of American option values" (Journal of Finance, 1987): the European value, and a premium
 * (K − B − p(B))·(S/B)^q for a boundary B below which one exercises. B is where that is largest, so that its own change moves no value: every derivative is
 * the formula's with B held.
 */
interface Exercise {
  readonly boundary: number;
  /** Negative. */
  readonly power: number;
  /** Early-exercise premium at the boundary. */
  readonly gain: number;
}

export function americanPut(put: Put): Valuation {
  const exercise = exerciseOf(put);
  const whole = european(asEuropean(put));
  if (exercise === undefined) return whole;
  const { spot, strike, years, rate, volatility } = put;
  const { boundary, power, gain } = exercise;
  if (spot <= boundary) return { value: strike - spot, delta: -1, gamma: 0, vega: 0, theta: 0, rho: 0 };
  const share = (spot / boundary) ** power;
  const premium = gain * share;
  const atBoundary = european(asEuropean(put, boundary));
  const slope = premium * Math.log(spot / boundary);
  const by = powerSlopes(years, rate, volatility, power);
  return {
    value: whole.value + premium,
    delta: whole.delta + (power * premium) / spot,
    gamma: whole.gamma + (power * (power - 1) * premium) / (spot * spot),
    vega: whole.vega - atBoundary.vega * share + slope * by.volatility,
    theta: whole.theta - atBoundary.theta * share - slope * by.years,
    rho: whole.rho - atBoundary.rho * share + slope * by.rate,
  };
}

/** @param at the spot price, the put's own where it is not given */
function asEuropean({ spot, strike, years, rate, volatility }: Put, at = spot): European {
  return { right: 'put', spot: at, strike, years, rate, yield: 0, volatility };
}

function powerOf(years: number, rate: number, volatility: number): number {
  const m = (2 * rate) / (volatility * volatility);
  const lost = -Math.expm1(-rate * years);
  return (1 - m - Math.sqrt((m - 1) ** 2 + (4 * m) / lost)) / 2;
}

/** Derivatives of {@link powerOf}: q² + (m − 1)q − m/k = 0 with m = 2r/σ² and k = 1 − e^(−rT). */
function powerSlopes(years: number, rate: number, volatility: number, power: number) {
  const m = (2 * rate) / (volatility * volatility);
  const lost = -Math.expm1(-rate * years);
  const steepness = 2 * power + m - 1;
  const byM = (1 / lost - power) / steepness;
  const byLost = -m / (lost * lost) / steepness;
  const decay = Math.exp(-rate * years);
  return {
    volatility: (byM * -2 * m) / volatility,
    years: byLost * rate * decay,
    rate: (byM * m) / rate + byLost * years * decay,
  };
}

/** Undefined where exercise before the end gains nothing. */
function exerciseOf(put: Put): Exercise | undefined {
  const { strike, years, rate, volatility } = put;
  if (rate * years < INTEREST_LEAST) return undefined;
  const power = powerOf(years, rate, volatility);
  const boundary = boundaryOf(put, power);
  return { boundary, power, gain: strike - boundary - european(asEuropean(put, boundary)).value };
}

/** Where K − B − p(B) = −B(1 − N(−d1(B)))/q, by Newton's steps held within the bounds that bisection would give. */
function boundaryOf({ strike, years, rate, volatility }: Put, power: number): number {
  const deviation = volatility * Math.sqrt(years);
  const owed = strike * Math.exp(-rate * years);
  let [low, high] = [0, strike];
  // The authors' first guess: between the boundary of a put that never ends and the strike.
  const m = (2 * rate) / (volatility * volatility);
  const endless = strike / (1 + 1 / m);
  let boundary = endless + (strike - endless) * Math.exp(((rate * years - 2 * deviation) * strike) / (strike - endless));
  if (!(boundary > low && boundary < high)) boundary = strike / 2;
  for (let step = 0; step < STEPS_MAX; step++) {
    const d1 = (Math.log(boundary / strike) + rate * years) / deviation + deviation / 2;
    const inMoney = cumulative(-d1);
    const value = owed * cumulative(deviation - d1) - boundary * inMoney;
    const outside = 1 - inMoney;
    const error = strike - boundary - value + (boundary * outside) / power;
    if (error > 0) low = boundary;
    else high = boundary;
    if (Math.abs(error) <= PRECISE * strike) break;
    const slope = -1 + inMoney + (outside + density(d1) / deviation) / power;
    const next = boundary - error / slope;
    boundary = next > low && next < high ? next : (low + high) / 2;
  }
  return boundary;
}
