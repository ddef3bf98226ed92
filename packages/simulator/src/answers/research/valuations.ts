import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { ValuationIntervalType, ValuationType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { addDays, requireDay } from '@svc-gateway/contract/time';
import type { Company, ShareFigures } from '../../companies/index.js';
import type { BarPeriod } from '../../market/index.js';
import { atOnce } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Figure, Row, ScreenFacts } from '../../screen/column-snapshot.js';
import { type Hit, screen, valuesOf } from '../../screen/screen.js';
import { marketValue, pb, peTtm, psTtm } from '../../screen/share-figures.js';
import type { Facts } from '../../view/facts.js';
import { multiple, threePlaces } from '../../view/figures.js';
import { newestBars } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { membersOf } from '../../view/plates.js';
import { isIssuedByCompany, kinds } from '../../world/kinds.js';
import type { Plate } from '../../world/plates.js';

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

type Needed = Facts<'world' | 'companies' | 'listings' | 'columnSnapshots'>;

/** Shares that are valued beside each other: the members of a plate, or of an index all of its market. */
export interface Group {
  readonly market: QuoteMarket;
  /** Undefined: everything that companies have issued in the market. */
  readonly members: ReadonlySet<Listing> | undefined;
}

/** Members of a plate or an index; a refusal for anything else. */
export function groupOf(facts: Facts<'world' | 'companies' | 'listings'>, { instrument }: Listing): Group | Refusal {
  const { market, kind, symbol } = instrument;
  if (kind === 'plate') return { market, members: new Set(membersOf(facts, instrument.plate)) };
  if (kind === 'index') return { market, members: undefined };
  return new Refusal(`security: ${symbol} is ${kinds[kind].noun}; expected a plate or an index`);
}

/** The shares of a group with the quotes of the minute, in the market's order. */
export function sharesIn({ columnSnapshots }: Needed, { market, members }: Group): readonly Hit[] {
  return screen(columnSnapshots.stocks(market), [], ({ listing }) => members?.has(listing) ?? true);
}

/** The same of a plate's members of today. */
export function sharesOfPlate(facts: Needed, plate: Plate): readonly Hit[] {
  return sharesIn(facts, { market: plate.market, members: new Set(membersOf(facts, plate)) });
}

/** Statistics over many values. */
export interface Spread {
  /** The whole value over what it is held against together, of those shares that have a positive value. */
  readonly mean: number | undefined;
  readonly median: number | undefined;
  /** Positive values, highest first. */
  readonly values: readonly number[];
}

/** The spread of shares by a measure, weighted by market value: the mean is the sum of market values over the sum of what they are held against. */
export function spreadOf(hits: readonly Hit[], measure: Measure): Spread {
  const [values, sizes] = [valuesOf(hits, measure.now), valuesOf(hits, marketValue)];
  const kept = hits.map((_, index) => [values[index] ?? Number.NaN, sizes[index] ?? 0] as const).filter(([value]) => value > 0);
  const sorted = kept.map(([value]) => value).sort((a, b) => b - a);
  const whole = kept.reduce((sum, [, size]) => sum + size, 0);
  const base = kept.reduce((sum, [value, size]) => sum + size / value, 0);
  const middle = Math.floor((sorted.length - 1) / 2);
  const [upper, lower] = [sorted[middle], sorted[sorted.length - 1 - middle]];
  return {
    mean: base > 0 ? threePlaces(whole / base) : undefined,
    median: upper === undefined || lower === undefined ? undefined : threePlaces((upper + lower) / 2),
    values: sorted,
  };
}

/** The largest members that a plate's past is told by. */
const PAST_MEMBERS = 30;

/**
 * The mean of a group on each of some days (counted from 1970-01-01), by the paths of the prices of its thirty largest members of today; undefined on days
 * on which none has a positive base.
 */
