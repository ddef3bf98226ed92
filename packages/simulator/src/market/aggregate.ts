import { type Decimal, greater, multiply } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';
import type { BackgroundDay } from './background-day.js';
import type { Totals } from './day-tape.js';
import type { Bar, PriceBounds, Tick } from './market.js';
import { tickSequence } from './sequence.js';

/** Volume and turnover of some trades. */
export type Traded = Pick<Aggregate, 'volume' | 'turnover'>;

/** Exact totals of some trades of one symbol, whichever they are: bars, quotes and loaded history are all made of these. */
export interface Aggregate {
  /** Sequence of the first and last trade: decides whose open and close hold when two are merged. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  readonly volume: bigint;
  readonly turnover: Decimal;
}

export function aggregateOfTotals(totals: Totals, { day, grid, lotSize, amountUnit }: BackgroundDay): Aggregate {
  return {
    firstSequence: tickSequence(day.number, totals.first),
    lastSequence: tickSequence(day.number, totals.last),
    open: BigInt(totals.open * grid),
    high: BigInt(totals.high * grid),
    low: BigInt(totals.low * grid),
    close: BigInt(totals.close * grid),
    volume: BigInt(totals.lots) * BigInt(lotSize),
    turnover: BigInt(totals.amount) * amountUnit,
  };
}

export function aggregateOfTick(tick: Tick): Aggregate {
  const { sequence, price, volume, turnover } = tick;
  return {
    firstSequence: Number(sequence),
    lastSequence: Number(sequence),
    open: price,
    high: price,
    low: price,
    close: price,
    volume,
    turnover,
  };
}

/** Both together; undefined is "no trade". */
export function merge(a: Aggregate | undefined, b: Aggregate | undefined): Aggregate | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const [opening, closing] = [a.firstSequence <= b.firstSequence ? a : b, a.lastSequence >= b.lastSequence ? a : b];
  return {
    firstSequence: opening.firstSequence,
    lastSequence: closing.lastSequence,
    open: opening.open,
    ...widened(a, b),
    close: closing.close,
    volume: a.volume + b.volume,
    turnover: a.turnover + b.turnover,
  };
}

/** The extremes of both. */
export function widened(a: PriceBounds, b: PriceBounds): PriceBounds {
  return { high: greater(a.high, b.high), low: -greater(-a.low, -b.low) };
}

/** Range that holds both; either may be missing. */
export function joined(one: PriceBounds | undefined, other: PriceBounds | undefined): PriceBounds | undefined {
  return one === undefined || other === undefined ? (one ?? other) : widened(one, other);
}

export function barOf(start: number, end: number, previousClose: Decimal, totals: Aggregate): Bar {
  const { open, high, low, close, volume, turnover } = totals;
  return { start, end, open, high, low, close, previousClose, volume, turnover };
}

/** price × volume (× multiplier for futures). */
export function turnoverOf(instrument: Instrument, price: Decimal, volume: bigint): Decimal {
  return multiply(price * volume, instrument.multiplier);
}
