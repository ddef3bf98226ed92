import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { uniform } from '../rng/random.js';
import { activityOf } from './activity.js';
import { type Flow, lotsMin, marks, type Segment, SPLIT_COUNT_MIN } from './segment.js';
import { split } from './split.js';
import { type Trade, writeOut } from './trades.js';

const START = Date.UTC(2026, 10, 20, 1, 30);
const HOUR = 3_600_000;
const activity = activityOf([
  { start: START, end: START + 2.5 * HOUR, state: 3, kind: 'regular' },
  { start: START + 3.5 * HOUR, end: START + 6.5 * HOUR, state: 5, kind: 'regular' },
]);

/** Any totals that a segment may have, those included that leave hardly a choice: mean at an extreme, no range, fewest lots. */
const segments = fc
  .record({
    key: fc.integer(),
    count: fc.integer({ min: 6, max: 400 }),
    markLots: fc.integer({ min: 1, max: 50 }),
    spareLots: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_000_000 })),
    low: fc.integer({ min: 1, max: 10_000_000 }),
    range: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 100_000 })),
    openAt: fc.double({ min: 0, max: 1, noNaN: true }),
    closeAt: fc.double({ min: 0, max: 1, noNaN: true }),
    meanAt: fc.oneof(fc.constantFrom(0, 1, 1e-9, 1 - 1e-9, 0.5), fc.double({ min: 0, max: 1, noNaN: true })),
    step: fc.double({ min: 0, max: 100, noNaN: true }),
    follows: fc.option(fc.integer(), { nil: undefined }),
  })
  .map(({ key, count, markLots, spareLots, low, range, openAt, closeAt, meanAt, step, follows }) => {
    const high = low + range;
    const open = low + Math.round(range * openAt);
    const close = low + Math.round(range * closeAt);
    const lots = lotsMin(count, markLots) + spareLots;
    const called = marks(open, close, high, low);
    const free = lots - markLots * called.count;
    const amount = markLots * called.sum + Math.min(high * free, low * free + Math.round(range * meanAt * free));
    const whole: Segment = {
      node: 1,
      first: 0,
      count,
      from: START,
      until: START + 6.5 * HOUR,
      activityFrom: 0,
      activityUntil: 1,
      open,
      close,
      high,
      low,
      lots,
      amount,
    };
    const flow: Flow = { key, markLots, step, activity, ...(follows === undefined ? {} : { follows: anyPath(follows, low, high) }) };
    return { whole, flow };
  });

/** A path that has nothing to do with the totals, and leaves them at times. */
function anyPath(key: number, low: number, high: number): NonNullable<Flow['follows']> {
  const at = (time: number) => low + (high - low) * (1.4 * uniform(key, Math.floor(time / 60_000)) - 0.2);
  return (from, until) => {
    const [open, middle, close] = [at(from), at((from + until) / 2), at(until)];
    return { open, close, high: Math.max(open, middle, close), low: Math.min(open, middle, close), mean: (open + middle + close) / 3 };
  };
}

function tradesOf(segment: Segment, flow: Flow): Trade[] {
  if (segment.count < SPLIT_COUNT_MIN) return writeOut(segment, flow);
  return split(segment, flow).flatMap((half) => tradesOf(half, flow));
}

function expectTotals(segment: Segment, trades: readonly Trade[]): void {
  expect({
    count: trades.length,
    open: trades[0]?.price,
    close: trades.at(-1)?.price,
    high: Math.max(...trades.map((trade) => trade.price)),
    low: Math.min(...trades.map((trade) => trade.price)),
    lots: trades.reduce((sum, trade) => sum + BigInt(trade.lots), 0n),
    amount: trades.reduce((sum, trade) => sum + BigInt(trade.lots) * BigInt(trade.price), 0n),
  }).toEqual({
    count: segment.count,
    open: segment.open,
    close: segment.close,
    high: segment.high,
    low: segment.low,
    lots: BigInt(segment.lots),
    amount: BigInt(segment.amount),
  });
}

describe('a segment of trades', () => {
  test('is exactly the sum of its trades, whatever totals it was given', () => {
    fc.assert(
      fc.property(segments, ({ whole, flow }) => {
        const check = (segment: Segment): Trade[] => {
          const trades = segment.count < SPLIT_COUNT_MIN ? writeOut(segment, flow) : split(segment, flow).flatMap(check);
          expectTotals(segment, trades);
          return trades;
        };
        const trades = check(whole);
        expect(trades.every((trade) => trade.lots >= 1)).toBe(true);
        expect(trades.map((trade) => trade.index)).toEqual(trades.map((_, i) => i));
      }),
      { numRuns: 600 },
    );
  });

  test('trades in order of time, inside the sessions and inside the segment', () => {
    fc.assert(
      fc.property(segments, ({ whole, flow }) => {
        const check = (segment: Segment): void => {
          for (const { time } of tradesOf(segment, flow)) {
            expect(time >= segment.from && time < segment.until).toBe(true);
            expect(time < START + 2.5 * HOUR || time >= START + 3.5 * HOUR).toBe(true);
          }
          if (segment.count >= SPLIT_COUNT_MIN) for (const half of split(segment, flow)) check(half);
        };
        check(whole);
        const times = tradesOf(whole, flow).map((trade) => trade.time);
        expect(times).toEqual([...times].sort((a, b) => a - b));
      }),
      { numRuns: 100 },
    );
  });
});
