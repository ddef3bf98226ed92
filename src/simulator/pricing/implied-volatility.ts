import type { OptionInputs } from './option-terms.js';
import { optionPrice } from './option-value.js';

const LEAST = 0.001;
const MOST = 20;
const STEPS = 100;

/** The volatility at which an option is worth `price`; undefined where none makes it so: below what exercise pays, or with no time left. By bisection: value rises with volatility. */
export function impliedVolatility(price: number, option: Omit<OptionInputs, 'volatility'>): number | undefined {
  const at = (volatility: number) => optionPrice({ ...option, volatility });
  if (option.years <= 0 || !(price > at(LEAST)) || price >= at(MOST)) return undefined;
  let [low, high] = [LEAST, MOST];
  for (let step = 0; step < STEPS && high - low > 1e-12; step++) {
    const middle = (low + high) / 2;
    if (at(middle) < price) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
