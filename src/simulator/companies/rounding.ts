import type { Decimal } from '../../contract/decimal.js';

/** An amount of money to three significant digits, at least a hundred thousandth: how dividends and subscription prices are set. */
export function significant(amount: number): Decimal {
  if (!(amount > 0)) return 0n;
  let step = 10_000;
  while (amount * 1e9 >= step * 1000) step *= 10;
  return BigInt(Math.round((amount * 1e9) / step)) * BigInt(step);
}
