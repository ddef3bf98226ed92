import { mix, uniform } from '../rng/random.js';
import { clamp, type Flow, isFollowed, marks, type Segment } from './segment.js';

/** One trade of the background, in the units of its segment. */
export interface Trade {
  /** Index in the day. */
  readonly index: number;
  readonly time: number;
  readonly price: number;
  readonly lots: number;
  /** +1 bought from the asks, -1 sold to the bids, 0 the day's opening trade. */
  readonly direction: 1 | -1 | 0;
}

interface Lot {
  readonly price: number;
  readonly lots: number;
}

/**
 * The trades of a segment that is no longer split, oldest first: their totals are the segment's, exactly.
 *
 * The marks (open, close, extremes) are given. With x the mean price of the free lots, these go to the two prices around x, which
 * makes their sum exact, as a market bouncing between bid and ask does; pairs of equal volume on both sides of the busier
 * price vary that without changing the sum.
 */
export function writeOut(segment: Segment, flow: Flow): Trade[] {
  const key = mix(flow.key, segment.node);
  const { open, close, high, low, count } = segment;
  const called = marks(open, close, high, low);
  const freeLots = segment.lots - flow.markLots * called.count;
  const freeAmount = segment.amount - flow.markLots * called.sum;
  const below = floorQuotient(freeAmount, freeLots);
  const lotsAbove = freeAmount - below * freeLots;
  const base = 2 * lotsAbove > freeLots ? below + 1 : below;
  const side = base === below ? below + 1 : below;
  const pool = { base, side, sideLots: base === below ? lotsAbove : freeLots - lotsAbove, baseLots: 0 };
  pool.baseLots = freeLots - pool.sideLots;
  const onBase = count - called.count - (pool.sideLots > 0 ? 1 : 0);

  let draws = 0;
  const chance = () => uniform(key, draws++);
  const mark = (price: number): Lot => ({
    price,
    lots: flow.markLots + enlarge(pool, price, Math.floor(2 * flow.markLots * chance()), onBase),
  });
  const first = mark(open);
  const last = mark(close);
  const inner: Lot[] = [];
  if (high > open && high > close) inner.push(mark(high));
  if (low < open && low < close) inner.push(mark(low));
  if (pool.sideLots > 0) inner.push({ price: side, lots: pool.sideLots });
  inner.push(...spread(pool.baseLots, base, onBase, Math.min(high - base, base - low), chance));
  shuffle(inner, chance);
  const ordered = flow.follows !== undefined && isFollowed(segment) ? alongPath(inner, segment, flow, flow.follows) : inner;

  const trades: Trade[] = [];
  let time = segment.from;
  for (const [i, { price, lots }] of [first, ...ordered, last].entries()) {
    const share = (i + 0.1 + 0.8 * chance()) / count;
    const due = flow.activity.timeAt(segment.activityFrom + (segment.activityUntil - segment.activityFrom) * share);
    const index = segment.first + i;
    // The opening trade is the auction's, with which the hours begin.
    if (index > 0 && due > time && due < segment.until) time = due;
    const upper = price > below || (lotsAbove === 0 && price === below && chance() < 0.5);
    trades.push({ index, time, price, lots, direction: index === 0 ? 0 : upper ? 1 : -1 });
  }
  return trades;
}

interface Pool {
  readonly base: number;
  readonly side: number;
  baseLots: number;
  sideLots: number;
}

/**
 * Gives a mark at `price` up to `extra` more lots out of the pool, moving others between the pool's two prices so that
 * the amount stays the same. Returns what it gave: nothing, when a price would run out of lots.
 */
function enlarge(pool: Pool, price: number, extra: number, baseCount: number): number {
  const sideChange = -extra * (price - pool.base) * (pool.side - pool.base);
  const baseChange = -extra - sideChange;
  if (sideChange !== 0 && (pool.sideLots === 0 || pool.sideLots + sideChange < 1)) return 0;
  if (pool.baseLots + baseChange < baseCount) return 0;
  pool.sideLots += sideChange;
  pool.baseLots += baseChange;
  return extra;
}

/**
 * `count` trades that share out `lots` with mean price `base`: pairs that lie equally far (at most `reach`) above and
 * below, and one or two at `base`.
 */
function spread(lots: number, base: number, count: number, reach: number, chance: () => number): Lot[] {
  const pairs = (count - 1) >> 1;
  const singles = count - 2 * pairs;
  const weights = Array.from({ length: pairs + singles }, () => 0.2 + chance());
  const total = weights.reduce((sum, weight, i) => sum + (i < pairs ? 2 * weight : weight), 0);
  const spare = lots - count;
  const shared: Lot[] = [];
  let rest = lots;
  for (const [i, weight] of weights.entries()) {
    const part = i === weights.length - 1 ? rest : 1 + Math.floor((spare * weight) / total);
    const distance = i < pairs ? Math.min(reach, Math.floor(chance() * (reach + 1))) : 0;
    shared.push({ price: base + distance, lots: part });
    if (i < pairs) shared.push({ price: base - distance, lots: part });
    rest -= i < pairs ? 2 * part : part;
  }
  return shared;
}

/** The trades between the first and the last, the dearest where the path is highest: their sum is the same in any order. */
function alongPath(inner: readonly Lot[], segment: Segment, { activity }: Flow, follows: NonNullable<Flow['follows']>): readonly Lot[] {
  const { from, until, activityFrom, activityUntil, count } = segment;
  const place = (i: number) => activity.timeAt(activityFrom + ((activityUntil - activityFrom) * (i + 1.5)) / count);
  const levels = inner.map((_, i) => {
    const time = clamp(place(i), from, until - 2);
    return { i, level: follows(time, time + 1).close };
  });
  const byPrice = [...inner].sort((a, b) => a.price - b.price);
  const ordered: Lot[] = [...inner];
  for (const [rank, { i }] of levels.sort((a, b) => a.level - b.level || a.i - b.i).entries()) {
    const lot = byPrice[rank];
    if (lot !== undefined) ordered[i] = lot;
  }
  return ordered;
}

/** Fisher and Yates. */
function shuffle(lots: Lot[], chance: () => number): void {
  for (let i = lots.length - 1; i > 0; i--) {
    const j = clamp(Math.floor(chance() * (i + 1)), 0, i);
    const [a, b] = [lots[i] as Lot, lots[j] as Lot];
    lots[i] = b;
    lots[j] = a;
  }
}

/** Exact floor(a / b) of safe integers, b > 0: the division's rounding may be one off. */
function floorQuotient(a: number, b: number): number {
  const quotient = Math.floor(a / b);
  if (quotient * b > a) return quotient - 1;
  return (quotient + 1) * b <= a ? quotient + 1 : quotient;
}
