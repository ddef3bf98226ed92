import { DECIMAL_ONE, type Decimal, roundTo } from './decimal.js';
import type { Currency } from './markets.js';

const CENT: Decimal = DECIMAL_ONE / 100n;

/** The smallest amount of each currency (ISO 4217): a yen has no parts, all others have a hundred. */
const steps: Readonly<Record<Currency, Decimal>> = {
  HKD: CENT,
  USD: CENT,
  CNH: CENT,
  SGD: CENT,
  JPY: DECIMAL_ONE,
  MYR: CENT,
  AUD: CENT,
  CAD: CENT,
};

/** The smallest amount of a currency. */
export function moneyStep(currency: Currency): Decimal {
  return steps[currency];
}

/** An amount in the decimals of its currency, half to even: as answers show it. Sums and checks take it as it is. */
export function inMoney(amount: Decimal, currency: Currency): Decimal {
  return roundTo(amount, steps[currency]);
}
