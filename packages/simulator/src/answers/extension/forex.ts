import { type Decimal, formatDecimal, greater, lesser } from '@svc-gateway/contract/decimal';
import type { C2S } from '@svc-gateway/contract/generated/svc/forex_constituents_pb';
import { Currency } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { extension as declared } from '@svc-gateway/contract/operations';
import { DAY_MS } from '@svc-gateway/contract/time';
import type { Quote } from '../../market/market.js';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { averagePrice } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { type ChangeDays, pastCloses } from '../../view/past-trading.js';
import { yearRange } from '../../view/price-range.js';
import { BACKEND_SUCCESS, versioned } from '../../view/requests.js';
import type { Instrument } from '../../world/index.js';
import type { AnswerTo } from '../table.js';

/** svc.forex_rates: the last price of every pair, in the order of the world. */
export const forexRates: AnswerTo<typeof declared.forexRates> = versioned(({ world, market, listings }) => {
  const rateItems = world.listed({ market: 'FX' }).map((pair) => ({
    baseCurrency: numberOf(pair.code.slice(0, 3)),
    quoteCurrency: numberOf(pair.code.slice(3)),
    price: formatDecimal(market.quote(pair).last),
    stockId: pair.id,
    security: listings.of(pair).security,
  }));
  return { backendRetCode: BACKEND_SUCCESS, rateItems };
});

/** Undefined for currencies without accounts. */
function numberOf(currency: string): Currency | undefined {
  return Currency[currency as keyof typeof Currency];
}

type Used = 'clock' | 'world' | 'market' | 'listings' | 'caches';
const ROWS_MAX = 500;
const ASCENDING = 1;
const DESCENDING = 2;

/** svc.forex_constituents: a page of a list of currency pairs. */
export const forexConstituents: AnswerTo<typeof declared.forexConstituents> = versioned((facts, request) => {
  const { listId, dataFrom, dataMaxCount, sortId, sortType } = request;
  const list = forexLists.get(listId);
  if (list === undefined) return new Refusal(`list_id ${listId}: expected 1 to ${forexLists.size}`, 'broker.value');
  if (dataFrom < 0) return new Refusal(`data_from ${dataFrom}: expected 0 or more`, 'broker.value');
  if (!(dataMaxCount >= 1 && dataMaxCount <= ROWS_MAX))
    return new Refusal(`data_max_count ${dataMaxCount}: expected 1 to ${ROWS_MAX}`, 'broker.value');
  if (!sorts.has(sortId)) return new Refusal(`sort_id ${sortId}: expected 0 to ${sorts.size - 1}`, 'broker.value');
  if (sortType !== ASCENDING && sortType !== DESCENDING)
    return new Refusal(`sort_type ${sortType}: expected ${ASCENDING} (ascending) or ${DESCENDING} (descending)`, 'broker.value');
  const pairs = pairsOf(list, facts.world.listed({ market: 'FX' }));
  const rows = pairs.map((pair) => rowOf(facts, pair));
  const stockInfo = inOrder(rows, request).slice(dataFrom, dataFrom + dataMaxCount);
  return {
    backendRet: BACKEND_SUCCESS,
    list: { listId, listName: list.name, stockInfo },
    ifLastPage: dataFrom + stockInfo.length >= rows.length,
    allCount: rows.length,
  };
});

function rowOf(facts: Facts<Used>, pair: Instrument) {
  const listing = facts.listings.of(pair);
  const indicator = indicatorOf(facts, listing, facts.market.quote(pair));
  return { security: listing.security, stockId: pair.id, name: pair.name, indicator, stats24h: dayStats(facts, listing) };
}

type Row = ReturnType<typeof rowOf>;
type Indicator = Row['indicator'];
type DayStats = NonNullable<Row['stats24h']>;

/** Sort key of a row; undefined where it lacks the figure, and sorted last. */
type Key = (row: Row) => bigint | string | undefined;

const of =
  (name: keyof Indicator): Key =>
  ({ indicator }) =>
    indicator[name];
const ofDay =
  (name: keyof DayStats): Key =>
  ({ stats24h }) =>
    stats24h?.[name];

/** By sort_id; the first is the weight, in whose order the rows come. */
const sorts: ReadonlyMap<number, Key> = new Map<number, Key>(
  [
    () => undefined,
    ({ security }: Row) => security?.code,
    ({ name }: Row) => name,
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
    ({ stockId }: Row) => stockId,
  ].map((key, sortId) => [sortId, key]),
);

