import { mix, uniform } from '../rng/random.js';
import { followingSplit } from './following-split.js';
import { clamp, type Flow, isFollowed, marks, type Segment, type SPLIT_COUNT_MIN } from './segment.js';
import { drawSplit, levelSplit, type SegmentSplit } from './segment-split.js';

/** The two halves of a segment of at least {@link SPLIT_COUNT_MIN} trades. */
export function split(whole: Segment, flow: Flow): readonly [Segment, Segment] {
  const key = mix(flow.key, whole.node);
  const middle = middleOf(whole, flow, key);
  const drawn = draw(whole, flow, middle, key);
  const amount = leftAmount(whole, drawn, flow);
  if (amount !== undefined) return halves(whole, drawn, amount, middle);
  const level = levelSplit(whole, flow);
  const levelAmount = leftAmount(whole, level, flow);
  if (levelAmount === undefined) throw new Error(`a segment of trades cannot be split: ${JSON.stringify(whole)}`);
  return halves(whole, level, levelAmount, middle);
}

/** Where in the day a segment is cut. */
interface Middle {
  readonly activity: number;
  /** Epoch ms. */
  readonly time: number;
}

function middleOf(whole: Segment, flow: Flow, key: number): Middle {
  const share = (whole.count >> 1) / whole.count + 0.2 * (uniform(key, 11) - 0.5);
  const activity = whole.activityFrom + (whole.activityUntil - whole.activityFrom) * share;
  return { activity, time: clamp(flow.activity.timeAt(activity), whole.from + 1, whole.until - 1) };
}

function draw(whole: Segment, flow: Flow, { time }: Middle, key: number): SegmentSplit {
  const { from, until } = whole;
  if (flow.follows === undefined || !isFollowed(whole)) return drawSplit(whole, flow, key);
  return followingSplit(whole, flow, flow.follows(from, time), flow.follows(time, until), key);
}

/** The left half's amount: such that both halves' free lots can be placed within their extremes; undefined when there is none. */
function leftAmount(whole: Segment, cut: SegmentSplit, flow: Flow): number | undefined {
  const left = marks(whole.open, cut.leftClose, cut.leftHigh, cut.leftLow);
  const right = marks(cut.rightOpen, whole.close, cut.rightHigh, cut.rightLow);
  const leftLots = cut.leftLots - flow.markLots * left.count;
  const rightLots = whole.lots - cut.leftLots - flow.markLots * right.count;
  const amount = whole.amount - flow.markLots * (left.sum + right.sum);
  const least = Math.max(cut.leftLow * leftLots, amount - cut.rightHigh * rightLots);
  const most = Math.min(cut.leftHigh * leftLots, amount - cut.rightLow * rightLots);
  if (least > most) return undefined;
  return clamp(Math.round(cut.leftMean * leftLots), least, most) + flow.markLots * left.sum;
}

function halves(whole: Segment, cut: SegmentSplit, amount: number, { activity, time }: Middle): readonly [Segment, Segment] {
  const leftCount = whole.count >> 1;
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
