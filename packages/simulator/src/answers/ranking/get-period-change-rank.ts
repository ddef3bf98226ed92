import { PeriodType } from '@svc-gateway/contract/generated/Qot_GetPeriodChangeRank_pb';
import { changePeriod, rankedMarket } from '@svc-gateway/contract/list-enums';
import type { ranking as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { changeFrom, pastCloses, recentChange, volumeRatio } from '../../view/past-trading.js';
import { checkChoice, marketOf } from '../../view/requests.js';
import { checkPage, conditionsOf, type Figure, meeting, pageOf } from '../../view/standings.js';
import { type StockFigures, stocksOf } from '../../view/stock-figures.js';
import type { AnswerTo } from '../table.js';

const COUNT_MAX = 200;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

/** A share with its changes in percent, by period; those that cannot be told are absent. */
interface Row {
  readonly stock: StockFigures;
  readonly changes: Readonly<Record<number, number | undefined>>;
  readonly tenDays: number | undefined;
  readonly volumeRatio: number | undefined;
}

/**
 * Qot_GetPeriodChangeRank: shares by their change over a period. Days are trading days; changes over them are from the forward adjusted close so
 * many days before, today's from the previous close as the snapshot's are.
 */
export const getPeriodChangeRank: AnswerTo<typeof declared.getPeriodChangeRank> = (facts, request) => {
  const market = marketOf(request.market, rankedMarket);
  if (market instanceof Refusal) return market;
  const refused = checkPage(request, COUNT_MAX);
  if (refused !== undefined) return refused;
  const period = request.periodType === 0 ? PeriodType.PeriodType_5Min : request.periodType;
  const unknown = checkChoice('period_type', period, changePeriod);
  if (unknown !== undefined) return unknown;
  const change: Figure<Row> = ({ changes }) => changes[period];
  const conditions = conditionsOf<Row>(request.filterList, { ...figures, 3: change });
  if (conditions instanceof Refusal) return conditions;
  const rows = facts.caches.ofMinute(rankings, market, () => stocksOf(facts, market).map((stock) => rowOf(facts, stock)));
  const kept = meeting(rows, [...conditions, (row) => change(row) !== undefined], change);
  const { offset, count } = request;
  const page = pageOf(kept, { by: change, ascending: request.sortDir === 1, offset, count });
  return { dataList: page.map(itemOf), allCount: kept.length };
};

const rankings: CacheKind<readonly Row[]> = { max: 16 };

/** By `IndicatorType`. */
const figures: Readonly<Record<number, Figure<Row>>> = {
  1: ({ stock: { board } }) => board.curPrice,
  2: ({ stock: { equity } }) => equity.issuedMarketVal,
  4: ({ stock: { board } }) => Number(board.volume),
  5: ({ stock: { board } }) => board.turnover,
  6: ({ stock: { equity } }) => equity.peTTMRate,
  7: ({ stock: { equity } }) => equity.pbRate,
  8: ({ stock: { board } }) => board.turnoverRate,
  9: (row) => row.volumeRatio,
  10: ({ stock: { board } }) => board.amplitude,
};

function rowOf(facts: Needed, stock: StockFigures): Row {
  const { listing, quote } = stock;
  const { last } = quote;
  const { back, lastYear } = pastCloses(facts, listing);
  return {
    stock,
    changes: {
      [PeriodType.PeriodType_5Min]: recentChange(facts, listing, quote),
      [PeriodType.PeriodType_1Day]: stock.changeRate,
      [PeriodType.PeriodType_5Day]: changeFrom(back[5], last),
      [PeriodType.PeriodType_20Day]: changeFrom(back[20], last),
      [PeriodType.PeriodType_60Day]: changeFrom(back[60], last),
      [PeriodType.PeriodType_120Day]: changeFrom(back[120], last),
      [PeriodType.PeriodType_250Day]: changeFrom(back[250], last),
      [PeriodType.PeriodType_YTD]: changeFrom(lastYear, last),
    },
    tenDays: changeFrom(back[10], last),
    volumeRatio: volumeRatio(facts, listing, quote),
  };
}

function itemOf({ stock: { listing, board, equity, changeRate }, changes, tenDays, volumeRatio: ratio }: Row) {
  return {
    security: listing.security,
    name: board.name,
    curPrice: board.curPrice,
    changeRatio: changeRate,
    turnover: board.turnover,
    volume: board.volume,
    marketCap: equity.issuedMarketVal,
    changeRate5Min: changes[PeriodType.PeriodType_5Min],
    changeRate5D: changes[PeriodType.PeriodType_5Day],
    changeRate10D: tenDays,
    changeRate20D: changes[PeriodType.PeriodType_20Day],
    changeRate60D: changes[PeriodType.PeriodType_60Day],
    changeRate120D: changes[PeriodType.PeriodType_120Day],
    changeRate250D: changes[PeriodType.PeriodType_250Day],
    changeRateYTD: changes[PeriodType.PeriodType_YTD],
    peTTM: equity.peTTMRate,
    pb: equity.pbRate,
    turnoverRatio: board.turnoverRate,
    volumeRatio: ratio,
    amplitude: board.amplitude,
  };
}
