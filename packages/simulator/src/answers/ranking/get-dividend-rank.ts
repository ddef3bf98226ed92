import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  type DividendRankItem,
  DividendRankItemSchema,
  DividendRankType,
  IndicatorType,
  type S2C,
  S2CSchema,
  SortField,
} from '@svc-gateway/contract/generated/Qot_GetDividendRank_pb';
import { dividendMarket, dividendRankType } from '@svc-gateway/contract/list-enums';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import { checkChoice, marketOf } from '../../view/choices.js';
import { type DividendRecord, dividendRecord } from '../../view/dividend-record.js';
import type { Answer, Facts } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { type Condition, checkPage, conditionsOf, type Figure, meeting, pageOf, sortFigure } from '../../view/standings.js';
import { industryName, type StockFigures, stocksOf } from '../../view/stock-figures.js';

const COUNT_MAX = 300;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

interface Row {
  readonly stock: StockFigures;
  readonly dividends: DividendRecord;
}

/** Qot_GetDividendRank: shares that pay dividends, by what they pay; for growth, those whose dividend of the last fiscal year was above that of the year before. */
export const getDividendRank: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches', C2S, S2C> = (
  facts,
  request,
) => {
  const market = marketOf(request.market, dividendMarket);
  if (market instanceof Refusal) return market;
  const refused = checkChoice('rank_type', request.rankType, dividendRankType) ?? checkPage(request, COUNT_MAX);
  if (refused !== undefined) return refused;
  const grows = request.rankType === DividendRankType.DividendRankType_DividendGrowth;
  const by = sortFigure(request.sortField, sortFields, grows ? growYears : dividendYield);
  if (by instanceof Refusal) return by;
  const asked = conditionsOf<Row>(
    request.filterList.map(({ indicatorType, indicatorValue }) => ({ indicatorType, indicatorValue: indicatorValue?.valueInterval })),
    indicators,
    ({ indicatorType }, index) =>
      indicatorType === IndicatorType.IndicatorType_DistributionFrequency
        ? frequencyCondition(request.filterList[index]?.indicatorValue?.valueList ?? [], index)
        : undefined,
  );
  if (asked instanceof Refusal) return asked;
  const pays: Condition<Row> = grows
    ? ({ dividends }) => dividends.growYears > 0
    : ({ stock: { equity } }) => (equity.dividendTTM ?? 0) > 0;
  const rows = facts.caches.ofMinute(rankings, market, () => stocksOf(facts, market).map((stock) => rowOf(facts, stock)));
  const kept = meeting(rows, [pays, ...asked], by);
  const page = pageOf(kept, { by, ascending: false, offset: 0, count: request.count });
  return create(S2CSchema, { dataList: page.map((row) => itemOf(facts, row)) });
};

const rankings: CacheKind<readonly Row[]> = { max: 16 };

function rowOf(facts: Needed, stock: StockFigures): Row {
  return { stock, dividends: dividendRecord(facts, stock.listing, stock.quote.tradingDay) };
}

const dividendYield: Figure<Row> = ({ stock: { equity } }) => equity.dividendRatioTTM;
const growYears: Figure<Row> = ({ dividends }) => dividends.growYears;

const indicators: Readonly<Record<number, Figure<Row>>> = {
  [IndicatorType.IndicatorType_DividendYieldTTM]: dividendYield,
  [IndicatorType.IndicatorType_AvgDividendYield5Y]: ({ dividends }) => dividends.meanYield,
  [IndicatorType.IndicatorType_DividendGrowYear]: growYears,
  [IndicatorType.IndicatorType_DividendsTTM]: ({ stock: { equity } }) => equity.dividendTTM,
  [IndicatorType.IndicatorType_PayoutRatioLFY]: ({ dividends }) => dividends.payoutRatio,
  [IndicatorType.IndicatorType_NextPayableDate]: ({ dividends }) => dividends.daysToPayment,
  [IndicatorType.IndicatorType_Price]: ({ stock: { board } }) => board.curPrice,
  [IndicatorType.IndicatorType_MarketCap]: ({ stock: { equity } }) => equity.issuedMarketVal,
};

const sortFields: Readonly<Record<number, Figure<Row>>> = {
  [SortField.SortField_DividendYieldTTM]: dividendYield,
  [SortField.SortField_AvgDividendYield5Y]: ({ dividends }) => dividends.meanYield,
  [SortField.SortField_DistributionFrequency]: ({ dividends }) => dividends.frequency,
  [SortField.SortField_DividendGrowYear]: growYears,
  [SortField.SortField_DividendsTTM]: ({ stock: { equity } }) => equity.dividendTTM,
  [SortField.SortField_PayoutRatioLFY]: ({ dividends }) => dividends.payoutRatio,
  [SortField.SortField_Price]: ({ stock: { board } }) => board.curPrice,
  [SortField.SortField_MarketCap]: ({ stock: { equity } }) => equity.issuedMarketVal,
  [SortField.SortField_ChangeRate]: ({ stock: { changeRate } }) => changeRate,
  [SortField.SortField_ChangeAmount]: ({ stock: { changeAmount } }) => changeAmount,
};

function frequencyCondition(values: readonly bigint[], index: number): Condition<Row> | Refusal {
  if (values.length === 0)
    return new Refusal(`filter_list[${index}].indicator_value: expected value_list with frequencies from 1 to 4`, 'broker.value');
  return ({ dividends }) => dividends.frequency !== undefined && values.includes(BigInt(dividends.frequency));
}

function itemOf(facts: Needed, { stock, dividends }: Row): DividendRankItem {
  const { listing, board, equity, quote, changeRate, changeAmount } = stock;
  return create(
    DividendRankItemSchema,
    known({
      security: listing.security,
      name: board.name,
      industry: industryName(facts, listing),
      curPrice: decimalToNumber(quote.last),
      changeRate,
      changeAmount,
      marketCap: equity.issuedMarketVal,
      dividendYieldTTM: equity.dividendRatioTTM,
      avgDividendYield5Y: dividends.meanYield,
      distributionFrequency: dividends.frequency,
      dividendGrowYear: dividends.growYears,
      dividendsTTM: equity.dividendTTM,
      payoutRatioLFY: dividends.payoutRatio,
      nextPayableDate: dividends.nextPayment,
    }),
  );
}
