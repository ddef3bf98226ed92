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

const hongKong = {
  market: 'HK',
  issuer: 'HKSAR Government',
  sector: 'government',
  since: 2009,
  every: 1,
  spread: 0,
  traded: 20_000,
} as const;
const local = { market: 'HK', sector: 'corporate', years: 5, since: 2012, every: 1, issued: 2_000, traded: 3_000 } as const;
const treasury = { market: 'US', issuer: 'US Treasury', sector: 'government', since: 1990, spread: 0, traded: 900_000 } as const;
const american = { market: 'US', sector: 'corporate', years: 10, since: 2012, every: 2, issued: 1_500, traded: 12_000 } as const;

export const bondProgrammes: readonly BondProgramme[] = [
  { ...hongKong, prefix: '041', years: 3, month: 6, issued: 10_000 },
  { ...hongKong, prefix: '042', years: 5, month: 3, issued: 5_000 },
  { ...hongKong, prefix: '043', years: 10, month: 9, issued: 3_000 },
  { ...local, prefix: '044', owner: 'HK.00066', issuer: 'MTR Corporation', month: 4, spread: 35 },
  { ...local, prefix: '045', owner: 'HK.00002', issuer: 'CLP Holdings', month: 10, spread: 55 },
  { ...local, prefix: '046', owner: 'HK.00823', issuer: 'Link REIT', month: 7, spread: 80 },
  { ...treasury, prefix: 'UST2Y', years: 2, month: 7, every: 1, issued: 69_000 },
  { ...treasury, prefix: 'UST5Y', years: 5, month: 1, every: 1, issued: 70_000 },
  { ...treasury, prefix: 'UST10Y', years: 10, month: 8, every: 1, issued: 42_000 },
  { ...treasury, prefix: 'UST30Y', years: 30, month: 2, every: 5, issued: 25_000 },
  { ...american, prefix: 'AAPL10Y', owner: 'US.AAPL', issuer: 'Apple', month: 5, spread: 50 },
  { ...american, prefix: 'MSFT10Y', owner: 'US.MSFT', issuer: 'Microsoft', month: 2, spread: 40 },
  { ...american, prefix: 'JPM10Y', owner: 'US.JPM', issuer: 'JPMorgan Chase', month: 4, spread: 95 },
  { ...american, prefix: 'WMT10Y', owner: 'US.WMT', issuer: 'Walmart', month: 9, spread: 60 },
  { ...american, prefix: 'XOM10Y', owner: 'US.XOM', issuer: 'Exxon Mobil', month: 3, spread: 65 },
];
