import { IndicatorType } from '@svc-gateway/contract/generated/Qot_GetHighDividendSOERank_pb';
import type { ranking as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { changeFrom, type PastCloses, pastCloses } from '../../view/past-trading.js';
import { membersOf } from '../../view/plates.js';
import { type Condition, checkPage, conditionsOf, type Figure, meeting, pageOf, sortFigure } from '../../view/standings.js';
import { industryName, type StockFigures, stockFigures } from '../../view/stock-figures.js';
import { namedPlate, STATE_OWNED } from '../../world/plates.js';
import type { AnswerTo } from '../table.js';

const COUNT_MAX = 200;
/** A price-to-book ratio of at most this always holds; the others unless the request has conditions of its own on them. */
const PRICE_TO_BOOK_MAX = 1;
const YIELD_MIN_PERCENT = 5;
const PRICE_EARNINGS_MIN = 0;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

/**
 * Qot_GetHighDividendSOERank: Hong Kong shares of the mainland's state-owned companies (a concept plate) below their book value, with a high
 * dividend and without losses.
 */
export const getHighDividendSoeRank: AnswerTo<typeof declared.getHighDividendSoeRank> = (facts, request) => {
  const refused = checkPage(request, COUNT_MAX);
  if (refused !== undefined) return refused;
  const by = sortFigure(request.sortField, sortFields, marketCap);
  if (by instanceof Refusal) return by;
  const asked = conditionsOf(request.filterList, indicators);
  if (asked instanceof Refusal) return asked;
  const conditions = [...asked, ...defaultsBut(request.filterList.map(({ indicatorType }) => indicatorType))];
  const rows = facts.caches.ofMinute(rankings, 'HK', () => {
    const members = plate === undefined ? [] : membersOf(facts, plate);
    return members.map((share) => stockFigures(facts, share));
  });
  const kept = meeting(rows, conditions, by);
  const { offset, count, sortDir } = request;
  const page = pageOf(kept, { by, ascending: sortDir === 1, offset, count });
  return { dataList: page.map((row) => itemOf(facts, row)), allCount: kept.length };
};

const rankings: CacheKind<readonly StockFigures[]> = { max: 16 };

const marketCap: Figure<StockFigures> = ({ equity }) => equity.issuedMarketVal;

const sortFields: Readonly<Record<number, Figure<StockFigures>>> = {
  1: ({ equity }) => equity.dividendRatioTTM,
  2: ({ equity }) => equity.pbRate,
  3: ({ equity }) => equity.peTTMRate,
  4: ({ board }) => board.curPrice,
  5: ({ changeRate }) => changeRate,
  6: marketCap,
};

const indicators: Readonly<Record<number, Figure<StockFigures>>> = {
  1: ({ board }) => board.curPrice,
  2: marketCap,
  [IndicatorType.IndicatorType_PE]: ({ equity }) => equity.peTTMRate,
  [IndicatorType.IndicatorType_DividendYieldTTM]: ({ equity }) => equity.dividendRatioTTM,
  5: ({ changeRate }) => changeRate,
};

/** The conditions that hold unless the request says otherwise. */
function defaultsBut(given: readonly number[]): readonly Condition<StockFigures>[] {
  const conditions: Condition<StockFigures>[] = [({ equity }) => equity.pbRate <= PRICE_TO_BOOK_MAX];
  if (!given.includes(IndicatorType.IndicatorType_PE)) conditions.push(({ equity }) => equity.peTTMRate >= PRICE_EARNINGS_MIN);
  if (!given.includes(IndicatorType.IndicatorType_DividendYieldTTM)) {
    conditions.push(({ equity }) => (equity.dividendRatioTTM ?? 0) >= YIELD_MIN_PERCENT);
  }
  return conditions;
}

const plate = namedPlate('HK', 'concept', STATE_OWNED);

function itemOf(facts: Needed, { listing, board, equity, quote, changeRate }: StockFigures) {
  const { back }: PastCloses = pastCloses(facts, listing);
  return {
    security: listing.security,
    name: board.name,
    industry: industryName(facts, listing),
    curPrice: board.curPrice,
    changeRatio: changeRate,
    turnover: board.turnover,
    volume: board.volume,
    marketCap: equity.issuedMarketVal,
    peTTM: equity.peTTMRate,
    pb: equity.pbRate,
    dividendYieldTTM: equity.dividendRatioTTM,
    turnoverRatio: board.turnoverRate,
    changeRate5D: changeFrom(back[5], quote.last),
    changeRate10D: changeFrom(back[10], quote.last),
    changeRate20D: changeFrom(back[20], quote.last),
    changeRate60D: changeFrom(back[60], quote.last),
    changeRate120D: changeFrom(back[120], quote.last),
    changeRate250D: changeFrom(back[250], quote.last),
  };
}
