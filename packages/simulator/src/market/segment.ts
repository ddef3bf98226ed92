import type { Activity } from './activity.js';
import type { PriceRange } from './price-range.js';

/**
 * A segment of consecutive trades of one day, known by its exact totals before any of its trades is.
 *
 * A day is one segment. It is split in two halves of equally many trades, those again, and so on, down to segments of
 * a few trades which are then written out (trades.ts). Totals are handed down exactly: the halves' lots and amounts sum
 * to the parent's, the higher of their highs is the parent's high. So a day bar costs one segment, any time range
 * costs O(log trades), nothing needs to be stored, and still every bar is the exact aggregate of the tape.
 *
 * Prices are counted in the day's grid, volumes in lots: all fields but `activity…` are whole numbers below 2^53.
 */
export interface Segment {
  /** Number in the tree: the root is 1, the halves of n are 2n and 2n + 1. */
  readonly node: number;
  /** Index in the day of its first trade. */
  readonly first: number;
  /** How many trades. */
  readonly count: number;
  /** All its trades lie in [from, until), epoch ms. */
  readonly from: number;
  readonly until: number;
  readonly activityFrom: number;
  readonly activityUntil: number;
  /** Prices of its first and last trade, and its extremes. */
  readonly open: number;
  readonly close: number;
  readonly high: number;
  readonly low: number;
  readonly lots: number;
  /** Sum over its trades of price × lots. */
  readonly amount: number;
}

/** Parameters shared by all segments of one day. */
export interface Flow {
  /** Stream of the day's randomness. */
  readonly key: number;
  /** Lots of each trade that an open, close, high or low calls for. The day has at least 4 × count × this many lots. */
  readonly markLots: number;
  /** Standard deviation of the price from one trade to the next, in grid units. */
  readonly step: number;
  readonly activity: Activity;
  /** Price range of [from, until), in grid units, where the price follows another: cuts are made on it. */
  readonly follows?: (from: number, until: number) => PriceRange;
}

/** Segments of fewer trades are not split. Halves then have six trades or more: four marks and two free ones. */
export const SPLIT_COUNT_MIN = 12;

/** Shorter ones go from one end to the other by themselves, whatever their day follows. */
const FOLLOWED_MS_MIN = 30_000;

export function isFollowed({ from, until }: Segment): boolean {
  return until - from >= FOLLOWED_MS_MIN;
}

/** The fewest lots with which a segment can be split and written out, whatever its totals. */
export function lotsMin(count: number, markLots: number): number {
  return markLots * (4 * count - 9);
}

/**
 * The trades that a segment's prices call for: one at the open, one at the close, and one at each extreme that is neither.
 * The remaining lots and amount may go anywhere in [low, high].
 */
export function marks(open: number, close: number, high: number, low: number): { readonly count: number; readonly sum: number } {
  let count = 2;
  let sum = open + close;
  if (high > open && high > close) {
    count += 1;
    sum += high;
  }
  if (low < open && low < close) {
    count += 1;
    sum += low;
  }
  return { count, sum };
}

/** `value` held within [least, most]. */
export function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
