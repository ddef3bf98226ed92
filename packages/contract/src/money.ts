import { DECIMAL_ONE, type Decimal, formatDecimal, roundTo } from './decimal.js';

const CENT: Decimal = DECIMAL_ONE / 100n;

/** Currencies without parts (ISO 4217); all others here have a hundred. */
const WHOLE: ReadonlySet<string> = new Set(['JPY', 'KRW']);

/** The smallest amount of a currency. */
export function moneyStep(currency: string): Decimal {
  return WHOLE.has(currency) ? DECIMAL_ONE : CENT;
}

/**
 * Rounding of a shown amount: "nearest" (half to even) where it is a figure of its own, and where it is compared the direction in which
 * the comparison stays true: up for needed and used amounts, down for available and allowed ones.
 */
export type MoneyRounding = 'nearest' | 'up' | 'down';

/** An amount in the decimals of its currency, as answers show it. Sums and checks take it as it is. */
export function inMoney(amount: Decimal, currency: string, rounding: MoneyRounding = 'nearest'): Decimal {
  const step = moneyStep(currency);
  if (rounding === 'nearest') return roundTo(amount, step);
  const excess = ((amount % step) + step) % step;
  const below = amount - excess;
  return rounding === 'up' && excess > 0n ? below + step : below;
}

/** "51250", "86.20": an amount in a sentence, with all decimals of its currency where it is not whole. */
export function moneyText(amount: Decimal, currency: string, rounding: MoneyRounding): string {
  const text = formatDecimal(inMoney(amount, currency, rounding));
  return /\.\d$/.test(text) ? `${text}0` : text;
}
