import type { Decimal } from '../../contract/decimal.js';
import type { Bar } from '../market/market.js';
import type { Instrument } from '../world/instrument.js';
import { trait } from './fundamentals.js';

/** Sizes of orders, largest first. "Main" money is the first two. */
export const orderSizes = ['super', 'big', 'mid', 'small'] as const;

export type OrderSize = (typeof orderSizes)[number];

/** Money of buyers (`in`) and of sellers (`out`) as aggressors, by the size of their orders. */
export type CapitalFlow = Readonly<Record<OrderSize, { readonly in: Decimal; readonly out: Decimal }>>;

const SHARE_UNITS = 1000n;
/** Typical shares of the turnover in thousandths; each instrument differs a little. */
const typicalShare = { super: 180, big: 260, mid: 310 } as const;
/** How far a close at the day's extreme tilts each size of order, in thousandths of its turnover. */
const tilt: Readonly<Record<OrderSize, bigint>> = { super: 420n, big: 330n, mid: 200n, small: 120n };

/**
 * The money behind a bar, as a function of the bar alone: its turnover is divided among the sizes, and within each the
 * buyers' part is the larger, the nearer the close lies to where a rise from open to close fills the whole range.
 *
 * As it needs the day's bar only, the flow up to any minute, of the day, and the distribution agree with each other and
 * with the turnover: in plus out, over all sizes, is the turnover to the last unit.
 */
export function capitalFlow(instrument: Instrument, bar: Pick<Bar, 'open' | 'high' | 'low' | 'close' | 'turnover'>): CapitalFlow {
  const range = bar.high - bar.low;
  const move = bar.close - bar.open;
  const flow = (size: OrderSize, turnover: Decimal) => {
    const bought = turnover / 2n + (range === 0n ? 0n : (turnover * tilt[size] * move) / (2n * SHARE_UNITS * range));
    return { in: bought, out: turnover - bought };
  };
  const part = (size: keyof typeof typicalShare) => {
    const share = BigInt(typicalShare[size] + Math.round(40 * (trait(instrument, `${size} orders`) - 0.5)));
    return (bar.turnover * share) / SHARE_UNITS;
  };
  const parts = { super: part('super'), big: part('big'), mid: part('mid') };
  return {
    super: flow('super', parts.super),
    big: flow('big', parts.big),
    mid: flow('mid', parts.mid),
    small: flow('small', bar.turnover - parts.super - parts.big - parts.mid),
  };
}

/** Net inflow (negative: outflow) by size. */
export type NetFlow = Readonly<Record<OrderSize, Decimal>>;

export const noFlow: NetFlow = { super: 0n, big: 0n, mid: 0n, small: 0n };

export function netFlow(flow: CapitalFlow): NetFlow {
  const net = (size: OrderSize) => flow[size].in - flow[size].out;
  return { super: net('super'), big: net('big'), mid: net('mid'), small: net('small') };
}

export function addFlows(a: NetFlow, b: NetFlow): NetFlow {
  return { super: a.super + b.super, big: a.big + b.big, mid: a.mid + b.mid, small: a.small + b.small };
}
