import { normal, uniform } from '../rng/random.js';
import { clamp, type Flow, lotsMin, marks, type Segment } from './segment.js';

/** Where a segment is cut: the prices on both sides of the cut, and the extremes and lots of the halves. */
export interface SegmentSplit {
  readonly leftClose: number;
  readonly rightOpen: number;
  readonly leftHigh: number;
  readonly leftLow: number;
  readonly rightHigh: number;
  readonly rightLow: number;
  readonly leftLots: number;
  /** Mean price that the left half's free lots should have, as far as both halves' extremes allow. */
  readonly leftMean: number;
}

/** Mean price of the free lots. */
export function freeMean(whole: Segment, flow: Flow): number {
  const { count, sum } = marks(whole.open, whole.close, whole.high, whole.low);
  return (whole.amount - flow.markLots * sum) / (whole.lots - flow.markLots * count);
}

/**
 * A cut as a random walk would have it. Of a Brownian bridge with deviation σ whose mean over time is known to lie A above the mean of
 * its ends, the midpoint lies 1.5 A above it, with deviation σ/4 (Var A = σ²/12, Cov = σ²/8, Var midpoint = σ²/4); the halves' own
 * means are then independent, but for their sum.
 */
export function drawSplit(whole: Segment, flow: Flow, key: number): SegmentSplit {
  const { open, close, high, low, count, lots } = whole;
  const deviation = flow.step * Math.sqrt(count);
  const ends = (open + close) / 2;
  const mean = freeMean(whole, flow);
  const middle = ends + 1.5 * (mean - ends) + 0.25 * deviation * normal(key, 2);
  // An extreme lies in the half that comes nearer to it. Where that is further than a walk goes, the cut is drawn towards it, gently:
  // a strong pull would have to be made up for in the halves' means.
  const reach = 0.5 * deviation;
  const pull = 0.25 * deviation;
  const lacking = Math.min(pull, Math.max(0, high - Math.max(open, middle, close) - reach));
  const excess = Math.min(pull, Math.max(0, Math.min(open, middle, close) - low - reach));
  const leftClose = reflect(Math.round(middle + lacking - excess), low, high);
  const rightOpen = clamp(leftClose + (Math.floor(uniform(key, 4) * 4 - 1) % 2), low, high);
  const highLeft = holdsLeft(high, open, leftClose, rightOpen, close, deviation * (uniform(key, 0) - 0.5));
  const lowLeft = holdsLeft(-low, -open, -leftClose, -rightOpen, -close, deviation * (uniform(key, 1) - 0.5));

  const leftCount = count >> 1;
  const leftLots = clamp(
    Math.round(((lots * leftCount) / count) * (1 + 0.35 * normal(key, 9))),
    lotsMin(leftCount, flow.markLots),
    lots - lotsMin(count - leftCount, flow.markLots),
  );
  const surplus = mean - (open + 2 * leftClose + close) / 4;
  const rightLots = lots - leftLots;
  // Neither half's mean comes nearer to an extreme than it must: a half that does would stay there.
  const margin = Math.min(0.25 * deviation, (high - low) / 4, mean - low, high - mean);
  const least = Math.max(low + margin, (mean * lots - (high - margin) * rightLots) / leftLots);
  const most = Math.min(high - margin, (mean * lots - (low + margin) * rightLots) / leftLots);
  const leftMean = clamp((open + leftClose) / 2 + surplus + 0.144 * deviation * normal(key, 10), least, most);
  const rightMean = (mean * lots - leftMean * leftLots) / rightLots;

  // A half that does not hold an extreme has one of its own, beyond its ends and its mean by what a walk of its length would have.
  const own = (a: number, b: number, halfMean: number, up: 1 | -1, i: number) => {
    const outermost = Math.max(up * a, up * b, Math.round(up * halfMean + 0.2 * deviation));
    return up * (outermost + Math.floor(0.25 * deviation * Math.abs(normal(key, i)) + uniform(key, i + 1)));
  };
  return {
    leftClose,
    rightOpen,
    leftHigh: highLeft ? high : Math.min(high, own(open, leftClose, leftMean, 1, 5)),
    rightHigh: highLeft ? Math.min(high, own(rightOpen, close, rightMean, 1, 5)) : high,
    leftLow: lowLeft ? low : Math.max(low, own(open, leftClose, leftMean, -1, 7)),
    rightLow: lowLeft ? Math.max(low, own(rightOpen, close, rightMean, -1, 7)) : low,
    leftLots,
    leftMean,
  };
}

/**
 * Whether the left half holds the extreme (of negated prices: the low): where an end is the extreme it must, else the
 * half with the higher end does, give or take `chance`.
 */
function holdsLeft(extreme: number, open: number, leftClose: number, rightOpen: number, close: number, chance: number): boolean {
  if (open === extreme) return true;
  if (close === extreme) return false;
  return Math.max(open, leftClose) + 0.5 * chance > Math.max(rightOpen, close);
}

/**
 * The cut that always can be made, for totals that leave no other choice: at the mean of the free lots, with no extreme
 * that is not called for.
 *
 * It works because, with r the rounded mean x of the m free lots, the cut adds two marks at r, after which the mean of the
 * rest is within x ± 0.5 still and on the same side of r. The half that holds the extreme on that side can lift (lower)
 * the mean alone if it has half of the free lots and markLots more, which it is given. Lots suffice by {@link lotsMin}:
 * n/2 - 2.5 marks ≥ lotsMin of a half.
 */
export function levelSplit(whole: Segment, flow: Flow): SegmentSplit {
  const { open, close, high, low, lots } = whole;
  const mean = freeMean(whole, flow);
  const level = clamp(Math.round(mean), low, high);
  const leftHigh = high === close ? Math.max(open, level) : high;
  const leftLow = low === close ? Math.min(open, level) : low;
  const rightHigh = Math.max(level, close);
  const rightLow = Math.min(level, close);
  const leftMarks = marks(open, level, leftHigh, leftLow).count * flow.markLots;
  const rightMarks = marks(level, close, rightHigh, rightLow).count * flow.markLots;
  const free = lots - leftMarks - rightMarks;
  const leftNeeds = mean > level ? leftHigh > level : leftLow < level;
  const leftFree = leftNeeds ? Math.ceil(free / 2) + flow.markLots : Math.floor(free / 2) - flow.markLots;
  return { leftClose: level, rightOpen: level, leftHigh, leftLow, rightHigh, rightLow, leftLots: leftFree + leftMarks, leftMean: mean };
}

/** `value` mirrored at the bound that it lies beyond, and held within [least, most]. */
function reflect(value: number, least: number, most: number): number {
  const mirrored = value > most ? 2 * most - value : value < least ? 2 * least - value : value;
  return clamp(mirrored, least, most);
}
