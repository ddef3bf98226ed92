import { patternMarket, patternSort, patternSortOrder } from '@svc-gateway/contract/list-enums';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { klinePattern as declared } from '@svc-gateway/contract/operations';
import { localDateTime, parseLocal } from '@svc-gateway/contract/time';
import type { BarPeriod } from '../../market/index.js';
import { occurrences, type Pattern, Series, seriesOf } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import { labelTime, periodOf } from '../../view/bars.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { completeBars, completeDayStamp, lastCompleteDay } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { checkChoice, marketOf, versioned } from '../../view/requests.js';
import { type Figure, pageOf } from '../../view/standings.js';
import { type StockFigures, sharesOf, stockFigures } from '../../view/stock-figures.js';
import type { AnswerTo } from '../table.js';
import { colorNumbers, pageOfRows, requirePattern } from './pattern-requests.js';

/** Bars that the longest chart pattern needs. */
const BARS_EXAMINED = 170;
const BACKEND_ORDER = -1;
/** `user_stock_list_mode`. */
const EVERY_STOCK = 0;
const WATCHED_STOCKS = 1;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

/** The pattern that a share's newest complete bar completes, by the names of its bars. */
interface Shown {
  readonly beginTime: number;
  readonly endTime: number;
}

interface Row {
  readonly stock: StockFigures;
  readonly shown: Shown;
}

/** Shares of a market whose newest complete bar is the last one of a pattern. */
export const klinePatternStocks: AnswerTo<typeof declared.klinePatternStocks> = versioned((facts, request) => {
  const { sortType, sortOrder, startCount, userStockListMode } = request;
  const refused = checkChoice('sort_type', sortType, patternSort) ?? checkChoice('sort_order', sortOrder, patternSortOrder);
  if (refused !== undefined) return refused;
  if (startCount < 0) return new Refusal(`start_count ${startCount}: expected 0 or more`, 'broker.value');
  if (userStockListMode !== EVERY_STOCK && userStockListMode !== WATCHED_STOCKS)
    return new Refusal(
      `user_stock_list_mode ${userStockListMode}: expected 0 (every stock of the market) or 1 (those on the watchlist)`,
      'broker.value',
    );
  const market = marketOf(request.market, patternMarket);
  if (market instanceof Refusal) return market;
  const pattern = requirePattern(request.shape);
  if (pattern instanceof Refusal) return pattern;
  const period = periodOf(request.klineType);
  if (period instanceof Refusal) return period;
  const all = facts.caches.ofMinute(rankings, `${market} ${pattern.shape} ${request.klineType}`, () =>
    rowsOf(facts, market, pattern, period),
  );
  const rows = userStockListMode === WATCHED_STOCKS ? watchedOf(facts, all) : all;
  const by = figures[sortType];
  const ordered =
    sortType === BACKEND_ORDER || by === undefined ? rows : pageOf(rows, { by, ascending: sortOrder === 1, offset: 0, count: rows.length });
  const page = pageOfRows(ordered, startCount, request.count);
  const stockList = page.map((row) => stockMessage(row, pattern));
  return { stockList, allCount: rows.length };
});

function watchedOf({ watched }: Facts<'watched'>, rows: readonly Row[]): readonly Row[] {
  const symbols = new Set(watched());
  return rows.filter(({ stock: { listing } }) => symbols.has(listing.instrument.symbol));
}

/** Rows by market, pattern and period. */
const rankings: CacheKind<readonly Row[]> = { max: 64 };

/** By sort type. */
const figures: Readonly<Record<number, Figure<Row>>> = {
  0: ({ stock: { changeRate } }) => changeRate,
  1: ({ stock: { board } }) => board.curPrice,
  2: ({ stock: { board } }) => Number(board.volume),
  3: ({ stock: { board } }) => board.turnover,
  4: ({ stock: { board } }) => board.turnoverRate,
  5: ({ stock: { equity } }) => equity.issuedMarketVal,
};

