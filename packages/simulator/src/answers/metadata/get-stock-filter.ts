import type { C2S, StockData } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { type Condition, type Hit, type SortKey, screen, sorted, valuesOf } from '../../screen/screen.js';
import type { Fields } from '../../view/messages.js';
import { locatePlate, membersOf } from '../../view/plates.js';
import type { AnswerTo } from '../table.js';
import { offeringMarkets } from './offerings.js';
import {
  accumulateColumns,
  baseColumns,
  financialColumns,
  indicatorColumns,
  patternConditions,
  type RequestedColumn,
} from './stock-conditions.js';

const PAGE_MAX = 200;
/** Filters of all kinds together. */
const FILTERS_MAX = 64;
/** Qot_Common.QotMarket of futures in Hong Kong. */
const HK_FUTURE = 2;

/** Qot_StockFilter: the stocks (and listed trusts) of a market that meet every condition, with the figures of each; by code unless sorted. */
export const getStockFilter: AnswerTo<typeof declared.getStockFilter> = (facts, request) => {
  const { begin, num } = request;
  const market = quoteMarketNumbered(request.market);
  if (market === undefined) return new Refusal(`invalid market ${request.market}`, 'broker.value');
  if (begin < 0) return new Refusal(`begin: ${begin} is out of range, accepted: at least 0`, 'broker.value');
  if (num < 0 || num > PAGE_MAX) return new Refusal(`num: ${num} is out of range, accepted: 0 to ${PAGE_MAX}`, 'broker.value');
  const filters = [
    request.baseFilterList,
    request.accumulateFilterList,
    request.financialFilterList,
    request.patternFilterList,
    request.customIndicatorFilterList,
  ].reduce((sum, { length }) => sum + length, 0);
  if (filters > FILTERS_MAX) return new Refusal(`${filters} filters: at most ${FILTERS_MAX} in one request`, 'broker.value');
  const asked = conditionsOf(request);
  if (asked instanceof Refusal) return asked;

  const plate = request.plate && locatePlate(request.plate);
  if (plate instanceof Refusal) return plate;
  const members = plate && new Set(membersOf(facts, plate));
  const markets = request.market === HK_FUTURE ? [] : offeringMarkets(market.name);
  const boards = markets.flatMap((market) => facts.columnSnapshots.stocks(market));
  const hits = screen(boards, asked.conditions, ({ listing }) => members?.has(listing) ?? true);
  const ordered = sorted(hits, asked.keys, codeOf);
  const page = ordered.slice(begin, begin + num);
  return {
    lastPage: begin + page.length >= hits.length,
    allCount: hits.length,
    dataList: stockData(page, asked.columns),
  };
};

/** The lists of columns of a request, as answers name their values. */
interface Columns {
  readonly base: readonly RequestedColumn[];
  readonly accumulate: readonly RequestedColumn[];
  readonly financial: readonly RequestedColumn[];
  readonly indicator: readonly RequestedColumn[];
}

interface ParsedFilter {
  readonly conditions: readonly Condition[];
  readonly keys: readonly SortKey[];
  readonly columns: Columns;
}

function conditionsOf(request: C2S): ParsedFilter | Refusal {
  const base = baseColumns(request.baseFilterList);
  if (base instanceof Refusal) return base;
  const accumulate = accumulateColumns(request.accumulateFilterList);
  if (accumulate instanceof Refusal) return accumulate;
  const financial = financialColumns(request.financialFilterList);
  if (financial instanceof Refusal) return financial;
  const patterns = patternConditions(request.patternFilterList);
  if (patterns instanceof Refusal) return patterns;
  const indicator = indicatorColumns(request.customIndicatorFilterList);
  if (indicator instanceof Refusal) return indicator;
  const columns = [...base, ...accumulate, ...financial];
  return {
    conditions: [...columns.flatMap(({ condition }) => condition ?? []), ...patterns, ...indicator.conditions],
    keys: columns.flatMap(({ key }) => key ?? []),
    columns: { base, accumulate, financial, indicator: indicator.columns },
  };
}

function codeOf({ row: { listing } }: Hit): string {
  return `${listing.instrument.code} ${listing.market.number}`;
}

function stockData(page: readonly Hit[], { base, accumulate, financial, indicator }: Columns): Fields<StockData>[] {
  const baseData = dataOf(page, base, ({ fieldName }, value) => ({ fieldName, value }));
  const accumulateData = dataOf(page, accumulate, ({ fieldName, about: days }, value) => ({ fieldName, value, days }));
  const financialData = dataOf(page, financial, ({ fieldName, about: quarter }, value) => ({ fieldName, value, quarter }));
  const indicatorData = dataOf(page, indicator, ({ fieldName, about: klType, parameters: fieldParaList }, value) => ({
    ...{ fieldName, value, klType, fieldParaList },
  }));
  return page.map(({ row: { listing } }, index) => ({
    security: listing.security,
    name: listing.instrument.name,
    baseDataList: baseData[index],
    accumulateDataList: accumulateData[index],
    financialDataList: financialData[index],
    customIndicatorDataList: indicatorData[index],
  }));
}

/** The figures that each stock of a page has, with what identifies them. */
function dataOf<T>(page: readonly Hit[], columns: readonly RequestedColumn[], make: (column: RequestedColumn, value: number) => T): T[][] {
  const values = columns.map(({ figure }) => figure && valuesOf(page, figure));
  return page.map((_, index) =>
    columns.flatMap((column, i) => {
      const value = values[i]?.[index] ?? Number.NaN;
      return Number.isNaN(value) ? [] : [make(column, value)];
    }),
  );
}
