import type { Decimal } from '@svc-gateway/contract/decimal';

const RATIO = 100_000n;
const DECIMALS_PER_THOUSANDTH = 1_000_000n;

/** A part of a whole, counted in 10^-5 and rounded half away from zero; 0 where there is no whole. */
export function ratio(part: Decimal, whole: Decimal): bigint {
  if (whole === 0n) return 0n;
  const doubled = 2n * part * RATIO;
  const half = part < 0n === whole < 0n ? whole : -whole;
  return (doubled + half) / (2n * whole);
}

/** Money counted in 10^-3, cut. */
export function thousandths(amount: Decimal): bigint {
  return amount / DECIMALS_PER_THOUSANDTH;
}
