import type { QuoteMarket } from '@svc-gateway/contract/markets';

/** How companies of a market report and pay. Lengths in calendar days; [least, most] where companies differ. */
export interface Reporting {
  /** Reports a year. */
  readonly reports: 2 | 4;
  /** From the end of an interim period to its report, and from the end of the year. */
  readonly interimLag: readonly [number, number];
  readonly annualLag: readonly [number, number];
  /** The quarters of the fiscal year (1 to 4) after which a dividend is paid, and which part of the year's each is. */
  readonly dividends: readonly { readonly quarter: number; readonly part: number; readonly exLag: readonly [number, number] }[];
  /** Start of `exLag`: the report, or the end of the period itself (dividends announced ahead). */
  readonly exAfter: 'report' | 'period';
  /** From the ex-day to the payment. */
  readonly payLag: number;
  /** Steady: a path of its own, which rises once a year. Else a part of what was earned. */
  readonly steady: boolean;
  /** Trading days from the ex-day to the record day: -1 where shares change hands at once, 0 where trades settle on the next day, 1 where they take two. */
  readonly recordAfter: -1 | 0 | 1;
}

const quarterly = [1, 2, 3, 4].map((quarter) => ({ quarter, part: 0.25, exLag: [9, 18] as const }));
const american: Reporting = {
  reports: 4,
  interimLag: [18, 38],
  annualLag: [22, 52],
  dividends: quarterly,
  exAfter: 'report',
  payLag: 20,
  steady: true,
  recordAfter: 0,
};

const hongKong: Reporting = {
  reports: 2,
  interimLag: [44, 60],
  annualLag: [66, 88],
  dividends: [
    { quarter: 2, part: 0.35, exLag: [12, 28] },
    { quarter: 4, part: 0.65, exLag: [55, 80] },
  ],
  exAfter: 'report',
  payLag: 21,
  steady: false,
  recordAfter: 1,
};

/** The first quarter's report and the year's are due by the end of April. */
const mainland: Reporting = {
  reports: 4,
  interimLag: [20, 29],
  annualLag: [75, 115],
  dividends: [{ quarter: 4, part: 1, exLag: [55, 85] }],
  exAfter: 'report',
  payLag: 0,
  steady: false,
  recordAfter: -1,
};

const japan: Reporting = {
  reports: 4,
  interimLag: [28, 42],
  annualLag: [35, 44],
  dividends: [
    { quarter: 2, part: 0.5, exLag: [-1, -1] },
    { quarter: 4, part: 0.5, exLag: [-1, -1] },
  ],
  exAfter: 'period',
  payLag: 75,
  steady: true,
  recordAfter: 1,
};

const southEastAsia: Reporting = {
  reports: 4,
  interimLag: [30, 44],
  annualLag: [40, 58],
  dividends: [
    { quarter: 2, part: 0.4, exLag: [7, 14] },
    { quarter: 4, part: 0.6, exLag: [55, 70] },
  ],
  exAfter: 'report',
  payLag: 16,
  steady: false,
  recordAfter: 1,
};

const byMarket: Readonly<Record<QuoteMarket, Reporting>> = {
  US: american,
  HK: hongKong,
  SH: mainland,
  SZ: mainland,
  JP: japan,
  SG: southEastAsia,
  MY: southEastAsia,
  FX: american,
};

export function reportingIn(market: QuoteMarket): Reporting {
  return byMarket[market];
}
