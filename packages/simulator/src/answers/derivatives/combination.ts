import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { ContractValuation } from '../../market/market.js';
import { probabilityBelow } from '../../pricing/normal.js';
import { intrinsic } from '../../pricing/option-terms.js';
import { optionValuation } from '../../pricing/option-value.js';
import { analysePayoff, type PayoffAnalysis, type PayoffLeg } from '../../pricing/payoff.js';
import type { Combination, Leg } from './legs.js';

/** Stands for an unbounded profit or loss. */
export const UNBOUNDED = 9_999_999;

/** Sum over legs of something that each has per unit of the underlying; per unit of the first option's contract. */
export function summed({ legs, multiplier }: Combination, of: (leg: Leg) => number): number {
  return legs.reduce((sum, leg) => sum + leg.units * of(leg), 0) / multiplier;
}

/** Value of a leg per unit: an option's theoretical value, a share's last price. */
export function markOf({ valuation, quote }: Leg): number {
  return valuation?.value ?? decimalToNumber(quote.last);
}

/** A derivative of the leg's value; a share has the delta 1 and no other. */
export function greekOf({ valuation }: Leg, name: keyof Pick<ContractValuation, 'delta' | 'gamma' | 'vega' | 'theta' | 'rho'>): number {
  return valuation?.[name] ?? (name === 'delta' ? 1 : 0);
}

/** Payoff of one combination held to its first expiry, in money. Later legs are valued at today's volatility. */
export function analyse(combination: Combination): PayoffAnalysis {
  const { legs, options } = combination;
  const first = options.reduce((a, b) => (b.valuation.outlook.years < a.valuation.outlook.years ? b : a));
  const { outlook } = first.valuation;
  const payoffs = legs.map((leg): PayoffLeg => ({ units: leg.units, valueAt: valueAfter(leg, outlook.years) }));
  const cost = legs.reduce((sum, leg) => sum + leg.units * markOf(leg), 0);
  const strikes = options.map(({ option }) => decimalToNumber(option.option.strike));
  const below = (price: number) => (price <= 0 ? 0 : probabilityBelow(price, outlook.forward, outlook.years, outlook.volatility(price)));
  const isStraight = options.every(({ option }) => option.option.expiry === first.option.option.expiry);
  return analysePayoff(payoffs, cost, [...strikes, outlook.spot], below, isStraight);
}

function valueAfter({ option, valuation }: Leg, passed: number): PayoffLeg['valueAt'] {
  if (option === undefined || valuation === undefined) return (spot) => spot;
  const { right, style, strike: decimal } = option.option;
  const strike = decimalToNumber(decimal);
  const { outlook, volatility } = valuation;
  const years = outlook.years - passed;
  if (years <= 0) return (spot) => intrinsic(right, spot, strike);
  const dividends = outlook.dividends.flatMap(({ years: until, cash }) => (until > passed ? [{ years: until - passed, cash }] : []));
  const { rate, yield: paid } = outlook;
  // A price of zero has no logarithm.
  const valued = (spot: number) => optionValuation({ right, style, spot, strike, years, rate, yield: paid, dividends, volatility });
  return (spot) => valued(Math.max(spot, 1e-6)).value;
}