export function pastMeans(facts: Needed, hits: readonly Hit[], measure: Measure, days: readonly number[]): readonly (number | undefined)[] {
  const size = ({ row: { listing, quote } }: Hit) => Number(quote.last) * Number(listing.instrument.sharesIssued);
  const largest = [...hits].sort((a, b) => size(b) - size(a)).slice(0, PAST_MEMBERS);
  const sums = days.map(() => ({ value: 0, base: 0 }));
  for (const { row } of largest) {
    const { instrument } = row.listing;
    const [company, today] = [facts.companies.company(instrument), facts.world.today(instrument)];
    const rate = Number(facts.companies.inCurrency(1_000_000_000n, company.issuer.home.currency, instrument.currency, today)) / 1e9;
    for (const [index, sum] of sums.entries()) {
      const { value, base } = pathParts(company, measure, days[index] ?? 0);
      if (base > 0) [sum.value, sum.base] = [sum.value + value * rate, sum.base + base * rate];
    }
  }
  return sums.map(({ value, base }) => (base > 0 ? threePlaces(value / base) : undefined));
}

/** How far back, and how far apart the days are that it is told by: days up to a year, then weeks, then months. */
interface Interval {
  /** First day, by the current one. */
  readonly from: (today: string) => string;
  readonly period: BarPeriod;
  readonly barsMax: number;
}

const DAYS_A_YEAR = 365.25;
const years = (count: number) => (today: string) => addDays(today, -Math.round(count * DAYS_A_YEAR));
const daily: BarPeriod = { unit: 'day' };
const weekly: BarPeriod = { unit: 'week' };
const monthly: BarPeriod = { unit: 'month' };
const I = ValuationIntervalType;

const intervals: ReadonlyMap<ValuationIntervalType, Interval> = new Map([
  [I.ValuationIntervalType_Month3, { from: years(0.25), period: daily, barsMax: 70 }],
  [I.ValuationIntervalType_Month6, { from: years(0.5), period: daily, barsMax: 135 }],
  [I.ValuationIntervalType_Year1, { from: years(1), period: daily, barsMax: 270 }],
  [I.ValuationIntervalType_Year2, { from: years(2), period: weekly, barsMax: 106 }],
  [I.ValuationIntervalType_Year3, { from: years(3), period: weekly, barsMax: 158 }],
  [I.ValuationIntervalType_Year5, { from: years(5), period: weekly, barsMax: 263 }],
  [I.ValuationIntervalType_Year10, { from: years(10), period: monthly, barsMax: 122 }],
  [I.ValuationIntervalType_Since2019, { from: () => '2019-01-01', period: monthly, barsMax: 361 }],
  [I.ValuationIntervalType_Year20, { from: years(20), period: monthly, barsMax: 242 }],
  [I.ValuationIntervalType_Year30, { from: years(30), period: monthly, barsMax: 362 }],
]);

/** The interval of a number; a year by default, undefined for an unknown number. */
export function intervalOf(type: ValuationIntervalType | undefined): Interval | undefined {
  return intervals.get(type || I.ValuationIntervalType_Year1);
}

/** The value on the last trading day of a bar. */
export interface PastValue {
  readonly day: string;
  readonly value: number;
}

type HistoryFacts = Facts<'clock' | 'world' | 'companies' | 'market'>;

/** A share's values by a measure, oldest first, up to the day before the current one: close over what was known on that day. */
export function pastValues(
  facts: HistoryFacts,
  listing: Listing,
  measure: Measure,
  interval: Interval,
  today: string,
): readonly PastValue[] {
  const calendar = facts.world.calendar(listing.instrument);
  const first = interval.from(today);
  const bars = atOnce(newestBars(facts, listing, interval.period, 'none', interval.barsMax));
  const found: PastValue[] = [];
  for (const { end, close } of bars) {
    const day = calendar.tradingDay(end - 1);
    if (day < first || day >= today) continue;
    found.push({ day, value: valueAt(facts.companies, measure, { listing }, close, day) });
  }
  return found;
}
