import { DECIMAL_ONE, type Decimal, divide, multiplyUp } from '@svc-gateway/contract/decimal';
import type { Limits } from './limits.js';

/** Amount that an order, or a part of it, counts with in one currency. */
export interface Worth {
  /** "HKD". */
  readonly currency: string;
  /** The order as it will stand: never negative. */
  readonly value: Decimal;
  /** Part that is new for the day: the value of a new order, the rise of a changed one; never negative. */
  readonly increase: Decimal;
}

/** An amount that cannot be told. Under a cap this refuses the order: it never counts as nothing. */
export interface Unknown {
  readonly code: 'limit.price_unknown' | 'limit.multiplier_unknown' | 'limit.exchange_rate_unknown' | 'limit.loss_unknown';
  /** A whole sentence without its full stop. */
  readonly reason: string;
}

/** Units of `to` that one unit of `from` is exchanged for, as the backend has it; undefined where it does not know. */
export type ExchangeRates = (from: string, to: string) => Decimal | undefined;

/** Amounts of an order as a holder of limits measures them, in one currency each. */
export type Measured = readonly Worth[] | Unknown;

export function isUnknown(measured: object | Decimal): measured is Unknown {
  return typeof measured === 'object' && 'code' in measured;
}

/** Profit of an account today by the currencies of its positions, negative for a loss; or why it is not known. */
export type DayProfit = readonly { readonly currency: string; readonly profit: Decimal }[] | Unknown;

/** Rates move between the check and the fill: 2 % on top. */
const CONVERSION_MARGIN: Decimal = (DECIMAL_ONE * 102n) / 100n;

/** `amount` in another currency, rounded up. */
export function converted(amount: Decimal, from: string, to: string, rates: ExchangeRates): Decimal | Unknown {
  if (from === to || amount === 0n) return amount;
  const rate = rates(from, to);
  if (rate === undefined || rate <= 0n) {
    return { code: 'limit.exchange_rate_unknown', reason: `order value in ${to} unknown: no exchange rate from ${from}` };
  }
  return multiplyUp(multiplyUp(amount, rate), CONVERSION_MARGIN);
}

/**
 * Loss of today by currency, or in the currency of the limits: there, losses count 2 % more than the rate says
 * and gains 2 % less. Never negative.
 */
export function lossesOf(profits: DayProfit, { limitsCurrency }: Limits, rates: ExchangeRates): readonly Loss[] | Unknown {
  if (isUnknown(profits)) return profits;
  if (limitsCurrency === null) return profits.map(({ currency, profit }) => ({ currency, loss: profit < 0n ? -profit : 0n }));
  let sum = 0n;
  for (const { currency, profit } of profits) {
    const lost = converted(profit < 0n ? -profit : profit, currency, limitsCurrency, rates);
    if (isUnknown(lost)) return { ...lost, reason: `loss of today in ${limitsCurrency} unknown: no exchange rate from ${currency}` };
    if (profit < 0n) sum += lost;
    else sum -= currency === limitsCurrency ? lost : divide(divide(lost, CONVERSION_MARGIN), CONVERSION_MARGIN);
  }
  return [{ currency: limitsCurrency, loss: sum > 0n ? sum : 0n }];
}

/** Loss in a currency. */
export interface Loss {
  readonly currency: string;
  readonly loss: Decimal;
}

/** The sums of an order's legs by currency, or all of them in the one currency that the limits are in. */
export function measured(legs: readonly { readonly worth: Worth | Unknown }[], limits: Limits, rates: ExchangeRates): Measured {
  const sums: Worth[] = [];
  for (const { worth } of legs) {
    const part = inCurrencyOf(limits, worth, rates);
    if (isUnknown(part)) return part;
    const index = sums.findIndex(({ currency }) => currency === part.currency);
    const sum = sums[index];
    if (sum === undefined) sums.push(part);
    else sums[index] = { ...part, value: sum.value + part.value, increase: sum.increase + part.increase };
  }
  return sums;
}

function inCurrencyOf({ limitsCurrency }: Limits, worth: Worth | Unknown, rates: ExchangeRates): Worth | Unknown {
  if (limitsCurrency === null || isUnknown(worth) || worth.currency === limitsCurrency) return worth;
  const value = converted(worth.value, worth.currency, limitsCurrency, rates);
  const increase = converted(worth.increase, worth.currency, limitsCurrency, rates);
  if (isUnknown(value)) return value;
  return isUnknown(increase) ? increase : { currency: limitsCurrency, value, increase };
}
