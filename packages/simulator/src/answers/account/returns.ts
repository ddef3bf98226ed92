import { DECIMAL_ONE, type Decimal, decimalToNumber, divide, formatDecimal, multiply } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';
import { inMoney } from '@svc-gateway/contract/money';
import type { AssetPoint, ExternalFlow } from './assets-history.js';

/** How a rate of return is counted. */
export type ReturnMethod = 'time_weighted' | 'money_weighted';

/** Return of an account between two moments. */
export interface Outcome {
  readonly begin: AssetPoint;
  readonly end: AssetPoint;
  /** Deposits less withdrawals. */
  readonly inflow: Decimal;
  /** Change in value that deposits and withdrawals do not explain. */
  readonly profit: Decimal;
  /** In percent; undefined where nothing was invested. */
  readonly rate: number | undefined;
}

/** @param flows of the account; those outside (begin, end] are left out. */
export function outcomeOf(begin: AssetPoint, end: AssetPoint, flows: readonly ExternalFlow[], method: ReturnMethod): Outcome {
  const own = flows.filter(({ time }) => time >= begin.time && time < end.time);
  const inflow = own.reduce((sum, { amount }) => sum + amount, 0n);
  const profit = end.assets - begin.assets - inflow;
  const ratio = method === 'time_weighted' ? timeWeighted(begin, end, own) : moneyWeighted(begin, end, own, profit);
  return { begin, end, inflow, profit, rate: ratio === undefined ? undefined : decimalToNumber(ratio * 100n) };
}

/** The growth between flows, compounded: what a unit invested all the time would have earned. */
function timeWeighted(begin: AssetPoint, end: AssetPoint, flows: readonly ExternalFlow[]): Decimal | undefined {
  let growth: Decimal | undefined;
  let invested = begin.assets;
  const grow = (assets: Decimal): void => {
    if (invested > 0n) growth = multiply(growth ?? DECIMAL_ONE, divide(assets, invested));
  };
  for (const { assets, amount } of flows) {
    grow(assets);
    invested = assets + amount;
  }
  grow(end.assets);
  return growth === undefined ? undefined : growth - DECIMAL_ONE;
}

/** Modified Dietz: profit over what was invested on average, each flow counting from its time on. */
function moneyWeighted(begin: AssetPoint, end: AssetPoint, flows: readonly ExternalFlow[], profit: Decimal): Decimal | undefined {
  const [first] = flows;
  const from = begin.assets === 0n && first !== undefined ? first.time : begin.time;
  const length = BigInt(end.time - from);
  if (length <= 0n) return undefined;
  const invested = flows.reduce((sum, { amount, time }) => sum + (amount * BigInt(end.time - time)) / length, begin.assets);
  return invested > 0n ? divide(profit, invested) : undefined;
}

/**
 * An outcome's figures as messages have them: in the decimals of the currency, so that what is shown adds up.
 *
 * @param now epoch ms: a span that takes in this moment ends just behind it, and is told to end with it
 */
export function outcomeFields({ begin, end, inflow }: Pick<Outcome, 'begin' | 'end' | 'inflow'>, currency: Currency, now: number) {
  const before = inMoney(begin.assets, currency);
  const after = inMoney(end.assets, currency);
  const flowed = inMoney(inflow, currency);
  return {
    beginTime: BigInt(begin.time),
    endTime: BigInt(Math.min(end.time, now)),
    beginAssets: formatDecimal(before),
    endAssets: formatDecimal(after),
    netInflow: formatDecimal(flowed),
    profit: formatDecimal(after - before - flowed),
  };
}
