import { DECIMAL_ONE, type Decimal, greater } from '@svc-gateway/contract/decimal';

/** A leg's part in the price of an order of several. */
export interface PricedLeg {
  readonly side: 'buy' | 'sell';
  /** Units of the leg in one unit of the order. */
  readonly ratio: bigint;
  readonly price: Decimal;
  /** Money that one unit of the leg is worth at a price of 1. */
  readonly multiplier?: Decimal;
}

/**
 * Money that a unit of an order is worth at a price of 1: the greatest multiplier of its legs. Of a contract with its shares, the price is of one share with
 * its part of the contract.
 */
export function unitMultiplier(legs: readonly Pick<PricedLeg, 'multiplier'>[]): Decimal {
  return legs.reduce((most, { multiplier = DECIMAL_ONE }) => greater(most, multiplier), 0n);
}

/** The price of an order's unit at prices of its legs: bought less sold. */
export function netPrice(legs: readonly PricedLeg[]): Decimal {
  return netMoney(legs) / unitMultiplier(legs);
}

/** Cost of an order's unit at prices of its legs, bought less sold: in money × 10⁹, exact. */
export function netMoney(legs: readonly PricedLeg[]): bigint {
  return legs.reduce(
    (sum, { side, ratio, price, multiplier = DECIMAL_ONE }) => sum + (side === 'buy' ? price : -price) * ratio * multiplier,
    0n,
  );
}
