import type { Decimal } from '@svc-gateway/contract/decimal';
import type { StrikeSteps } from './data/options.js';
import { exact } from './exact.js';

/** Strikes, lowest first, of a ladder of steps from `low` to `high`, both included. Each band's strikes are multiples of its step. */
export function strikesBetween(steps: StrikeSteps, low: Decimal, high: Decimal): readonly Decimal[] {
  const strikes: Decimal[] = [];
  let from = 0n;
  for (const [size, below] of steps) {
    const step = exact(size);
    const bound = below === undefined ? undefined : exact(below);
    const until = bound === undefined || bound > high ? high + 1n : bound;
    const start = low > from ? low : from;
    let strike = ((start + step - 1n) / step) * step;
    if (strike === 0n) strike = step;
    for (; strike < until; strike += step) strikes.push(strike);
    from = bound ?? until;
  }
  return strikes;
}

/** Whether a ladder has a strike. */
export function isStrike(steps: StrikeSteps, strike: Decimal): boolean {
  const band = steps.find(([, below]) => below === undefined || strike < exact(below));
  return band !== undefined && strike > 0n && strike % exact(band[0]) === 0n;
}
