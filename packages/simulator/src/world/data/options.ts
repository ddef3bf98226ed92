import type { QuoteMarket } from '@svc-gateway/contract/markets';

/** How long before its expiry a series is listed, by which days expire. */
export type OptionCycle = 'monthly' | 'weekly' | 'daily';

/** Classes with the same ladder of strikes, ticks and sessions. */
export type OptionFamily = keyof typeof strikeSteps;

/** The options on one underlying that share a root. */
export interface OptionClass {
  /** Prefix of the codes: "TCH" in "TCH261230C500000". */
  readonly root: string;
  readonly market: QuoteMarket;
  /** Symbol. */
  readonly underlying: string;
  readonly family: OptionFamily;
  readonly style: 'american' | 'european';
  /** Shares, or money per index point, of one contract. */
  readonly multiplier: number;
  /** Densest cycle of the class; it includes the less dense ones. `daily` classes expire on every business day. */
  readonly cycle: OptionCycle;
  /** First listing of the class's most frequent cycle. */
  readonly since: string;
}

/** Daily volume in shares above which US stocks and funds have weekly expiries. */
export const WEEKLY_FROM_VOLUME = 5_000_000;
/** Weekly expiries of single stocks and funds became general then. */
export const US_WEEKLIES_SINCE = '2010-07-01';
export const US_DAILY: ReadonlySet<string> = new Set(['SPY', 'QQQ']);
export const US_DAILIES_SINCE = '2022-11-14';
const usIndex = { market: 'US', underlying: 'US..SPX', family: 'usIndex', style: 'european', multiplier: 100 } as const;
const hkStock = { market: 'HK', family: 'hkStock', style: 'american', cycle: 'monthly', since: '1995-09-08' } as const;
const hkIndex = { market: 'HK', family: 'hkIndex', style: 'european' } as const;

/** HKEX stock options by their HKATS codes, with the shares of a contract. */
const hkStocks: readonly (readonly [root: string, code: string, multiplier: number])[] = [
  ['CKH', '00001', 500],
  ['CLP', '00002', 500],
  ['HKB', '00005', 400],
  ['SHK', '00016', 1000],
  ['GLX', '00027', 1000],
  ['HEX', '00388', 100],
  ['CPC', '00386', 2000],
  ['TCH', '00700', 100],
  ['CTC', '00728', 2000],
  ['PEC', '00857', 2000],
  ['CNC', '00883', 1000],
  ['CCB', '00939', 1000],
  ['CHT', '00941', 500],
  ['LNK', '00823', 1000],
  ['BYD', '01211', 500],
  ['AIA', '01299', 1000],
  ['ICB', '01398', 1000],
  ['MIU', '01810', 1000],
  ['PAI', '02318', 500],
  ['CLI', '02628', 1000],
  ['TRF', '02800', 500],
  ['HCF', '02828', 200],
  ['MET', '03690', 500],
  ['BCL', '03988', 1000],
  ['ALB', '09988', 500],
];

/** Option classes other than those of US stocks and funds. Cboe's on the S&P 500 expire monthly, and under a root of their own on every business day. */
export const listedClasses: readonly OptionClass[] = [
  ...hkStocks.map(([root, code, multiplier]): OptionClass => ({ ...hkStock, root, underlying: `HK.${code}`, multiplier })),
  { ...hkIndex, root: 'HSI', underlying: 'HK.800000', multiplier: 50, cycle: 'weekly', since: '2019-09-16' },
  { ...hkIndex, root: 'MHI', underlying: 'HK.800000', multiplier: 10, cycle: 'monthly', since: '2002-11-18' },
  { ...hkIndex, root: 'HHI', underlying: 'HK.800100', multiplier: 50, cycle: 'weekly', since: '2019-09-16' },
  { ...hkIndex, root: 'HTI', underlying: 'HK.800700', multiplier: 50, cycle: 'monthly', since: '2021-01-18' },
  { ...usIndex, root: 'SPX', cycle: 'monthly', since: '1983-07-01' },
  { ...usIndex, root: 'SPXW', cycle: 'daily', since: '2022-05-11' },
];

/** The distance of strikes: `[step, below]` by strike, the last without `below`. */
export type StrikeSteps = readonly (readonly [step: number, below?: number])[];

/** Strikes of what costs more than stocks usually do: from half a percent of the price to two. */
const aboveThousand = [
  [10, 2_000],
  [25, 5_000],
  [100, 20_000],
  [250, 50_000],
  [1_000, 200_000],
  [5_000, 1_000_000],
  [10_000, 5_000_000],
  [100_000],
] as const satisfies StrikeSteps;

/** By what a class is written on; in the strikes' currency or in points. */
export const strikeSteps = {
  usStock: [[0.5, 25], [1, 100], [2.5, 200], [5, 1_000], ...aboveThousand],
  usFund: [[0.5, 25], [1, 1_000], ...aboveThousand],
  usIndex: [[25, 20_000], [100, 100_000], [1_000]],
  hkStock: [[0.05, 2], [0.1, 5], [0.25, 10], [0.5, 20], [1, 50], [2.5, 200], [5, 300], [10, 2_000], ...aboveThousand.slice(1)],
  hkIndex: [[50, 5_000], [100, 20_000], [200, 100_000], [1_000]],
} as const satisfies Record<string, StrikeSteps>;
