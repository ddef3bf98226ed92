import { DECIMAL_ONE, type Decimal, roundTo } from './decimal.js';

const CENT: Decimal = DECIMAL_ONE / 100n;

/** Currencies without parts (ISO 4217); all others here have a hundred. */
const WHOLE: ReadonlySet<string> = new Set(['JPY', 'KRW']);

/** The smallest amount of a currency. */
export function moneyStep(currency: string): Decimal {
  return WHOLE.has(currency) ? DECIMAL_ONE : CENT;
}

/** An amount in the decimals of its currency, half to even: as answers show it. Sums and checks take it as it is. */
export function inMoney(amount: Decimal, currency: string): Decimal {
  return roundTo(amount, moneyStep(currency));
}
