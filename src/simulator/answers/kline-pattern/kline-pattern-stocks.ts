import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type PatternStock,
  PatternStockSchema,
  type S2C,
  S2CSchema,
} from '../../../contract/generated/svc/kline_pattern_stocks_pb.js';
import { patternMarket, patternSort, patternSortOrder } from '../../../contract/list-enums.js';
import { localDateTime } from '../../../contract/time.js';
import type { BarPeriod, Market } from '../../market/index.js';
import { inTurns } from '../../pace.js';
import { occurrences, type Pattern } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import { labelTime, periodOf } from '../../view/bars.js';
import { checkChoice, marketOf } from '../../view/choices.js';
import { completeBars, lastCompleteDay } from '../../view/complete-bars.js';
import { checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { type Figure, pageOf } from '../../view/standings.js';
import { eachShare, type StockFigures, sharesOf, stockFigures } from '../../view/stock-figures.js';
import { colorNumbers, pageOfRows, requirePattern, seriesOf } from './pattern-requests.js';

/** What the longest chart pattern needs. */
const BARS_EXAMINED = 170;
const BACKEND_ORDER = -1;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard'>;

/** The pattern that a share's newest complete bar completes, by the names of its bars. */
interface Shown {
  readonly beginTime: number;
  readonly endTime: number;
}

interface Row extends StockFigures {
  readonly shown: Shown;
}

/** Shares of a market whose newest complete bar is the last one of a pattern. */
export const klinePatternStocks: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard', C2S, S2C> = (
  facts,
  request,
) => {
  const { sortType, sortOrder, startCount, userStockListMode } = request;
  const refused =
    checkVersion(request) ?? checkChoice('sort_type', sortType, patternSort) ?? checkChoice('sort_order', sortOrder, patternSortOrder);
  if (refused !== undefined) return refused;
  if (startCount < 0) return new Refusal(`start_count ${startCount}: expected 0 or more`);
  if (userStockListMode !== 0) return new Refusal(`user_stock_list_mode ${userStockListMode}: expected 0 (every stock of the market)`);
  const market = marketOf(request.market, patternMarket);
  if (market instanceof Refusal) return market;
  const pattern = requirePattern(request.shape);
  if (pattern instanceof Refusal) return pattern;
  const period = periodOf(request.klineType);
  return period instanceof Refusal ? period : inTurns(answer(facts, sharesOf(facts, market), { request, pattern, period }));
};

/** By sort type. */
const figures: Readonly<Record<number, Figure<Row>>> = {
  0: ({ changeRate }) => changeRate,
  1: ({ board }) => board.curPrice,
  2: ({ board }) => Number(board.volume),
  3: ({ board }) => board.turnover,
  4: ({ board }) => board.turnoverRate,
  5: ({ equity }) => equity.issuedMarketVal,
};

interface Wanted {
  readonly request: C2S;
  readonly pattern: Pattern;
  readonly period: BarPeriod;
}

function* answer(facts: Needed, shares: readonly Listing[], { request, pattern, period }: Wanted): Generator<void, S2C> {
  const showing: (readonly [Listing, Shown])[] = [];
  for (const share of shares) {
    const shown = (yield* patternsOnNewest(facts, share, period)).get(pattern.shape);
    if (shown !== undefined) showing.push([share, shown]);
    yield;
  }
  const shownBy = new Map(showing);
  const rows = (yield* eachShare(facts, [...shownBy.keys()], (share) => stockFigures(facts, share))).flatMap((stock): Row[] => {
    const shown = shownBy.get(stock.listing);
    return shown === undefined ? [] : [{ ...stock, shown }];
  });
  const by = figures[request.sortType];
  const ordered =
    request.sortType === BACKEND_ORDER || by === undefined
      ? rows
      : pageOf(rows, { by, ascending: request.sortOrder === 1, offset: 0, count: rows.length });
  const stockList = pageOfRows(ordered, request.startCount, request.count).map((row) => stockMessage(row, pattern));
  return create(S2CSchema, { stockList, allCount: rows.length });
}

/** Of days and longer bars, what was found is kept while no further day is over. */
const remembered = new WeakMap<Market, Map<string, { readonly upTo: string; readonly shown: ReadonlyMap<number, Shown> }>>();
const REMEMBERED_MAX = 40_000;

/** The patterns that a share's newest complete bar completes, by shape. */
function* patternsOnNewest(facts: Needed, share: Listing, period: BarPeriod): Generator<void, ReadonlyMap<number, Shown>> {
  const kept = remembered.get(facts.market) ?? new Map<string, { readonly upTo: string; readonly shown: ReadonlyMap<number, Shown> }>();
  remembered.set(facts.market, kept);
  const key = `${share.instrument.symbol} ${period.unit}`;
  const upTo = lastCompleteDay(facts.world.calendar(share.instrument), facts.clock.now());
  const known = period.unit === 'minute' ? undefined : kept.get(key);
  if (known?.upTo === upTo) return known.shown;
  const bars = yield* completeBars(facts, share, period, BARS_EXAMINED);
  const found = occurrences(seriesOf(bars), bars.length - 1, bars.length);
  const shown = new Map<number, Shown>();
  for (const { pattern, first, last } of found) {
    const [begin, end] = [bars[first], bars[last]];
    if (begin === undefined || end === undefined) continue;
    shown.set(pattern.shape, { beginTime: labelTime(facts, share, period, begin), endTime: labelTime(facts, share, period, end) });
  }
  if (period.unit !== 'minute') {
    if (kept.size >= REMEMBERED_MAX) kept.clear();
    kept.set(key, { upTo, shown });
  }
  return shown;
}

function stockMessage({ listing, board, equity, changeRate, shown }: Row, pattern: Pattern): PatternStock {
  const { timeZone } = listing.market;
  return create(PatternStockSchema, {
    security: listing.security,
    stockId: listing.instrument.id,
    name: board.name,
    shape: pattern.shape,
    color: colorNumbers[pattern.color],
    beginTime: localDateTime(shown.beginTime, timeZone),
    endTime: localDateTime(shown.endTime, timeZone),
    endTimestamp: shown.endTime / 1000,
    curPrice: board.curPrice,
    changeRate,
    volume: board.volume,
    turnover: board.turnover,
    turnoverRate: board.turnoverRate,
    marketCap: equity.issuedMarketVal,
  });
}
