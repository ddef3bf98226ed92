import { create } from '@bufbuild/protobuf';
import {
  AccumulateDataSchema,
  AccumulateFilterSchema,
  BaseDataSchema,
  BaseFilterSchema,
  type C2S,
  CustomIndicatorDataSchema,
  FinancialDataSchema,
  FinancialFilterSchema,
  type S2C,
  S2CSchema,
  type StockData,
  StockDataSchema,
} from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import { type QuoteMarket, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { Refusal } from '../../refusal.js';
import { type Condition, type Hit, type SortKey, screen, sorted, valuesOf } from '../../screen/index.js';
import type { Answer, Facts } from '../../view/facts.js';
import { offeringMarkets } from '../../view/offerings.js';
import { locatePlate, membersOf } from '../../view/plates.js';
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
export const getStockFilter: Answer<'companies' | 'world' | 'listings' | 'columnSnapshots', C2S, S2C> = (facts, request) => {
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

  const members = request.plate === undefined ? undefined : memberSet(facts, request.plate);
  if (members instanceof Refusal) return members;
  const markets = request.market === HK_FUTURE ? [] : offeringMarkets(market.name);
  const hits = passing(facts, markets, asked.conditions, members);
  const ordered = sorted(hits, asked.keys, codeOf);
  const page = ordered.slice(begin, begin + num);
  return create(S2CSchema, {
    lastPage: begin + page.length >= hits.length,
    allCount: hits.length,
    dataList: stockData(page, asked.columns),
  });
};

interface ParsedFilter {
  readonly conditions: readonly Condition[];
  readonly keys: readonly SortKey[];
  readonly columns: Columns;
}

interface Columns {
  readonly base: readonly RequestedColumn[];
  readonly accumulate: readonly RequestedColumn[];
  readonly financial: readonly RequestedColumn[];
  readonly indicator: readonly RequestedColumn[];
}

function conditionsOf(request: C2S): ParsedFilter | Refusal {
  const base = baseColumns(request.baseFilterList, BaseFilterSchema);
  if (base instanceof Refusal) return base;
  const accumulate = accumulateColumns(request.accumulateFilterList, AccumulateFilterSchema);
  if (accumulate instanceof Refusal) return accumulate;
  const financial = financialColumns(request.financialFilterList, FinancialFilterSchema);
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

function memberSet(facts: Facts<'companies' | 'world' | 'listings'>, named: { readonly market: number; readonly code: string }) {
  const plate = locatePlate(named);
  return plate instanceof Refusal ? plate : new Set(membersOf(facts, plate));
}

function passing(
  { columnSnapshots: boards }: Facts<'columnSnapshots'>,
  markets: readonly QuoteMarket[],
  conditions: readonly Condition[],
  members: ReadonlySet<unknown> | undefined,
): Hit[] {
  const all = markets.flatMap((market) => [boards.of(market, 'equity'), boards.of(market, 'trust')]);
  const candidates = members === undefined ? undefined : ({ listing }: Hit['row']) => members.has(listing);
  return screen(all, conditions, candidates);
}

function codeOf({ row: { listing } }: Hit): string {
  return `${listing.instrument.code} ${listing.market.number}`;
}

function stockData(page: readonly Hit[], columns: Columns): StockData[] {
  const values = (asked: readonly RequestedColumn[]) =>
    asked.map(({ figure }) => (figure === undefined ? undefined : valuesOf(page, figure)));
  const [base, accumulate, financial, indicator] = [
    values(columns.base),
    values(columns.accumulate),
    values(columns.financial),
    values(columns.indicator),
  ];
  return page.map(({ row: { listing } }, index) => {
    /** The figures that the stock has, each with what identifies it. */
    const data = <T>(
      asked: readonly RequestedColumn[],
      found: readonly (Float64Array | undefined)[],
      make: (asked: RequestedColumn, value: number) => T,
    ): T[] =>
      asked.flatMap((one, i) => {
        const value = found[i]?.[index] ?? Number.NaN;
        return Number.isNaN(value) ? [] : [make(one, value)];
      });
    return create(StockDataSchema, {
      security: listing.security,
      name: listing.instrument.name,
      baseDataList: data(columns.base, base, ({ fieldName }, value) => create(BaseDataSchema, { fieldName, value })),
      accumulateDataList: data(columns.accumulate, accumulate, ({ fieldName, about }, value) =>
        create(AccumulateDataSchema, { fieldName, value, days: about }),
      ),
      financialDataList: data(columns.financial, financial, ({ fieldName, about }, value) =>
        create(FinancialDataSchema, { fieldName, value, quarter: about }),
      ),
      customIndicatorDataList: data(columns.indicator, indicator, ({ fieldName, about, parameters }, value) =>
        create(CustomIndicatorDataSchema, { fieldName, value, klType: about, fieldParaList: [...parameters] }),
      ),
    });
  });
}
