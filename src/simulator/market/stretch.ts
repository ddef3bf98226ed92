import type { Activity } from './activity.js';
import { mix, normal, uniform } from './random.js';

/**
 * A stretch of consecutive trades of one day, known by its exact totals before any of its trades is.
 *
 * A day is one stretch. It is split in two halves of equally many trades, those again, and so on, down to stretches of
 * a few trades which are then written out (trades.ts). Totals are handed down exactly: the halves' lots and amounts sum
 * to the parent's, the higher of their highs is the parent's high. So a day bar costs one stretch, any time range
 * costs O(log trades), nothing needs to be stored, and still every bar is the exact aggregate of the tape.
 *
 * Prices are counted in the day's grid, volumes in lots: all fields but `activity…` are whole numbers below 2^53.
 */
export interface Stretch {
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

/** What all stretches of one day share. */
export interface Flow {
  /** Stream of the day's randomness. */
  readonly key: number;
  /** Lots of each trade that an open, close, high or low calls for. The day has at least 4 × count × this many lots. */
  readonly markLots: number;
  /** Standard deviation of the price from one trade to the next, in grid units. */
  readonly step: number;
  readonly activity: Activity;
}

/** Stretches of fewer trades are not split. Halves then have six trades or more: four marks and two free ones. */
export const SPLIT_COUNT_MIN = 12;

/** The fewest lots with which a stretch can be split and written out, whatever its totals. */
export function lotsMin(count: number, markLots: number): number {
  return markLots * (4 * count - 9);
}

/**
 * The trades that a stretch's prices call for: one at the open, one at the close, and one at each extreme that is neither.
 * What is left of lots and amount is free: it may go anywhere in [low, high].
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

/** Where a stretch is cut: the prices on both sides of the cut, and the extremes and lots of the halves. */
interface Cut {
  readonly leftClose: number;
  readonly rightOpen: number;
  readonly leftHigh: number;
  readonly leftLow: number;
  readonly rightHigh: number;
  readonly rightLow: number;
  readonly leftLots: number;
  /** How far, in grid units, the left half's mean price wants to lie above the mean of its ends. */
  readonly lean: number;
}

/** The two halves of a stretch of at least {@link SPLIT_COUNT_MIN} trades. */
export function split(whole: Stretch, flow: Flow): readonly [Stretch, Stretch] {
  const key = mix(flow.key, whole.node);
  const drawn = drawCut(whole, flow, key);
  const amount = leftAmount(whole, drawn, flow);
  if (amount !== undefined) return halves(whole, drawn, amount, flow, key);
  const level = levelCut(whole, flow);
  const levelAmount = leftAmount(whole, level, flow);
  if (levelAmount === undefined) throw new Error(`a stretch of trades cannot be split: ${JSON.stringify(whole)}`);
  return halves(whole, level, levelAmount, flow, key);
}

/** Mean price of the free lots. */
function freeMean(whole: Stretch, flow: Flow): number {
  const { count, sum } = marks(whole.open, whole.close, whole.high, whole.low);
  return (whole.amount - flow.markLots * sum) / (whole.lots - flow.markLots * count);
}

/**
 * A cut as a random walk would have it. Of a Brownian bridge with deviation σ whose mean over time is known to lie A above
 * the mean of its ends, the midpoint lies 1.5 A above it, with deviation σ/4 (Var A = σ²/12, Cov = σ²/8, Var midpoint = σ²/4).
 */
function drawCut(whole: Stretch, flow: Flow, key: number): Cut {
  const { open, close, high, low, count, lots } = whole;
  const deviation = flow.step * Math.sqrt(count);
  const ends = (open + close) / 2;
  const lift = freeMean(whole, flow) - ends;
  const highLeft = holdsLeft(high - open, high - close, deviation, uniform(key, 0));
  const lowLeft = holdsLeft(open - low, close - low, deviation, uniform(key, 1));

  // The half that holds an extreme must be able to walk to it: unless its outer end is near, the cut is.
  const reach = 1 + 0.7 * deviation;
  const floor = high - (highLeft ? open : close) > reach ? high - reach : low;
  const ceiling = (lowLeft ? open : close) - low > reach ? low + reach : high;
  const middle = ends + 1.5 * lift + 0.25 * deviation * normal(key, 2);
  const cut = floor <= ceiling ? clamp(middle, floor, ceiling) : uniform(key, 3) < 0.5 ? floor : ceiling;
  const leftClose = clamp(Math.round(cut), low, high);
  const rightOpen = clamp(leftClose + (Math.floor(uniform(key, 4) * 4 - 1) % 2), low, high);

  const excess = (i: number) => Math.floor(0.35 * deviation * Math.abs(normal(key, i)) + uniform(key, i + 1));
  const leftCount = count >> 1;
  const leftLots = Math.round(((lots * leftCount) / count) * (1 + 0.35 * normal(key, 9)));
  return {
    leftClose,
    rightOpen,
    leftHigh: highLeft ? high : Math.min(high, Math.max(open, leftClose) + excess(5)),
    rightHigh: highLeft ? Math.min(high, Math.max(rightOpen, close) + excess(5)) : high,
    leftLow: lowLeft ? low : Math.max(low, Math.min(open, leftClose) - excess(7)),
    rightLow: lowLeft ? Math.max(low, Math.min(rightOpen, close) - excess(7)) : low,
    leftLots: clamp(leftLots, lotsMin(leftCount, flow.markLots), lots - lotsMin(count - leftCount, flow.markLots)),
    // The halves' own leans are independent and alike; what is known of their sum is shared out by leftAmount.
    lean: 0.144 * deviation * normal(key, 10),
  };
}

/** Whether the left half holds an extreme that lies so far beyond the outer ends: an end that is there decides, else the nearer one is likelier. */
function holdsLeft(fromOpen: number, fromClose: number, deviation: number, chance: number): boolean {
  if (fromOpen === 0) return true;
  if (fromClose === 0) return false;
  return chance * (fromOpen + fromClose + deviation) < fromClose + deviation / 2;
}

/**
 * The cut that always can be made, for totals that leave no other choice: at the mean of the free lots, with no extreme that is not called for.
 *
 * Why it works: with r the rounded mean x of the m free lots, the cut adds two marks at r, after which the mean of the rest is within
 * x ± 0.5 still and on the same side of r. The half that holds the extreme on that side can lift (lower) the mean alone if it has
 * half of the free lots and markLots more, which it is given. Lots suffice by {@link lotsMin}: n/2 - 2.5 marks ≥ lotsMin of a half.
 */
function levelCut(whole: Stretch, flow: Flow): Cut {
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
  return { leftClose: level, rightOpen: level, leftHigh, leftLow, rightHigh, rightLow, leftLots: leftFree + leftMarks, lean: 0 };
}

/** The left half's amount: near what its ends suggest, and such that both halves' free lots can be placed within their extremes; undefined when none is. */
function leftAmount(whole: Stretch, cut: Cut, flow: Flow): number | undefined {
  const left = marks(whole.open, cut.leftClose, cut.leftHigh, cut.leftLow);
  const right = marks(cut.rightOpen, whole.close, cut.rightHigh, cut.rightLow);
  const leftLots = cut.leftLots - flow.markLots * left.count;
  const rightLots = whole.lots - cut.leftLots - flow.markLots * right.count;
  const amount = whole.amount - flow.markLots * (left.sum + right.sum);
  const least = Math.max(cut.leftLow * leftLots, amount - cut.rightHigh * rightLots);
  const most = Math.min(cut.leftHigh * leftLots, amount - cut.rightLow * rightLots);
  if (least > most) return undefined;
  const leftMean = (whole.open + cut.leftClose) / 2;
  const rightMean = (cut.rightOpen + whole.close) / 2;
  const surplus = (amount - leftMean * leftLots - rightMean * rightLots) / (leftLots + rightLots);
  const wanted = leftMean * leftLots + surplus * leftLots + cut.lean * Math.min(leftLots, rightLots);
  return clamp(Math.round(wanted), least, most) + flow.markLots * left.sum;
}

function halves(whole: Stretch, cut: Cut, amount: number, flow: Flow, key: number): readonly [Stretch, Stretch] {
  const leftCount = whole.count >> 1;
  const share = leftCount / whole.count + 0.2 * (uniform(key, 11) - 0.5);
  const activity = whole.activityFrom + (whole.activityUntil - whole.activityFrom) * share;
  const time = clamp(flow.activity.timeAt(activity), whole.from + 1, whole.until - 1);
  return [
    {
      node: 2 * whole.node,
      first: whole.first,
      count: leftCount,
      from: whole.from,
      until: time,
      activityFrom: whole.activityFrom,
      activityUntil: activity,
      open: whole.open,
      close: cut.leftClose,
      high: cut.leftHigh,
      low: cut.leftLow,
      lots: cut.leftLots,
      amount,
    },
    {
      node: 2 * whole.node + 1,
      first: whole.first + leftCount,
      count: whole.count - leftCount,
      from: time,
      until: whole.until,
      activityFrom: activity,
      activityUntil: whole.activityUntil,
      open: cut.rightOpen,
      close: whole.close,
      high: cut.rightHigh,
      low: cut.rightLow,
      lots: whole.lots - cut.leftLots,
      amount: whole.amount - amount,
    },
  ];
}

/** `value` held within [least, most]. */
export function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
