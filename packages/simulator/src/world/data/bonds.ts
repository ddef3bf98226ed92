import type { BondTerms } from '../instrument.js';

/** Bonds that are issued alike, again and again. All terms are invented, but for the habits: what governments and companies issue, when, and at which yields. */
export interface BondProgramme {
  readonly market: 'HK' | 'US';
  /** The code up to the two digits of the year in which a bond is due: in Hong Kong of the range that HKEX gives to debt. */
  readonly prefix: string;
  readonly issuer: string;
  /** Listing of the issuer, where the world has it. */
  readonly owner?: string;
  readonly sector: BondTerms['sector'];
  readonly years: number;
  /** Issued in this month (1 to 12), on the 15th or the business day after. */
  readonly month: number;
  /** Year of the first issue, and years from one to the next. */
  readonly since: number;
  readonly every: number;
  /** Over the government's yield, in basis points. */
  readonly spread: number;
  /** Nominal of one issue, millions. */
  readonly issued: number;
  /** Nominal traded a day, thousands. */
  readonly traded: number;
}

const treasury = (years: number, month: number, every: number, issued: number): BondProgramme => ({
  market: 'US',
  prefix: `UST${years}Y`,
  issuer: 'US Treasury',
  sector: 'government',
  years,
  month,
  since: 1990,
  every,
  spread: 0,
  issued,
  traded: 900_000,
});

const american = (code: string, issuer: string, month: number, spread: number): BondProgramme => ({
  market: 'US',
  prefix: `${code}10Y`,
  issuer,
  owner: `US.${code}`,
  sector: 'corporate',
  years: 10,
  month,
  since: 2012,
  every: 2,
  spread,
  issued: 1_500,
  traded: 12_000,
});

const hongKong = (years: number, digit: number, month: number, issued: number): BondProgramme => ({
  market: 'HK',
  prefix: `04${digit}`,
  issuer: 'HKSAR Government',
  sector: 'government',
  years,
  month,
  since: 2009,
  every: 1,
  spread: 0,
  issued,
  traded: 20_000,
});

const local = (digit: number, owner: string, issuer: string, month: number, spread: number): BondProgramme => ({
  market: 'HK',
  prefix: `04${digit}`,
  issuer,
  owner,
  sector: 'corporate',
  years: 5,
  month,
  since: 2012,
  every: 1,
  spread,
  issued: 2_000,
  traded: 3_000,
});

export const bondProgrammes: readonly BondProgramme[] = [
  hongKong(3, 1, 6, 10_000),
  hongKong(5, 2, 3, 5_000),
  hongKong(10, 3, 9, 3_000),
  local(4, 'HK.00066', 'MTR Corporation', 4, 35),
  local(5, 'HK.00002', 'CLP Holdings', 10, 55),
  local(6, 'HK.00823', 'Link REIT', 7, 80),
  treasury(2, 7, 1, 69_000),
  treasury(5, 1, 1, 70_000),
  treasury(10, 8, 1, 42_000),
  treasury(30, 2, 5, 25_000),
  american('AAPL', 'Apple', 5, 50),
  american('MSFT', 'Microsoft', 2, 40),
  american('JPM', 'JPMorgan Chase', 4, 95),
  american('WMT', 'Walmart', 9, 60),
  american('XOM', 'Exxon Mobil', 3, 65),
];