/** Stable sort; rows without the figure come last. */
function inOrder(rows: readonly Row[], { sortId, sortType }: Pick<C2S, 'sortId' | 'sortType'>): readonly Row[] {
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

type Needed = Facts<'clock' | 'world' | 'market' | 'caches'>;

/** A pair's figures of now: its quote, the best prices of its book, and how the price stands to past ones. */
function indicatorOf(facts: Needed, listing: Listing, quote: Quote) {
  const { instrument } = listing;
  const { last, previousClose, high, low } = quote;
  const { bids, asks } = facts.market.book(instrument, 1);
  const [bid, ask] = [bids[0], asks[0]];
  const spread = bid === undefined || ask === undefined ? undefined : ask.price - bid.price;
  const past = pastCloses(facts, listing);
  const range = yearRange(facts, listing, quote);
  const since = (close: Decimal | undefined) => (close === undefined ? undefined : ratio(last - close, close));
  const over = (days: ChangeDays) => since(past.back[days]);
  return {
    curPrice: last,
    change: last - previousClose,
    changeRatio: ratio(last - previousClose, previousClose),
    openPrice: quote.open,
    highPrice: high,
    lowPrice: low,
    lastClosePrice: previousClose,
    amplitudeRatio: ratio(high - low, previousClose),
    ...traded(quote),
    averagePrice: quote.volume === 0n ? undefined : averagePrice(instrument, quote.turnover, quote.volume, last),
    yearHighPrice: range.high,
    yearLowPrice: range.low,
    yearHighRatio: ratio(last - range.high, range.high),
    yearLowRatio: ratio(last - range.low, range.low),
    bidPrice: bid?.price,
    askPrice: ask?.price,
    bidVolume: bid?.volume,
    askVolume: ask?.volume,
    spread,
    spreadRatio: spread === undefined || bid === undefined ? undefined : ratio(spread, bid.price),
    changeRatio5d: over(5),
    changeRatio10d: over(10),
    changeRatio20d: over(20),
    changeRatio60d: over(60),
    changeRatio120d: over(120),
    changeRatio250d: over(250),
    changeRatioYear: since(past.lastYear),
  };
}

/** The hours of the last 24 that have begun within them; nothing where there was no trading, as on Sundays. */
function dayStats({ clock, market }: Needed, { instrument }: Listing) {
  const bars = market.bars(instrument, { unit: 'minute', count: 60 }, { from: clock.now() - DAY_MS });
  const [first, newest] = [bars[0], bars.at(-1)];
  if (first === undefined || newest === undefined) return undefined;
  const high = bars.map((bar) => bar.high).reduce(greater);
  const low = bars.map((bar) => bar.low).reduce(lesser);
  const change = newest.close - first.open;
  return {
    high,
    low,
    change,
    changeRatio: ratio(change, first.open),
    amplitudeRatio: ratio(high - low, first.open),
    ...traded({
      volume: bars.reduce((sum, { volume }) => sum + volume, 0n),
      turnover: bars.reduce((sum, { turnover }) => sum + turnover, 0n),
    }),
  };
}

/** Nobody counts what is dealt in a pair over the counter: then nothing is known of it, which is not 0. */
function traded({ volume, turnover }: Pick<Quote, 'volume' | 'turnover'>) {
  return volume === 0n ? { volume: undefined, turnover: undefined } : { volume, turnover: thousandths(turnover) };
}

/** A list of currency pairs. */
interface ForexList {
  readonly name: string;
  readonly holds: (base: string, quote: string) => boolean;
}

const withAny = (...currencies: readonly string[]) => {
  const wanted = new Set(currencies);
  return (base: string, quote: string) => wanted.has(base) || wanted.has(quote);
};
const majors = withAny('EUR', 'JPY', 'GBP', 'AUD', 'NZD', 'CAD', 'CHF');
const withDollar = withAny('USD');

/** By list_id. */
const forexLists: ReadonlyMap<number, ForexList> = new Map(
  (
    [
      ['All', () => true],
      ['Majors', (base, quote) => withDollar(base, quote) && majors(base, quote)],
      ['Crosses', (base, quote) => !withDollar(base, quote)],
      ['Asia', withAny('JPY', 'HKD', 'CNH', 'SGD', 'MYR', 'KRW')],
      ['US Dollar', withDollar],
      ['Euro', withAny('EUR')],
      ['British Pound', withAny('GBP')],
      ['Japanese Yen', withAny('JPY')],
      ['Hong Kong Dollar', withAny('HKD')],
      ['Offshore Renminbi', withAny('CNH')],
      ['Australian Dollar', withAny('AUD')],
      ['Commodity currencies', withAny('AUD', 'NZD', 'CAD')],
    ] as const satisfies readonly (readonly [string, ForexList['holds']])[]
  ).map(([name, holds], index) => [index + 1, { name, holds }]),
);

/** The pairs of a list in the world's order, which is that of their weight. */
function pairsOf(list: ForexList, pairs: readonly Instrument[]): readonly Instrument[] {
  return pairs.filter(({ code }) => list.holds(code.slice(0, 3), code.slice(3)));
}

const RATIO = 100_000n;
const DECIMALS_PER_THOUSANDTH = 1_000_000n;

/** A part of a whole, counted in 10^-5 and rounded half away from zero; 0 where there is no whole. */
export function ratio(part: Decimal, whole: Decimal): bigint {
  if (whole === 0n) return 0n;
  const doubled = 2n * part * RATIO;
  const half = part < 0n === whole < 0n ? whole : -whole;
  return (doubled + half) / (2n * whole);
}

/** Money counted in 10^-3, cut. */
function thousandths(amount: Decimal): bigint {
  return amount / DECIMALS_PER_THOUSANDTH;
}
