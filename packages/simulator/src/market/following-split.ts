import { normal, uniform } from '../rng/random.js';
import type { PriceRange } from './price-range.js';
import { clamp, type Flow, lotsMin, type Segment } from './segment.js';
import { freeMean, type SegmentSplit } from './segment-split.js';

/** The fewest lots that a half is given so that the halves' means make up the whole's, against those that its trades would have. */
const LOTS_LEAST = 0.3;
/** Where the means leave them free, how far lots are spread. */
const LOTS_SPREAD = 0.35;
/** Steps between a half's extremes and its mean, at least. */
const ROOM = 1;

/**
 * A cut on a path that is known: `left` and `right` are what it does on both sides. Extremes lie where the path has them. The whole's mean is given, and
 * seldom that of the path with these lots: the busier half is the one that makes up for the difference as far as it can, and what is left is
 * handed down.
 */
export function followingSplit(whole: Segment, flow: Flow, left: PriceRange, right: PriceRange, key: number): SegmentSplit {
  const { open, close, high, low, count, lots } = whole;
  const leftClose = clamp(Math.round(left.close), low, high);
  const rightOpen = clamp(Math.round(right.open) + (Math.floor(uniform(key, 4) * 4 - 1) % 2), low, high);
  const highLeft = open === high || (close !== high && left.high >= right.high);
  const lowLeft = open === low || (close !== low && left.low <= right.low);

  const mean = freeMean(whole, flow);
  const leftCount = count >> 1;
  const share = leftCount / count;
  const apart = left.mean - right.mean;
  const spread = LOTS_SPREAD * normal(key, 9) * Math.min(1, 1 / Math.abs(apart));
  const needed = Math.abs(apart) < 1 ? share : clamp((mean - right.mean) / apart, LOTS_LEAST * share, 1 - LOTS_LEAST * (1 - share));
  const part = needed * (1 + spread);
  const leftLots = clamp(Math.round(lots * part), lotsMin(leftCount, flow.markLots), lots - lotsMin(count - leftCount, flow.markLots));
  const rightLots = lots - leftLots;
  const surplus = mean - (left.mean * leftLots + right.mean * rightLots) / lots;
  const least = Math.max(low, (mean * lots - high * rightLots) / leftLots);
  const most = Math.min(high, (mean * lots - low * rightLots) / leftLots);
  const leftMean = clamp(left.mean + surplus, least, most);
  const rightMean = (mean * lots - leftMean * leftLots) / rightLots;

  return {
    leftClose,
    rightOpen,
    leftHigh: highLeft ? high : Math.min(high, Math.max(open, leftClose, Math.round(left.high), Math.ceil(leftMean + ROOM))),
    rightHigh: highLeft ? Math.min(high, Math.max(rightOpen, close, Math.round(right.high), Math.ceil(rightMean + ROOM))) : high,
    leftLow: lowLeft ? low : Math.max(low, Math.min(open, leftClose, Math.round(left.low), Math.floor(leftMean - ROOM))),
    rightLow: lowLeft ? Math.max(low, Math.min(rightOpen, close, Math.round(right.low), Math.floor(rightMean - ROOM))) : low,
    leftLots,
    leftMean,
  };
}
