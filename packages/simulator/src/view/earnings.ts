import { DECIMAL_ONE, decimalToNumber } from '@svc-gateway/contract/decimal';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { localDate } from '@svc-gateway/contract/time';
import { type Company, publicationTime } from '../companies/index.js';
import { tradingDaysOf } from '../world/business-days.js';
import type { Instrument } from '../world/instrument.js';

/** Results that a company publishes: of a quarter, of a half-year or of a fiscal year. */
export interface EarningsReport {
  readonly period: 'quarter' | 'half' | 'annual';
  /** The last of its quarters, as `FiscalCalendar` numbers them, and how many there are. */
  readonly last: number;
  readonly quarters: 1 | 2 | 4;
  readonly fiscalYear: number;
  /** 1 to 4: place of the last quarter in the fiscal year. */
  readonly number: number;
  /** Day of publication in the home market, counted from 1970-01-01; and when on that day, epoch ms. */
  readonly day: number;
  readonly time: number;
}

/** A figure of a report, for one share or as a whole; undefined before its publication, and where nobody expected anything. */
export interface ReportedFigure {
  readonly actual: number | undefined;
  readonly estimate: number | undefined;
  readonly yearBefore: number;
}

/** Amounts in the currency of the accounts; per share: of the listing. */
interface EarningsFigures {
  readonly earningsPerShare: ReportedFigure;
  readonly revenue: ReportedFigure;
  readonly ebit: ReportedFigure;
}

/**
 * Reports of the days [from, to] of the home market, newest first, of one day the shorter period first. Who reports twice a year, publishes a half and a
 * year; the others publish quarters and, with the last one, the year.
 */
export function reportsBetween(company: Company, from: number, to: number): readonly EarningsReport[] {
  const { profile } = company;
  const { fiscal, reporting } = profile;
  const found: EarningsReport[] = [];
  const step = reporting.reports === 2 ? 2 : 1;
  for (let last = company.lastPublished(to); company.published(last) >= from; last -= step) {
    const day = company.published(last);
    const time = publicationTime({ kind: 'results' }, company.issuer.home, day);
    const number = fiscal.numberOf(last);
    const common = { last, fiscalYear: fiscal.fiscalYearOf(last), number, day, time };
    if (step === 1) found.push({ ...common, period: 'quarter', quarters: 1 });
    else if (number === 2) found.push({ ...common, period: 'half', quarters: 2 });
    if (number === 4) found.push({ ...common, period: 'annual', quarters: 4 });
  }
  return found;
}

/**
 * A report against expectations. The estimate for several quarters adds the earlier ones' results to the consensus on the others,
 * on `day` or, once published, on the day before. Expected EBIT derives from the consensus on net income: before the company's
 * tax rate and its interest.
 */
export function earningsFigures(company: Company, share: Instrument, report: EarningsReport, day: number): EarningsFigures {
  const { accounts, profile } = company;
  const quarters = Array.from({ length: report.quarters }, (_, back) => report.last - back);
  const asOf = Math.min(day, report.day - 1);
  const ordinary = BigInt(company.issuer.classes.find(({ instrument }) => instrument === share)?.ordinary ?? 1);
  const sum = (of: readonly number[], amount: (quarter: number) => bigint) => of.reduce((total, quarter) => total + amount(quarter), 0n);
  const perShare = (income: bigint, on: number) => decimalToNumber((income * DECIMAL_ONE * ordinary) / company.ordinaryShares(on));
  const expected = quarters.map((quarter) => {
    const { netIncome, operatingIncome, revenue, interestExpense } = accounts.income(quarter);
    if (company.published(quarter) <= asOf) return { netIncome, revenue, ebit: operatingIncome };
    const consensus = company.consensus(quarter, asOf);
    if (consensus === undefined) return undefined;
    const income = consensus.netIncome.mean;
    const tax = income > 0n ? BigInt(Math.round((Number(income) * profile.taxRate) / (1 - profile.taxRate))) : 0n;
    return { netIncome: income, revenue: consensus.revenue.mean, ebit: income + tax + interestExpense };
  });
  const known = expected.filter((one) => one !== undefined);
  const isExpected = known.length === expected.length;
  const isPublished = day >= report.day;
  const before = quarters.map((quarter) => quarter - 4);
  const figure = (
    key: 'netIncome' | 'revenue' | 'operatingIncome',
    estimated: 'netIncome' | 'revenue' | 'ebit',
    write: (amount: bigint) => number,
  ) => ({
    actual: isPublished ? write(sum(quarters, (quarter) => accounts.income(quarter)[key])) : undefined,
    estimate: isExpected ? write(known.reduce((total, one) => total + one[estimated], 0n)) : undefined,
    yearBefore: write(sum(before, (quarter) => accounts.income(quarter)[key])),
  });
  return {
    earningsPerShare: figure('netIncome', 'netIncome', (amount) => perShare(amount, asOf)),
    revenue: figure('revenue', 'revenue', Number),
    ebit: figure('operatingIncome', 'ebit', Number),
  };
}

/** The day in a listing's market ("2026-11-20") on which a report of its company is published, and where in the exchange's own hours. */
export function publicationOf(
  { market, calendar }: Instrument,
  time: number,
): { readonly day: string; readonly at: 'before' | 'during' | 'after' } {
  const day = localDate(time, quoteMarket(market).timeZone);
  const sessions = tradingDaysOf(calendar)
    .sessions(day)
    .filter(({ kind }) => kind === 'regular');
  const [first, last] = [sessions[0], sessions.at(-1)];
  if (first === undefined || last === undefined || time < first.start) return { day, at: 'before' };
  return { day, at: time >= last.end ? 'after' : 'during' };
}