function rowsOf(facts: Needed, market: QuoteMarket, { shape }: Pattern, period: BarPeriod): readonly Row[] {
  const newest = newestPatterns(facts, market, period).get(shape) ?? [];
  return newest.map(([listing, shown]) => ({ stock: stockFigures(facts, listing), shown }));
}

/** One market and period: by shape, the shares whose newest complete bar completes the pattern, in the world's order. */
type Newest = ReadonlyMap<number, readonly (readonly [Listing, Shown])[]>;

const newest: CacheKind<Newest> = { max: 32 };

/** For days and longer bars, patterns found last until another day is over; for shorter ones, for the minute. */
function newestPatterns(facts: Needed, market: QuoteMarket, period: BarPeriod): Newest {
  const find = () => findNewest(facts, market, period);
  if (period.unit === 'minute') return facts.caches.ofMinute(newest, `${market} ${period.count}`, find);
  return facts.caches.get(newest, `${market} ${period.unit}`, completeDayStamp(facts, market), find);
}

function findNewest(facts: Needed, market: QuoteMarket, period: BarPeriod): Newest {
  const found = new Map<number, (readonly [Listing, Shown])[]>();
  for (const share of sharesOf(facts, market)) {
    const byDays = period.unit === 'day' ? shownByDays(facts, share) : undefined;
    for (const { shape, shown } of byDays ?? shownBy(facts, share, period)) {
      const shares = found.get(shape);
      if (shares === undefined) found.set(shape, [[share, shown]]);
      else shares.push([share, shown]);
    }
  }
  return found;
}

interface Completed {
  readonly shape: number;
  readonly shown: Shown;
}

/** Patterns completed by a share's newest complete bar. */
function shownBy(facts: Needed, share: Listing, period: BarPeriod): readonly Completed[] {
  const bars = completeBars(facts, share, period, BARS_EXAMINED);
  return occurrences(seriesOf(bars), bars.length - 1, bars.length).flatMap(({ pattern: { shape }, first, last }) => {
    const [begin, end] = [bars[first], bars[last]];
    if (begin === undefined || end === undefined) return [];
    return [{ shape, shown: { beginTime: labelTime(facts, share, period, begin), endTime: labelTime(facts, share, period, end) } }];
  });
}

/** The same of day bars, of which no more are read than detectors look at; undefined where their prices cannot be known without the bars. */
function shownByDays(facts: Needed, share: Listing): readonly Completed[] | undefined {
  const { instrument, market } = share;
  const newest = lastCompleteDay(facts.world.calendar(instrument), facts.clock.now());
  const days = facts.market.pastDays(instrument, newest, BARS_EXAMINED);
  const { count } = days;
  let isWhole = true;
  const at = (index: number) => {
    const prices = days.prices(count - 1 - index);
    isWhole &&= prices !== undefined;
    return prices ?? NO_PRICES;
  };
  const found = occurrences(new Series({ length: count, at }), count - 1, count);
  if (!isWhole) return undefined;
  const timeOf = (index: number) => parseLocal(days.day(count - 1 - index), market.timeZone) ?? 0;
  return found.map(({ pattern: { shape }, first, last }) => ({ shape, shown: { beginTime: timeOf(first), endTime: timeOf(last) } }));
}

/** Completes no pattern. */
const NO_PRICES = { open: Number.NaN, high: Number.NaN, low: Number.NaN, close: Number.NaN };

function stockMessage({ stock: { listing, board, equity, changeRate }, shown }: Row, pattern: Pattern) {
  const { timeZone } = listing.market;
  return {
    security: listing.security,
    stockId: listing.instrument.id,
    name: board.name,
    shape: pattern.shape,
    color: colorNumbers[pattern.color],
    beginTime: localDateTime(shown.beginTime, timeZone),
    endTime: localDateTime(shown.endTime, timeZone),
    beginTimestamp: shown.beginTime / 1000,
    endTimestamp: shown.endTime / 1000,
    curPrice: board.curPrice,
    changeRate,
    volume: board.volume,
    turnover: board.turnover,
    turnoverRate: board.turnoverRate,
    marketCap: equity.issuedMarketVal,
  };
}
