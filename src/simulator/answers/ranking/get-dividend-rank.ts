import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../../contract/decimal.js';
import {
  type C2S,
  type DividendRankItem,
  DividendRankItemSchema,
  DividendRankType,
  IndicatorType,
  type S2C,
  S2CSchema,
  SortField,
} from '../../../contract/generated/Qot_GetDividendRank_pb.js';
import { dividendMarket, dividendRankType } from '../../../contract/list-enums.js';
import { inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { checkChoice, marketOf } from '../../view/choices.js';
import { type DividendRecord, dividendRecord } from '../../view/dividend-record.js';
import type { Answer, Facts } from '../../view/facts.js';
import { known } from '../../view/known.js';
import type { Listing } from '../../view/listings.js';
import { type Condition, checkPage, conditionsOf, type Figure, pageOf, sortFigure } from '../../view/standings.js';
import { eachShare, industryName, type StockFigures, sharesOf, stockFigures } from '../../view/stock-figures.js';

const COUNT_MAX = 300;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard'>;

interface Row extends StockFigures {
  readonly dividends: DividendRecord;
}

/** Qot_GetDividendRank: shares that pay dividends, by what they pay; for growth, those whose dividend of the last fiscal year was above that of the year before. */
export const getDividendRank: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard', C2S, S2C> = (
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
  const pays: Condition<Row> = grows ? ({ dividends }) => dividends.growYears > 0 : ({ equity }) => (equity.dividendTTM ?? 0) > 0;
  return inTurns(answer(facts, sharesOf(facts, market), { by, conditions: [pays, ...asked], count: request.count }));
};

const dividendYield: Figure<Row> = ({ equity }) => equity.dividendRatioTTM;
const growYears: Figure<Row> = ({ dividends }) => dividends.growYears;

const indicators: Readonly<Record<number, Figure<Row>>> = {
  [IndicatorType.IndicatorType_DividendYieldTTM]: dividendYield,
  [IndicatorType.IndicatorType_AvgDividendYield5Y]: ({ dividends }) => dividends.meanYield,
  [IndicatorType.IndicatorType_DividendGrowYear]: growYears,
  [IndicatorType.IndicatorType_DividendsTTM]: ({ equity }) => equity.dividendTTM,
  [IndicatorType.IndicatorType_PayoutRatioLFY]: ({ dividends }) => dividends.payoutRatio,
  [IndicatorType.IndicatorType_NextPayableDate]: ({ dividends }) => dividends.daysToPayment,
  [IndicatorType.IndicatorType_Price]: ({ board }) => board.curPrice,
  [IndicatorType.IndicatorType_MarketCap]: ({ equity }) => equity.issuedMarketVal,
};

const sortFields: Readonly<Record<number, Figure<Row>>> = {
  [SortField.SortField_DividendYieldTTM]: dividendYield,
  [SortField.SortField_AvgDividendYield5Y]: ({ dividends }) => dividends.meanYield,
  [SortField.SortField_DistributionFrequency]: ({ dividends }) => dividends.frequency,
  [SortField.SortField_DividendGrowYear]: growYears,
  [SortField.SortField_DividendsTTM]: ({ equity }) => equity.dividendTTM,
  [SortField.SortField_PayoutRatioLFY]: ({ dividends }) => dividends.payoutRatio,
  [SortField.SortField_Price]: ({ board }) => board.curPrice,
  [SortField.SortField_MarketCap]: ({ equity }) => equity.issuedMarketVal,
  [SortField.SortField_ChangeRate]: ({ changeRate }) => changeRate,
  [SortField.SortField_ChangeAmount]: ({ changeAmount }) => changeAmount,
};

function frequencyCondition(values: readonly bigint[], index: number): Condition<Row> | Refusal {
  if (values.length === 0) return new Refusal(`filter_list[${index}].indicator_value: expected value_list with frequencies from 1 to 4`);
  return ({ dividends }) => dividends.frequency !== undefined && values.includes(BigInt(dividends.frequency));
}

interface Wanted {
  readonly by: Figure<Row>;
  readonly conditions: readonly Condition<Row>[];
  readonly count: number;
}

function* answer(facts: Needed, shares: readonly Listing[], { by, conditions, count }: Wanted): Generator<void, S2C> {
  const rows = yield* eachShare(facts, shares, (share): Row => {
    const stock = stockFigures(facts, share);
    return { ...stock, dividends: dividendRecord(facts, share, stock.quote.tradingDay) };
  });
  const kept = rows.filter((row) => conditions.every((holds) => holds(row)));
  const page = pageOf(kept, { by, ascending: false, offset: 0, count });
  return create(S2CSchema, { dataList: page.map((row) => itemOf(facts, row)) });
}

function itemOf(facts: Needed, { listing, board, equity, dividends, quote, changeRate, changeAmount }: Row): DividendRankItem {
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
