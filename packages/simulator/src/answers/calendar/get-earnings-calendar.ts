import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  EarningsCalendarEstimateType,
  EarningsCalendarPeriodType,
  EarningsCalendarPubType,
  type EstimateData,
  EarningsCalendarIndicatorType as Factor,
  EarningsCalendarSortType as Sort,
} from '@svc-gateway/contract/generated/Qot_GetEarningsCalendar_pb';
import type { IndicatorValue } from '@svc-gateway/contract/generated/Qot_OptionCommon_pb';
import { earningsMarket, earningsSort } from '@svc-gateway/contract/list-enums';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { calendar as declared } from '@svc-gateway/contract/operations';
import { localDate, parseLocal, requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import { type EarningsReport, earningsFigures, publicationOf, type ReportedFigure, reportsBetween } from '../../view/earnings.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import type { Fields } from '../../view/messages.js';
import { type VolatilityRecord, volatilityRecord } from '../../view/past-trading.js';
import { checkChoice, type Days, daysOf, marketOf } from '../../view/requests.js';
import { type Condition, type Figure, meeting, pageOf, unknownIndicator, withinRange } from '../../view/standings.js';
import { type StockFigures, sharesOf, stockFigures } from '../../view/stock-figures.js';
import { isoCode } from '../research/money.js';
import type { AnswerTo } from '../table.js';

/** As the service itself: the first day and six more. */
const DAYS_MAX = 7;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

/** A company's publications at one moment. */
interface Row {
  readonly stock: StockFigures;
  /** Shortest period first; at least one. */
  readonly reports: readonly [EarningsReport, ...EarningsReport[]];
  readonly day: string;
  readonly pubType: EarningsCalendarPubType;
  readonly estimates: readonly Fields<EstimateData>[];
  /** Market value at the close before the publication, or now if that is to come. */
  readonly marketCapThen: number;
  /** Volatility of the options on the share, where there are any. */
  readonly volatility: VolatilityRecord | undefined;
}

/**
 * Qot_GetEarningsCalendar: what companies publish on the days asked for, by the dates of the market. Hot are those in which most money is traded on a usual day. What trades in
 * the thousands of options on a share is not added up here.
 */
export const getEarningsCalendar: AnswerTo<typeof declared.getEarningsCalendar> = (facts, request) => {
  const market = marketOf(request.market, earningsMarket);
  if (market instanceof Refusal) return market;
  const begin = request.beginDate || localDate(facts.clock.now(), quoteMarket(market).timeZone);
  const days = daysOf('begin_date', begin, 'end_date', request.endDate || begin, DAYS_MAX);
  if (days instanceof Refusal) return days;
  const sort = request.sortType === 0 ? Sort.EarningsCalendarSortType_Hot : request.sortType;
  const unknown = checkChoice('sort_type', sort, earningsSort);
  if (unknown !== undefined) return unknown;
  const conditions = conditionsOf(request.filterList);
  if (conditions instanceof Refusal) return conditions;
  const { first, last } = days;
  const rows = facts.caches.ofMinute(rankings, `${market} ${first} ${last}`, () => {
    const reporting = sharesOf(facts, market).map((share) => ({ share, reports: reportsOf(facts, share, days) }));
    const some = reporting.filter(({ reports }) => reports.length > 0);
    return rowsOfAll(facts, some);
  });
  return listOf(rows, sort, conditions);
};

const rankings: CacheKind<readonly Row[]> = { max: 16 };

function listOf(rows: readonly Row[], sort: Sort, conditions: readonly Condition<Row>[]) {
  const by: Figure<Row> = sorts[sort] ?? noFigure;
  const kept = meeting(rows, conditions, by);
  const ordered = pageOf(kept, { by, ascending: false, offset: 0, count: kept.length });
  return { itemList: ordered.map(itemOf) };
}

const noFigure: Figure<Row> = () => undefined;

/** By sort type, but for the volume of options. */
const sorts: Readonly<Record<number, Figure<Row>>> = {
  [Sort.EarningsCalendarSortType_Hot]: ({ stock: { listing, board } }) => listing.instrument.dailyVolume * board.curPrice,
  [Sort.EarningsCalendarSortType_MarketCap]: ({ marketCapThen }) => marketCapThen,
  [Sort.EarningsCalendarSortType_RtMarketCap]: ({ stock: { equity } }) => equity.issuedMarketVal,
  [Sort.EarningsCalendarSortType_IV]: ({ volatility }) => volatility?.implied,
  [Sort.EarningsCalendarSortType_IVRank]: ({ volatility }) => volatility?.rank,
  [Sort.EarningsCalendarSortType_IVPercentile]: ({ volatility }) => volatility?.percentile,
};

/** By factor, of those that are ranges. */
const ranges: Readonly<Record<number, Figure<Row>>> = {
  [Factor.EarningsCalendarIndicatorType_MarketCap]: ({ marketCapThen }) => marketCapThen,
  [Factor.EarningsCalendarIndicatorType_OptionVolume]: noFigure,
  [Factor.EarningsCalendarIndicatorType_IV]: ({ volatility }) => volatility?.implied,
  [Factor.EarningsCalendarIndicatorType_IVRank]: ({ volatility }) => volatility?.rank,
  [Factor.EarningsCalendarIndicatorType_IVPercentile]: ({ volatility }) => volatility?.percentile,
  [Factor.EarningsCalendarIndicatorType_RtMarketCap]: ({ stock: { equity } }) => equity.issuedMarketVal,
};

function conditionsOf(wishes: C2S['filterList']): readonly Condition<Row>[] | Refusal {
  const conditions: Condition<Row>[] = [];
  for (const [index, { indicatorType, indicatorValue }] of wishes.entries()) {
    const condition = conditionOf(indicatorType, indicatorValue, index);
    if (condition instanceof Refusal) return condition;
    conditions.push(condition);
  }
  return conditions;
}

function conditionOf(factor: Factor, value: IndicatorValue | undefined, index: number): Condition<Row> | Refusal {
  const path = `filter_list[${index}].indicator_value`;
  const figure = ranges[factor];
  if (figure !== undefined) return withinRange(value?.valueInterval, path, figure);
  const values = (value?.valueList ?? []).map(Number);
  switch (factor) {
    case Factor.EarningsCalendarIndicatorType_PubType:
      return values.length === 0 ? noValues(path) : ({ pubType }) => values.includes(pubType);
    case Factor.EarningsCalendarIndicatorType_EstimateType:
      return values.length === 0
        ? noValues(path)
        : ({ estimates }) => estimates.some(({ estimateType }) => values.includes(estimateType ?? 0));
    case Factor.EarningsCalendarIndicatorType_StockListType:
      return new Refusal(`filter_list[${index}]: the simulation keeps no list of stocks for its user here; leave stock lists out`);
    default:
      return unknownIndicator(factor, index, [1, 2, 3, 5, 6, 7, 8, 9]);
  }
}

function noValues(path: string): Refusal {
  return new Refusal(`${path}: expected value_list with at least one value`, 'broker.value');
}

/** Reports published on these days, by the market's own dates: a company with its home elsewhere may differ by one. */
function reportsOf({ companies }: Needed, { instrument }: Listing, { first, last }: Days): readonly EarningsReport[] {
  return reportsBetween(companies.company(instrument), first - 1, last + 1).filter(({ time }) => {
    const day = requireDay(publicationOf(instrument, time).day);
    return day >= first && day <= last;
  });
}

interface Reporting {
  readonly share: Listing;
  readonly reports: readonly EarningsReport[];
}

/** One row for each moment of publication. */
function rowsOfAll(facts: Needed, reporting: readonly Reporting[]): Row[] {
  const rows: Row[] = [];
  for (const { share, reports } of reporting) {
    const stock = stockFigures(facts, share);
    for (const time of new Set(reports.map((report) => report.time))) {
      const [shortest, ...rest] = reports.filter((report) => report.time === time);
      if (shortest === undefined) continue;
      rows.push(rowOf(facts, stock, [shortest, ...rest]));
    }
  }
  return rows;
}

function rowOf(facts: Needed, stock: StockFigures, reports: Row['reports']): Row {
  const { listing } = stock;
  const { instrument } = listing;
  const company = facts.companies.company(instrument);
  const [{ time, day: published }] = reports;
  const { day, at } = publicationOf(instrument, time);
  const now = facts.clock.now();
  // A report of today that is not out yet is looked at as of the day before.
  const asOf =
    time <= now ? published : Math.min(published - 1, requireDay(localDate(now, quoteMarket(company.issuer.home.market).timeZone)));
  const currency = isoCode(company.issuer.home.currency);
  return {
    stock,
    reports,
    day,
    pubType: pubTypes[at],
    estimates: reports.flatMap((report) => {
      const { earningsPerShare, revenue, ebit } = earningsFigures(company, instrument, report, asOf);
      const of = (type: EarningsCalendarEstimateType, figure: ReportedFigure) => estimateOf(type, figure, report, currency);
      return [
        of(EarningsCalendarEstimateType.EarningsCalendarEstimateType_EPS, earningsPerShare),
        of(EarningsCalendarEstimateType.EarningsCalendarEstimateType_Revenue, revenue),
        of(EarningsCalendarEstimateType.EarningsCalendarEstimateType_EBIT, ebit),
      ];
    }),
    volatility: volatilityRecord(facts, listing, stock.quote.tradingDay),
    marketCapThen: time <= now ? marketCapBefore(facts, listing, day) : stock.equity.issuedMarketVal,
  };
}

const pubTypes = {
  before: EarningsCalendarPubType.EarningsCalendarPubType_Before,
  during: EarningsCalendarPubType.EarningsCalendarPubType_Regular,
  after: EarningsCalendarPubType.EarningsCalendarPubType_After,
} as const;

const periodTypes = {
  quarter: EarningsCalendarPeriodType.EarningsCalendarPeriodType_Quarterly,
  half: EarningsCalendarPeriodType.EarningsCalendarPeriodType_SemiAnnual,
  annual: EarningsCalendarPeriodType.EarningsCalendarPeriodType_Annual,
} as const;

function estimateOf(
  estimateType: EarningsCalendarEstimateType,
  { actual, estimate }: ReportedFigure,
  { period }: EarningsReport,
  currency: string,
) {
  return { estimateType, actualValue: actual, predictValue: estimate, currency, periodType: periodTypes[period] };
}

/** At the close of the trading day before a day. */
function marketCapBefore({ world, market, companies }: Needed, { instrument }: Listing, day: string): number {
  const calendar = world.calendar(instrument);
  const before = calendar.previousTradingDay(day);
  const to = calendar.sessions(calendar.nextTradingDay(before))[0]?.start ?? parseLocal(day, calendar.timeZone) ?? 0;
  const close = market.bars(instrument, { unit: 'day' }, { to, limit: 1 }).at(-1)?.close;
  return close === undefined ? 0 : decimalToNumber(close * companies.figures(instrument, before).issuedShares);
}

function itemOf({ stock: { listing, board, equity }, reports: [report], day, pubType, estimates, volatility }: Row) {
  const part = { quarter: `Q${report.number}`, half: 'H1', annual: 'FY' }[report.period];
  return {
    security: listing.security,
    name: board.name,
    earningsDate: day,
    earningsTimestamp: report.time / 1000,
    pubType,
    periodText: `${report.fiscalYear}${part}`,
    estimateList: [...estimates],
    marketCap: equity.issuedMarketVal,
    price: board.curPrice,
    iv: volatility?.implied,
    ivRank: volatility?.rank,
    ivPercentile: volatility?.percentile,
  };
}
