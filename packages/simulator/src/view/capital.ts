import type { Bar, BySize, CapitalFlow } from '../market/index.js';
import type { Instrument } from '../world/instrument.js';
import { trait } from './fundamentals.js';

const THOUSAND = 1000n;
/** Typical shares of the turnover in thousandths; each instrument differs a little. The rest is small orders. */
const typicalShare = { super: 180, big: 260, mid: 310 } as const;
/** How far a close at the day's extreme tilts each size of order, in thousandths of its turnover. */
const tilt: Readonly<Record<keyof BySize, bigint>> = { super: 420n, big: 330n, mid: 200n, small: 120n };

export const noFlow: BySize = { super: 0n, big: 0n, mid: 0n, small: 0n };

/** Net inflow of the current day. */
export function netOf({ in: bought, out: sold }: CapitalFlow): BySize {
  return {
    super: bought.super - sold.super,
    big: bought.big - sold.big,
    mid: bought.mid - sold.mid,
    small: bought.small - sold.small,
  };
}

/**
 * The net inflow of a day that is over, taken from its bar alone (its trades are not looked at again): the turnover is
 * divided among the sizes, and in each the buyers had the larger part, the nearer the day came to a rise through its whole range.
 */
export function netOfBar(instrument: Instrument, { open, high, low, close, turnover }: Bar): BySize {
  if (high === low) return noFlow;
  const part = (size: keyof typeof typicalShare) => {
    const share = BigInt(typicalShare[size] + Math.round(40 * (trait(instrument, `${size} orders`) - 0.5)));
    return (turnover * share) / THOUSAND;
  };
  const parts = { super: part('super'), big: part('big'), mid: part('mid') };
  const net = (size: keyof BySize, amount: bigint) => (amount * tilt[size] * (close - open)) / (THOUSAND * (high - low));
  return {
    super: net('super', parts.super),
    big: net('big', parts.big),
    mid: net('mid', parts.mid),
    small: net('small', turnover - parts.super - parts.big - parts.mid),
  };
}

export function addFlows(a: BySize, b: BySize): BySize {
  return { super: a.super + b.super, big: a.big + b.big, mid: a.mid + b.mid, small: a.small + b.small };
}
