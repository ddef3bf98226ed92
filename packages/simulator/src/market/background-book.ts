import { keyOf, mix, uniform } from '../rng/random.js';
import type { BackgroundDay } from './background-day.js';
import type { BookLevel } from './market.js';
import type { Profile } from './profile.js';
import type { TickLadder } from './tick-ladder.js';
import type { Trade } from './trades.js';

export type Side = 'buy' | 'sell';

/** A level that the background shows. */
export interface BackgroundLevel {
  /** Billionths. */
  readonly price: number;
  /** Shares, whole board lots. */
  readonly volume: number;
  readonly orderCount: number;
  /** Shares of a board lot. */
  readonly lot: number;
  /** Changes whenever the background renews the level: what callers took of it before is then back. */
  readonly draw: number;
}

/** Levels on each side. */
const BOOK_DEPTH = 40;

const BOOK_STREAM = keyOf('book');
const REFRESH_MS_MIN = 400;
const REFRESH_MS_MAX = 20_000;
/** Lots at the best price, in lots of an average trade. */
const LEVEL_LOTS_PER_TRADE = 3;

/**
 * When a symbol's book changes between trades: once in every period, at a moment drawn for each. A liquid symbol's period is half a second.
 */
interface Refreshes {
  readonly key: number;
  readonly period: number;
}

export function refreshesOf(profile: Profile, { tape, day }: BackgroundDay): Refreshes {
  const tradesPerSecond = tape.root.count / day.activity.seconds;
  const period = Math.round(Math.min(REFRESH_MS_MAX, Math.max(REFRESH_MS_MIN, 500 / Math.sqrt(tradesPerSecond))));
  return { key: mix(profile.key, BOOK_STREAM), period };
}

const refreshTime = ({ key, period }: Refreshes, number: number): number => number * period + Math.floor(uniform(key, number) * period);

/** The last refresh at or before `time`: its number, which rises with time, and its moment; and the moment of the next. */
export function refreshAt(refreshes: Refreshes, time: number): { readonly number: number; readonly time: number; readonly next: number } {
  const begun = Math.floor(time / refreshes.period);
  const number = refreshTime(refreshes, begun) <= time ? begun : begun - 1;
  return { number, time: refreshTime(refreshes, number), next: refreshTime(refreshes, number + 1) };
}

/** Levels that are as they are: those of a recording. */
interface ShownBook {
  readonly shown: Readonly<Record<Side, readonly BookLevel[]>>;
}

/** The source of an order book without callers' orders: drawn, or shown by a recording. */
export type BookState = DrawnBook | ShownBook;

/** The draws from which the background makes a book. */
interface DrawnBook {
  readonly ladder: TickLadder;
  /** Stream of the symbol's book. */
  readonly key: number;
  /** The last background trade: one side's best price is its price (billionths). `index` is its index in the day. */
  readonly last: PricedTrade;
  readonly refresh: number;
  /** Shares of a board lot, and lots of a typical level. */
  readonly boardLot: number;
  readonly levelLots: number;
}

/** The trade that a book is built around; its price is in billionths. */
export type PricedTrade = Pick<Trade, 'price' | 'direction' | 'index'>;

/** The book's state after `last` (undefined: before the day's first trade, when the close before stands in). */
export function bookState(
  profile: Profile,
  background: BackgroundDay,
  last: PricedTrade | undefined,
  previousClose: number,
  refresh: number,
  boardLot: number,
): DrawnBook {
  const { tape, lotSize } = background;
  // Currency pairs report no volume; their book is as deep as a typical day's would make it.
  const lots = tape.root.lots === 0 ? profile.lotsADay : tape.root.lots;
  const tradedLots = (lots * lotSize) / boardLot / tape.root.count;
  return {
    ladder: profile.ladder,
    key: mix(profile.key, BOOK_STREAM),
    last: last ?? { price: previousClose, direction: -1, index: -1 },
    refresh,
    boardLot,
    levelLots: tradedLots * LEVEL_LOTS_PER_TRADE,
  };
}

/**
 * The background's `depth` best levels of one side, at most {@link BOOK_DEPTH}, best first. The last trade's price is
 * the best ask when it was bought, else the best bid; the other side's best is one step away. The best level is renewed
 * by every trade and refresh, those behind it ever more rarely.
 */
export function backgroundLevels(state: BookState, side: Side, depth = BOOK_DEPTH): BackgroundLevel[] {
  if ('shown' in state) return state.shown[side].slice(0, depth).map(shownLevel);
  const { ladder, last, boardLot } = state;
  const bought = last.direction >= 0;
  const step = side === 'buy' ? ladder.down : ladder.up;
  const levels: BackgroundLevel[] = [];
  let price = bought === (side === 'sell') ? last.price : step(last.price);
  for (let i = 0; i < Math.min(depth, BOOK_DEPTH) && price > 0; i++) {
    const place = mix(state.key, (price / ladder.finest) * 2 + (side === 'buy' ? 1 : 0));
    const pace = Math.min(i, 5);
    const turn = Math.floor((state.refresh + (place & 31)) / 2 ** pace);
    const draw = mix(mix(place, turn), i === 0 ? last.index : pace);
    const swell = 1 + Math.min(i, 10) / 5;
    const lots = Math.max(1, Math.round(state.levelLots * swell * (0.2 + 1.6 * uniform(draw, 0) * uniform(draw, 1))));
    const orderCount = Math.max(1, Math.min(lots, Math.round(Math.sqrt(lots) * (0.4 + uniform(draw, 2)))));
    levels.push({ price, volume: lots * boardLot, orderCount, lot: boardLot, draw });
    price = step(price);
  }
  return levels;
}

function shownLevel({ price, volume, orderCount }: BookLevel): BackgroundLevel {
  // A level that shows another volume or another number of orders is another one.
  return { price: Number(price), volume: Number(volume), orderCount, lot: 1, draw: mix(Number(volume % 4_294_967_291n), orderCount) };
}
