import { keyOf, mix, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import { isStateOwned } from '../world/plates.js';
import { FiscalCalendar } from './fiscal.js';
import type { Issuer } from './issuers.js';
import { type Reporting, reportingIn } from './reporting.js';

/** Constant traits of a company. Rates are yearly, as fractions. */
export interface CompanyProfile {
  /** Stream of the company's randomness. */
  readonly key: number;
  readonly fiscal: FiscalCalendar;
  readonly reporting: Reporting;
  /** Growth of sales, earnings and net assets. */
  readonly growth: number;
  /** Growth of the number of shares apart from splits, by issues and buy-backs. */
  readonly shareGrowth: number;
  /** Earnings on the reference day, in the currency of the accounts. */
  readonly earnings: number;
  readonly revenue: number;
  readonly equity: number;
  /** Part of earnings that is paid out; 0 for those that pay none. */
  readonly payout: number;
  readonly grossMargin: number;
  readonly taxRate: number;
  /** Part of operating expenses that is research. */
  readonly research: number;
  /** Deviation of a quarter's earnings around their path. */
  readonly surprise: number;
  /** Strength of the seasons, 0 to 0.3. */
  readonly seasonality: number;
  /** Debt over net assets, payables and receivables and inventory over a year's sales. */
  readonly leverage: number;
  readonly payables: number;
  readonly receivables: number;
  readonly inventory: number;
  /** Depreciation over a year's sales. */
  readonly depreciation: number;
  /** Shares that are not held by insiders. */
  readonly freeFloat: number;
}

/** Growth is bounded so that seventy years of it keep prices within the market's bounds. */
const GROWTH_MAX = 0.05;
const SHARE_GROWTH_MAX = 0.03;
/** Companies whose price moves this much may be without earnings. */
const UNPROFITABLE_VOLATILITY = 0.4;

/** Well-known companies whose fiscal years do not end in December, by the month in which they end. */
const knownYearEnds: Readonly<Record<number, string>> = {
  1: 'US.CRM US.CRWD US.HD US.LOW US.NVDA US.SNOW US.TGT US.WMT',
  3: 'HK.00992 HK.01929 HK.09988',
  5: 'HK.09901 US.FDX US.NKE US.ORCL',
  6: 'US.LRCX US.MSFT US.PG US.SMCI',
  7: 'US.CSCO US.INTU US.PANW',
  8: 'US.COST US.MU',
  9: 'US.AAPL US.DIS US.QCOM US.SBUX US.V',
  10: 'US.AMAT US.ADI US.AVGO US.DE',
  11: 'US.ADBE',
};

/**
 * Price-earnings ratios of 8 to 45 at the reference price, three companies in four paying a dividend; among the most volatile, one in four
 * loses money. State-owned companies of the mainland are priced at 4 to 9 times their earnings, many of them below their net
 * assets, and all pay. What is earned and neither paid out nor kept for growth goes into buying back shares; what lacks is raised by issuing some.
 */
export function companyProfile(seed: string | number, issuer: Issuer, referencePrice: number): CompanyProfile {
  const { home, classes, ordinaryShares } = issuer;
  const key = companyKey(seed, home);
  let draws = 0;
  const between = (least: number, most: number) => least + (most - least) * uniform(key, draws++);
  const chance = (probability: number) => between(0, 1) < probability;

  const value = referencePrice * Number(ordinaryShares);
  const volatile = home.volatility >= UNPROFITABLE_VOLATILITY;
  const losing = chance(0.25) && volatile;
  const stateOwned = isStateOwned(classes.map(({ instrument }) => instrument.symbol));
  const earnings = losing ? -value * between(0.01, 0.05) : value / (stateOwned ? between(4, 9) : between(8, 45));
  const returnOnEquity = stateOwned ? between(0.06, 0.14) : between(0.06, 0.28);
  const equity = losing ? value * between(0.15, 0.5) : earnings / returnOnEquity;
  const growth = between(0, GROWTH_MAX);
  const pays = (chance(volatile ? 0.55 : 0.85) || stateOwned) && !losing;
  // Trusts pay out nearly all: REITs must, 90 % in Hong Kong, Singapore and Malaysia.
  const payout = home.kind === 'trust' ? between(0.9, 1) : pays ? between(0.2, 0.65) : 0;
  const raised = (growth * equity - earnings * (1 - payout)) / value;
  const taxRate = between(0.15, 0.25);
  const netMargin = between(0.05, 0.25);
  const revenue = Math.abs(earnings) / netMargin;
  return {
    key,
    fiscal: new FiscalCalendar(yearEnd(home, between(0, 1))),
    reporting: reportingIn(home.market),
    growth,
    shareGrowth: Math.max(-SHARE_GROWTH_MAX, Math.min(raised, SHARE_GROWTH_MAX)),
    earnings,
    revenue,
    equity,
    payout,
    grossMargin: netMargin / (1 - taxRate) + between(0.15, 0.4),
    taxRate,
    research: between(0.05, 0.4),
    surprise: between(0.03, 0.12),
    seasonality: between(0, 0.3),
    leverage: between(0.05, 0.9),
    payables: between(0.08, 0.25),
    receivables: between(0.05, 0.2),
    inventory: between(0.02, 0.2),
    depreciation: between(0.02, 0.07),
    freeFloat: Math.round(between(600, 1000)) / 1000,
  };
}

/** The stream of a company, by its home listing. */
export function companyKey(seed: string | number, { symbol }: Instrument): number {
  return keyOf(`${seed}|company|${symbol}`);
}

function yearEnd(home: Instrument, chance: number): number {
  const known = Object.entries(knownYearEnds).find(([, symbols]) => symbols.split(' ').includes(home.symbol));
  if (known !== undefined) return Number(known[0]);
  switch (home.market) {
    case 'SH':
    case 'SZ':
      return 12;
    case 'JP':
      return chance < 0.8 ? 3 : 12;
    default:
      return chance < 0.8 ? 12 : chance < 0.9 ? 6 : 3;
  }
}

/** The stream of one aspect of a company. */
export function aspect(profile: Pick<CompanyProfile, 'key'>, name: string): number {
  return mix(profile.key, keyOf(name));
}
