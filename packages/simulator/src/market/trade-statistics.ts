import { type Decimal, multiply } from '@svc-gateway/contract/decimal';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import type { Tick } from './market.js';
import type { SimulatedMarket } from './simulated-market.js';

/** Turnover by the size of the trades that made it. */
export interface BySize {
  readonly super: Decimal;
  readonly big: Decimal;
  readonly mid: Decimal;
  readonly small: Decimal;
}

// A typical trade is six lots, and of a heavily traded symbol more: a day has some tens of thousands of trades, not more.
const LOTS_PER_TRADE = 6;
const TRADES_A_DAY = 30_000;

/** Turnover of a symbol's typical trade, from which the size classes are counted: super from 3 times, big from 1.5, mid from 0.6. */
function typicalTrade(instrument: Instrument): Decimal {
  const volume = BigInt(Math.round(Math.max(LOTS_PER_TRADE * instrument.lotSize, instrument.dailyVolume / TRADES_A_DAY)));
  return multiply(instrument.referencePrice * volume, instrument.multiplier);
}

/** The size class of a trade. */
function sizeOf(turnover: Decimal, typical: Decimal): keyof BySize {
  if (turnover >= 3n * typical) return 'super';
  if (2n * turnover >= 3n * typical) return 'big';
  return 5n * turnover >= 3n * typical ? 'mid' : 'small';
}

/** Trades together. */
export interface TradeSums {
  readonly count: number;
  readonly volume: bigint;
  readonly turnover: Decimal;
}

/** Trades in a segment of time: buy, sell and neutral ones add up to all; sizes cover directed ones only. */
export interface TradeStatistic {
  readonly buy: TradeSums;
  readonly sell: TradeSums;
  readonly neutral: TradeSums;
  readonly sizes: Readonly<Record<keyof BySize, { readonly buy: TradeSums; readonly sell: TradeSums }>>;
  /** Undefined where nothing traded. */
  readonly high: Decimal | undefined;
  readonly low: Decimal | undefined;
  /** The first of the largest. */
  readonly largest: Tick | undefined;
}

/** Trades at one price on a day. */
export interface PriceStatistics {
  readonly price: Decimal;
  readonly buy: TradeSums;
  readonly sell: TradeSums;
  readonly neutral: TradeSums;
}

type Sums = { -readonly [K in keyof TradeSums]: TradeSums[K] };
type Side = 'buy' | 'sell' | 'neutral';
type Sided = Record<Side, Sums>;

interface Minute extends Sided {
  readonly sizes: Record<keyof BySize, { buy: Sums; sell: Sums }>;
  high: Decimal | undefined;
  low: Decimal | undefined;
  largest: Tick | undefined;
}

interface Running {
  readonly tradingDay: string;
  /** Sequence of the last tick that was counted. */
  counted: bigint;
  /** By the start of the minute, epoch ms, in order. */
  readonly minutes: Map<number, Minute>;
  readonly prices: Map<Decimal, Sided>;
}

const MINUTE_MS = 60_000;
const CACHED_SYMBOLS = 200;

/** The trades of each symbol's current day in regular hours, by minute and by price. What was counted is remembered, so that only new ticks are looked at. */
export class TradeStatistics {
  readonly #running = new LruCache<string, { day?: Running }>(CACHED_SYMBOLS);

  constructor(readonly market: SimulatedMarket) {}

  /** Trades of the minutes that begin at `from` (epoch ms) or later. */
  since(instrument: Instrument, from: number): TradeStatistic {
    const sum = noTrades();
    for (const [start, minute] of this.day(instrument).minutes) if (start >= from) add(sum, minute);
    return sum;
  }

  /** Trades of the day, price by price, highest first. */
  byPrice(instrument: Instrument): readonly PriceStatistics[] {
    return [...this.day(instrument).prices].map(([price, sided]) => ({ price, ...sided })).sort((a, b) => (a.price > b.price ? -1 : 1));
  }

  /** All trades of the day so far. */
  day(instrument: Instrument): Running {
    const { tradingDay } = this.market.quote(instrument);
    const remembered = this.#running.get(instrument.symbol, () => ({}));
    if (remembered.day?.tradingDay !== tradingDay) remembered.day = { tradingDay, counted: 0n, minutes: new Map(), prices: new Map() };
    const { day } = remembered;
    const typical = typicalTrade(instrument);
    for (const tick of this.market.dayTicks(instrument, day.counted)) count(day, tick, sizeOf(tick.turnover, typical));
    return day;
  }
}

const sides = { 1: 'buy', [-1]: 'sell', 0: 'neutral' } as const;

function count(day: Running, tick: Tick, size: keyof BySize): void {
  day.counted = tick.sequence;
  const side = sides[tick.direction];
  const start = Math.floor(tick.time / MINUTE_MS) * MINUTE_MS;
  const minute = day.minutes.get(start) ?? noTrades();
  day.minutes.set(start, minute);
  countIn(minute[side], tick);
  if (side !== 'neutral') countIn(minute.sizes[size][side], tick);
  if (minute.high === undefined || tick.price > minute.high) minute.high = tick.price;
  if (minute.low === undefined || tick.price < minute.low) minute.low = tick.price;
  if (minute.largest === undefined || tick.volume > minute.largest.volume) minute.largest = tick;
  const price = day.prices.get(tick.price) ?? { buy: none(), sell: none(), neutral: none() };
  day.prices.set(tick.price, price);
  countIn(price[side], tick);
}

function countIn(sums: Sums, { volume, turnover }: Tick): void {
  sums.count += 1;
  sums.volume += volume;
  sums.turnover += turnover;
}

function add(sum: Minute, minute: Minute): void {
  for (const side of ['buy', 'sell', 'neutral'] as const) addSums(sum[side], minute[side]);
  for (const size of ['small', 'mid', 'big', 'super'] as const) {
    for (const side of ['buy', 'sell'] as const) addSums(sum.sizes[size][side], minute.sizes[size][side]);
  }
  const { high, low, largest } = minute;
  if (sum.high === undefined || (high !== undefined && high > sum.high)) sum.high = high;
  if (sum.low === undefined || (low !== undefined && low < sum.low)) sum.low = low;
  if (sum.largest === undefined || (largest !== undefined && largest.volume > sum.largest.volume)) sum.largest = largest;
}

function addSums(sum: Sums, { count: trades, volume, turnover }: Sums): void {
  sum.count += trades;
  sum.volume += volume;
  sum.turnover += turnover;
}

function none(): Sums {
  return { count: 0, volume: 0n, turnover: 0n };
}

function noTrades(): Minute {
  const both = () => ({ buy: none(), sell: none() });
  return {
    ...both(),
    neutral: none(),
    sizes: { super: both(), big: both(), mid: both(), small: both() },
    high: undefined,
    low: undefined,
    largest: undefined,
  };
}
