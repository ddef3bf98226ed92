import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { DividendRankType, IndicatorType, SortField } from '@svc-gateway/contract/generated/Qot_GetDividendRank_pb';
import { dividendMarket, dividendRankType } from '@svc-gateway/contract/list-enums';
import type { ranking as declared } from '@svc-gateway/contract/operations';
import { addDays, requireDay } from '@svc-gateway/contract/time';
import type { Company } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { percent, threePlaces } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { checkChoice, marketOf } from '../../view/requests.js';
import { type Condition, checkPage, conditionsOf, type Figure, meeting, pageOf, sortFigure } from '../../view/standings.js';
import { industryName, type StockFigures, stocksOf } from '../../view/stock-figures.js';
import type { AnswerTo } from '../table.js';

const COUNT_MAX = 300;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

interface Row {
  readonly stock: StockFigures;
  readonly dividends: DividendRecord;
}

/** Qot_GetDividendRank: shares that pay dividends, by what they pay; for growth, those whose dividend of the last fiscal year was above that of the year before. */
export const getDividendRank: AnswerTo<typeof declared.getDividendRank> = (facts, request) => {
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
  return { dataList: page.map((row) => itemOf(facts, row)) };
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

function itemOf(facts: Needed, { stock, dividends }: Row) {
  const { listing, board, equity, quote, changeRate, changeAmount } = stock;
  return {
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
  };
}

/** Dividends of a share known when a trading day begins. Ratios in percent. */
interface DividendRecord {
  /** Mean of the dividends of each of the last five years over the price at its end; of fewer, since its listing. Undefined in its first year. */
  readonly meanYield: number | undefined;
  /** 1 yearly, 2 half-yearly, 3 quarterly, 4 monthly; undefined where nothing was paid within a year, and in Hong Kong, where the protocol has none. */
  readonly frequency: number | undefined;
  /** Fiscal years on end in which the dividend rose, up to the last one that was reported. */
  readonly growYears: number;
  /** Payout ratio of the last fiscal year; undefined where earnings were not positive. */
  readonly payoutRatio: number | undefined;
  /** The next payment of what is declared, "2026-12-15"; and calendar days until then. */
  readonly nextPayment: string | undefined;
  readonly daysToPayment: number | undefined;
}

const YEAR_DAYS = 365;
const YIELD_YEARS = 5;
/** Nothing that is declared is paid later. */
const DECLARED_AHEAD_DAYS = 200;
/** No company of the world is older. */
const GROW_YEARS_MAX = 100;

const records: CacheKind<DividendRecord> = { max: 40_000 };

/** The record of a share on a trading day ("2026-11-20"). */
function dividendRecord(facts: Facts<'world' | 'companies' | 'market' | 'caches'>, listing: Listing, day: string): DividendRecord {
  return facts.caches.get(records, listing.instrument.symbol, day, () => work(facts, listing, day));
}

function work(facts: Facts<'world' | 'companies' | 'market'>, { instrument }: Listing, day: string): DividendRecord {
  const { companies } = facts;
  const today = requireDay(day);
  const actions = companies.timeline(instrument)?.between(today - YEAR_DAYS + 1, today + DECLARED_AHEAD_DAYS) ?? [];
  const dividends = actions.filter((action) => action.kind === 'dividend');
  const regular = dividends.filter(({ exDay, special }) => exDay <= day && !special).length;
  const next = dividends
    .filter(({ announcedDay, payDay }) => announcedDay < day && payDay >= day)
    .sort((a, b) => (a.payDay < b.payDay ? -1 : 1))[0];
  const { earningsPerShare, dividendOfYear } = companies.figures(instrument, day);
  return {
    meanYield: meanYield(facts, instrument, today),
    frequency: instrument.market === 'HK' || regular === 0 ? undefined : frequencyOf(regular),
    growYears: yearsOfGrowth(companies.company(instrument), today),
    payoutRatio: earningsPerShare > 0n ? percent(dividendOfYear, earningsPerShare) : undefined,
    nextPayment: next?.payDay,
    daysToPayment: next === undefined ? undefined : requireDay(next.payDay) - today,
  };
}

/** Frequency code of the payments within a year; ex-days move, so one more or less still counts. */
function frequencyOf(payments: number): number {
  if (payments >= 9) return 4;
  if (payments >= 3) return 3;
  return payments;
}

function meanYield(
  { world, companies, market }: Facts<'world' | 'companies' | 'market'>,
  instrument: Listing['instrument'],
  today: number,
): number | undefined {
  const timeline = companies.timeline(instrument);
  const calendar = world.calendar(instrument);
  const listed = requireDay(instrument.listDate);
  let [sum, years] = [0, 0];
  for (let year = 0; year < YIELD_YEARS; year++) {
    const end = today - year * YEAR_DAYS;
    if (end - YEAR_DAYS < listed) break;
    const after = calendar.sessions(calendar.nextTradingDay(addDays(instrument.listDate, end - listed)))[0]?.start;
    const close = market.bars(instrument, { unit: 'day' }, { limit: 1, ...(after === undefined ? {} : { to: after }) }).at(-1)?.close;
    if (close === undefined || timeline === undefined) break;
    sum += percent(timeline.cashBetween(end - YEAR_DAYS, end), close);
    years += 1;
  }
  return years === 0 ? undefined : threePlaces(sum / years);
}

function yearsOfGrowth(company: Company, today: number): number {
  const { fiscal } = company.profile;
  const last = fiscal.fiscalYearOf(company.lastPublishedYear(today - 1));
  let years = 0;
  let newer = company.dividendOfYear(last, today - 1);
  for (; years < GROW_YEARS_MAX; years++) {
    const older = company.dividendOfYear(last - years - 1, today - 1);
    if (older === 0n || newer <= older) break;
    newer = older;
  }
  return years;
}
