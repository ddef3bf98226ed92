import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { ValuationType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { addDays, requireDay } from '@svc-gateway/contract/time';
import type { Company, ShareFigures } from '../../companies/index.js';
import type { Figure, Row, ScreenFacts } from '../../screen/column-snapshot.js';
import { pb, peTtm, psTtm } from '../../screen/share-figures.js';
import { multiple } from '../../view/figures.js';
import { isIssuedByCompany } from '../../world/kinds.js';

/** A fundamental that prices are divided by. */
export interface Measure {
  readonly type: ValuationType;
  /** Price over it, as the snapshot and screens show it. */
  readonly now: Figure;
  /** The whole company's amount, in units of its accounting currency: the divisor of the market value. */
  readonly base: (company: Company, lastQuarter: number) => bigint;
  /** Expected amount of a coming quarter; absent for net assets. */
  readonly expected?: (company: Company, quarter: number, day: number) => bigint | undefined;
}

const revenueOf = ({ accounts }: Company, last: number) =>
  [0, 1, 2, 3].reduce((sum, back) => sum + accounts.income(last - back).revenue, 0n);

/** By type: earnings and sales of the last four quarters that are known, net assets at the end of the last one. */
export const measures: ReadonlyMap<ValuationType, Measure> = new Map(
  (
    [
      {
        type: ValuationType.ValuationType_PE,
        now: peTtm,
        base: ({ accounts }, last) => accounts.netIncome(last, 4),
        expected: (company, quarter, day) => company.consensus(quarter, day)?.netIncome.mean,
      },
      { type: ValuationType.ValuationType_PB, now: pb, base: ({ accounts }, last) => accounts.balance(last).equity },
      {
        type: ValuationType.ValuationType_PS,
        now: psTtm,
        base: revenueOf,
        expected: (company, quarter, day) => company.consensus(quarter, day)?.revenue.mean,
      },
    ] satisfies readonly Measure[]
  ).map((measure) => [measure.type, measure]),
);

/** A share's value by a measure at a price on a trading day; NaN where there is nothing to divide by. */
export function valueAt(
  companies: ScreenFacts['companies'],
  measure: Measure,
  row: Pick<Row, 'listing'>,
  price: bigint,
  day: string,
): number {
  const { instrument } = row.listing;
  const figures = companies.figures(instrument, day);
  const per = perShareOf(measure, figures);
  if (per !== undefined) return per === 0n ? Number.NaN : multiple(price, per);
  const company = companies.company(instrument);
  const sum = measure.base(company, company.lastKnown(requireDay(day)));
  return sum <= 0n ? Number.NaN : multiple(price * figures.issuedShares, companies.inCurrencyOf(instrument, sum, day));
}

function perShareOf({ type }: Measure, figures: ShareFigures): bigint | undefined {
  if (type === ValuationType.ValuationType_PE) return figures.earningsPerShareTtm;
  return type === ValuationType.ValuationType_PB ? figures.netAssetsPerShare : undefined;
}

const QUARTERS_AHEAD = 4;
const SPEED = 20;

/** Market value over what is expected of the four quarters that are published next; NaN where nobody expects anything, or nothing that is positive. */
export function forwardFigure({ type, expected }: Measure): Figure {
  return {
    key: `forward valuation ${type}`,
    lasts: 'moment',
    speed: SPEED,
    of: ({ companies }, { listing: { instrument }, quote }) => {
      if (expected === undefined || !isIssuedByCompany(instrument)) return Number.NaN;
      const company = companies.company(instrument);
      const day = requireDay(quote.tradingDay);
      const last = company.lastKnown(day);
      let sum = 0n;
      for (let ahead = 1; ahead <= QUARTERS_AHEAD; ahead++) {
        const amount = expected(company, last + ahead, day);
        if (amount === undefined) return Number.NaN;
        sum += amount;
      }
      if (sum <= 0n) return Number.NaN;
      const value = quote.last * companies.figures(instrument, quote.tradingDay).issuedShares;
      return multiple(value, companies.inCurrencyOf(instrument, sum, quote.tradingDay));
    },
  };
}

/** Month ends that a percentile in lists looks back over, by the path of the price. */
const PERCENTILE_MONTHS = 36;
const DAYS_A_MONTH = 30.4375;

/** Where the value of the day before stands among those of the last 36 months, in percent; NaN without one. It is a figure of the day. */
export function percentileFigure(measure: Measure): Figure {
  return {
    key: `valuation percentile ${measure.type}`,
    lasts: 'day',
    speed: 4,
    of: ({ companies }, { listing: { instrument }, quote }) => {
      if (!isIssuedByCompany(instrument)) return Number.NaN;
      const company = companies.company(instrument);
      // Elsewhere the day at home may not be over yet.
      const before = requireDay(addDays(quote.tradingDay, instrument === company.issuer.home ? -1 : -2));
      const now = pathValue(company, measure, before);
      if (Number.isNaN(now)) return Number.NaN;
      const listed = requireDay(instrument.listDate);
      const past = Array.from({ length: PERCENTILE_MONTHS }, (_, index) => before - Math.round((index + 1) * DAYS_A_MONTH))
        .filter((day) => day >= listed)
        .map((day) => pathValue(company, measure, day));
      return percentile(now, past);
    },
  };
}

/** Percent of the known past values that are not above `now`, to three places. NaN without any. */
export function percentile(now: number, past: readonly number[]): number {
  const known = past.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return Number.NaN;
  return Math.round((known.filter((value) => value <= now).length / known.length) * 100_000) / 1000;
}

/** By the path of the home listing's price, without the dividend that it carries: what histories of many companies can afford. NaN where the base is not positive. */
function pathValue(company: Company, measure: Measure, day: number): number {
  const { value, base } = pathParts(company, measure, day);
  return base > 0 ? value / base : Number.NaN;
}

/** Market value and what it is held against, in the currency of the accounts. */
export function pathParts(company: Company, measure: Measure, day: number): { readonly value: number; readonly base: number } {
  const price = company.prices.at(company.issuer.home, day) / 1e9;
  return { value: price * Number(company.ordinaryShares(day)), base: Number(measure.base(company, company.lastPublished(day))) };
}

/** The most telling measure of a company: earnings, or net assets where it loses money. */
export function recommended(figures: ShareFigures): ValuationType {
  return decimalToNumber(figures.earningsPerShareTtm) > 0 ? ValuationType.ValuationType_PE : ValuationType.ValuationType_PB;
}
