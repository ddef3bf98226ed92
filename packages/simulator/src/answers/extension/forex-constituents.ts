import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type DayStats,
  type S2C,
  S2CSchema,
  type StockIndicator,
  type StockInfo,
  StockInfoSchema,
} from '@svc-gateway/contract/generated/svc/forex_constituents_pb';
import { Refusal } from '../../refusal.js';
import { BACKEND_SUCCESS, checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import type { Instrument } from '../../world/index.js';
import { dayStats, indicatorOf } from './forex-figures.js';
import { forexLists, pairsOf } from './forex-lists.js';

type Used = 'clock' | 'world' | 'market' | 'listings' | 'caches';
/** Sort key of a row; undefined where it lacks the figure, and sorted last. */
type Key = (row: StockInfo) => bigint | string | undefined;

const ROWS_MAX = 500;
const ASCENDING = 1;
const DESCENDING = 2;

/** svc.forex_constituents: a page of a list of currency pairs. */
export const forexConstituents: Answer<Used, C2S, S2C> = (facts, request) => {
  const { listId, dataFrom, dataMaxCount, sortId, sortType } = request;
  const refused = checkVersion(request);
  if (refused !== undefined) return refused;
  const list = forexLists.get(listId);
  if (list === undefined) return new Refusal(`list_id ${listId}: expected 1 to ${forexLists.size}`, 'broker.value');
  if (dataFrom < 0) return new Refusal(`data_from ${dataFrom}: expected 0 or more`, 'broker.value');
  if (!(dataMaxCount >= 1 && dataMaxCount <= ROWS_MAX))
    return new Refusal(`data_max_count ${dataMaxCount}: expected 1 to ${ROWS_MAX}`, 'broker.value');
  if (!sorts.has(sortId)) return new Refusal(`sort_id ${sortId}: expected 0 to ${sorts.size - 1}`, 'broker.value');
  if (sortType !== ASCENDING && sortType !== DESCENDING)
    return new Refusal(`sort_type ${sortType}: expected ${ASCENDING} (ascending) or ${DESCENDING} (descending)`, 'broker.value');
  const pairs = pairsOf(list, facts.world.listed({ market: 'FX' }));
  return answer(facts, request, list.name, pairs);
};

function answer(facts: Facts<Used>, request: C2S, listName: string, pairs: readonly Instrument[]): S2C {
  const { listId, dataFrom, dataMaxCount } = request;
  const rows: StockInfo[] = [];
  for (const pair of pairs) rows.push(rowOf(facts, pair));
  const stockInfo = inOrder(rows, request).slice(dataFrom, dataFrom + dataMaxCount);
  return create(S2CSchema, {
    backendRet: BACKEND_SUCCESS,
    list: { listId, listName, stockInfo },
    ifLastPage: dataFrom + stockInfo.length >= rows.length,
    allCount: rows.length,
  });
}

function rowOf(facts: Facts<Used>, pair: Instrument): StockInfo {
  const listing = facts.listings.of(pair);
  const quote = facts.market.quote(pair);
  const indicator = indicatorOf(facts, listing, quote);
  const row = create(StockInfoSchema, {
    security: listing.security,
    stockId: pair.id,
    name: pair.name,
    indicator,
    ...known({ stats24h: dayStats(facts, listing) }),
  });
  return row;
}

const of =
  (name: keyof StockIndicator): Key =>
  ({ indicator }) =>
    has(indicator, name);
const ofDay =
  (name: keyof DayStats): Key =>
  ({ stats24h }) =>
    has(stats24h, name);

/** The value of a field that is set: an absent one is not 0. */
function has<M extends object>(message: M | undefined, name: keyof M): bigint | undefined {
  return message !== undefined && Object.hasOwn(message, name) ? (message[name] as bigint) : undefined;
}

/** By sort_id; the first is the weight, in whose order the rows come. */
const sorts: ReadonlyMap<number, Key> = new Map<number, Key>(
  [
    () => undefined,
    ({ security }: StockInfo) => security?.code,
    ({ name }: StockInfo) => name,
    of('curPrice'),
    of('change'),
    of('changeRatio'),
    of('openPrice'),
    of('highPrice'),
    of('lowPrice'),
    of('lastClosePrice'),
    of('amplitudeRatio'),
    of('volume'),
    of('turnover'),
    of('averagePrice'),
    of('bidPrice'),
    of('askPrice'),
    of('bidVolume'),
    of('askVolume'),
    of('spread'),
    of('spreadRatio'),
    of('changeRatio5d'),
    of('changeRatio10d'),
    of('changeRatio20d'),
    of('changeRatio60d'),
    of('changeRatio120d'),
    of('changeRatio250d'),
    of('changeRatioYear'),
    of('yearHighPrice'),
    of('yearLowPrice'),
    of('yearHighRatio'),
    of('yearLowRatio'),
    ofDay('high'),
    ofDay('low'),
    ofDay('change'),
    ofDay('changeRatio'),
    ofDay('amplitudeRatio'),
    ofDay('volume'),
    ofDay('turnover'),
    ({ stockId }: StockInfo) => stockId,
  ].map((key, sortId) => [sortId, key]),
);

/** Stable sort; rows without the figure come last. */
function inOrder(rows: readonly StockInfo[], { sortId, sortType }: Pick<C2S, 'sortId' | 'sortType'>): readonly StockInfo[] {
  const isAscending = sortType === ASCENDING;
  if (sortId === 0) return isAscending ? rows.toReversed() : rows;
  const keyed = rows.map((row) => ({ row, key: sorts.get(sortId)?.(row) }));
  keyed.sort((a, b) => {
    if (a.key === b.key) return 0;
    if (a.key === undefined || b.key === undefined) return a.key === undefined ? 1 : -1;
    return a.key < b.key === isAscending ? -1 : 1;
  });
  return keyed.map(({ row }) => row);
}
