/** A leg at the moment at which the first of them expires. */
export interface PayoffLeg {
  /** Units of the underlying; negative when sold. */
  readonly units: number;
  /** Money that a unit is then worth, when the underlying costs `spot`. */
  readonly valueAt: (spot: number) => number;
}

/** Possible results of holding legs up to the first expiry, in money. */
export interface PayoffAnalysis {
  /** Infinity where there is no bound. */
  readonly maxProfit: number;
  /** Positive; Infinity where there is no bound. */
  readonly maxLoss: number;
  /** Prices of the underlying at which nothing is gained or lost, rising. */
  readonly breakEvens: readonly number[];
  /** Probability of a gain, from 0 to 1. */
  readonly probability: number;
}

/** Prices looked at in between, where what is left of later legs bends the profit. */
const SAMPLES = 240;
const SAMPLES_REACH = 6;
/** So far above every strike, profit is as good as straight. */
const FAR = 1_000;
const HALVINGS = 60;
/** Part of the money at stake below which a result is rounding. */
const NOTHING = 1e-9;

/**
 * @param cost what the legs cost now; negative when they pay
 * @param kinks prices at which the profit may bend
 * @param below probability that the underlying then costs less than a price
 * @param isStraight the profit is straight between kinks: every leg ends then
 */
export function analysePayoff(
  legs: readonly PayoffLeg[],
  cost: number,
  kinks: readonly number[],
  below: (price: number) => number,
  isStraight: boolean,
): PayoffAnalysis {
  const profit = (spot: number) => legs.reduce((sum, { units, valueAt }) => sum + units * valueAt(spot), -cost);
  const highest = Math.max(...kinks);
  const far = highest * FAR;
  const between = isStraight ? [] : Array.from({ length: SAMPLES }, (_, i) => highest * SAMPLES_REACH ** ((2 * i) / (SAMPLES - 1) - 1));
  const prices = [...new Set([0, ...kinks, ...between, far])].sort((a, b) => a - b);
  const profits = prices.map(profit);
  const stake = legs.reduce((sum, { units }) => sum + Math.abs(units), 0) * highest;
  const slope = (profit(2 * far) - profit(far)) / far;
  const isRising = slope * highest > NOTHING * stake;
  const isFalling = -slope * highest > NOTHING * stake;
  const breakEvens: number[] = [];
  let probability = 0;
  let from = 0;
  for (let i = 1; i < prices.length; i++) {
    const [low, high] = [prices[i - 1] ?? 0, prices[i] ?? 0];
    const [before, after] = [profits[i - 1] ?? 0, profits[i] ?? 0];
    if (before > 0 === after > 0) continue;
    const root = rootBetween(profit, low, high, before > 0);
    breakEvens.push(root);
    if (before > 0) probability += below(root) - below(from);
    from = root;
  }
  if ((profits.at(-1) ?? 0) > 0) probability += 1 - below(from);
  const ends = profits.slice(0, -1);
  return {
    maxProfit: isRising ? Infinity : Math.max(...ends, isFalling ? -Infinity : (profits.at(-1) ?? 0)),
    maxLoss: isFalling ? Infinity : -Math.min(...ends, isRising ? Infinity : (profits.at(-1) ?? 0)),
    breakEvens,
    probability: Math.min(1, Math.max(0, probability)),
  };
}

function rootBetween(profit: (spot: number) => number, low: number, high: number, gainsBelow: boolean): number {
  let [below, above] = [low, high];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (below + above) / 2;
    if (profit(middle) > 0 === gainsBelow) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}
