import type { Decimal } from '@svc-gateway/contract/decimal';

/** An amount of money to three significant digits, at least a hundred thousandth: how dividends and subscription prices are set. */
export function significant(amount: number): Decimal {
  if (!(amount > 0)) return 0n;
  let step = 10_000;
  while (amount * 1e9 >= step * 1000) step *= 10;
  return BigInt(Math.round((amount * 1e9) / step)) * BigInt(step);
}

/** Whole numbers at a glance. */
export interface Outline<T = bigint> {
  /** Cut towards zero, so that it lies between the other two. */
  readonly mean: T;
  readonly low: T;
  readonly high: T;
}

/** Computes the outline of at least one value. */
export function outline(values: readonly bigint[]): Outline {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [low = 0n] = sorted;
  const sum = sorted.reduce((total, value) => total + value, 0n);
  return { mean: sum / BigInt(sorted.length), low, high: sorted.at(-1) ?? low };
}
