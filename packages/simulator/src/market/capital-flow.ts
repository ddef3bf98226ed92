import { type Decimal, multiply } from '@svc-gateway/contract/decimal';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import type { Tick } from './market.js';
import type { SimulatedMarket } from './simulated-market.js';

const MINUTE = 60_000;

/** Turnover by the size of the trades that made it. */
export interface BySize {
  readonly super: Decimal;
  readonly big: Decimal;
  readonly mid: Decimal;
  readonly small: Decimal;
}

/** Capital that flowed in (buyers were the aggressors) and out of a symbol on its current trading day. */
export interface CapitalFlow {
  readonly tradingDay: string;
  readonly in: BySize;
  readonly out: BySize;
  /** In less out since the day's start, as of the end of each minute that had a directed trade, oldest first. */
  readonly minutes: readonly { readonly time: number; readonly net: BySize }[];
}

type Sums = { -readonly [Size in keyof BySize]: Decimal };

interface Running {
  readonly tradingDay: string;
  /** Sequence of the last tick that was counted. */
  counted: bigint;
  readonly in: Sums;
  readonly out: Sums;
  readonly minutes: { time: number; net: BySize }[];
}

// A typical trade is six lots, and of a heavily traded symbol more: a day has some tens of thousands of trades, not more.
const LOTS_PER_TRADE = 6;
const TRADES_A_DAY = 30_000;

/** Turnover of a symbol's typical trade, from which the size classes are counted: super from 3 times, big from 1.5, mid from 0.6. */
export function typicalTrade(instrument: Instrument): Decimal {
  const volume = BigInt(Math.round(Math.max(LOTS_PER_TRADE * instrument.lotSize, instrument.dailyVolume / TRADES_A_DAY)));
  return multiply(instrument.referencePrice * volume, instrument.multiplier);
}

/** The size class of a trade. */
export function sizeOf(turnover: Decimal, typical: Decimal): keyof BySize {
  if (turnover >= 3n * typical) return 'super';
  if (2n * turnover >= 3n * typical) return 'big';
  return 5n * turnover >= 3n * typical ? 'mid' : 'small';
}

const CACHED_SYMBOLS = 500;

/** The capital flows of the current day. What was counted is remembered, so that only new ticks are looked at. */
export class CapitalFlows {
  readonly #running = new LruCache<string, { flow?: Running }>(CACHED_SYMBOLS);

  constructor(readonly market: SimulatedMarket) {}

  /** In and out by size; together the turnover of all ticks that have a direction. Ready to pause: a day's trades are drawn when they are first looked at. */
  of(instrument: Instrument): CapitalFlow {
    const { tradingDay } = this.market.quote(instrument);
    const remembered = this.#running.get(instrument.symbol, () => ({}));
    if (remembered.flow?.tradingDay !== tradingDay) remembered.flow = { tradingDay, counted: 0n, in: noSums(), out: noSums(), minutes: [] };
    const flow = remembered.flow;
    const typical = typicalTrade(instrument);
    for (const ticks of this.market.dayTicks(instrument, flow.counted)) {
      // A concurrent reader may have been faster.
      for (const tick of ticks) if (tick.sequence > flow.counted) count(flow, tick, typical);
    }
    return { tradingDay, in: { ...flow.in }, out: { ...flow.out }, minutes: [...flow.minutes] };
  }
}

function count(flow: Running, tick: Tick, typical: Decimal): void {
  flow.counted = tick.sequence;
  if (tick.direction === 0) return;
  flow[tick.direction === 1 ? 'in' : 'out'][sizeOf(tick.turnover, typical)] += tick.turnover;
  const net: BySize = {
    super: flow.in.super - flow.out.super,
    big: flow.in.big - flow.out.big,
    mid: flow.in.mid - flow.out.mid,
    small: flow.in.small - flow.out.small,
  };
  const time = Math.floor(tick.time / MINUTE) * MINUTE;
  const last = flow.minutes.at(-1);
  if (last?.time === time) last.net = net;
  else flow.minutes.push({ time, net });
}

function noSums(): Sums {
  return { super: 0n, big: 0n, mid: 0n, small: 0n };
}
