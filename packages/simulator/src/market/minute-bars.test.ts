import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import type { Instrument } from '../world/index.js';
import { type Bar, widened } from './index.js';

const MINUTE = 60_000;
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 20, 16, 30);

const marketAt = (time: number) => openMarket({ time, seed: 5 });

const { world, market } = marketAt(NOW);
const instrument = fc.constantFrom(
  ...['HK.00700', 'HK.800000', 'US.AAPL', 'US.SPY', 'US.BAC', 'SH.600519'].map((symbol) => world.instrument(symbol)!),
);

/** Minutes put together, counted from the start of each session. */
function grouped(of: Instrument, minutes: readonly Bar[], length: number): Bar[] {
  const bars: Bar[] = [];
  for (const minute of minutes) {
    const session = world.calendar(of).sessionAt(minute.start)!;
    const start = session.start + Math.floor((minute.start - session.start) / (length * MINUTE)) * length * MINUTE;
    const bar = bars.at(-1);
    if (bar === undefined || bar.start !== start) {
      bars.push({ ...minute, start, end: Math.min(start + length * MINUTE, session.end) });
      continue;
    }
    const [volume, turnover] = [bar.volume + minute.volume, bar.turnover + minute.turnover];
    bars[bars.length - 1] = { ...bar, ...widened(bar, minute), close: minute.close, volume, turnover };
  }
  return bars;
}

test('bars of many minutes are their minutes, in extended hours too', () => {
  fc.assert(
    fc.property(instrument, fc.constantFrom(3, 10, 60, 120, 180, 240), fc.integer({ min: 0, max: 1_200 }), (of, length, daysAgo) => {
      const from = NOW - daysAgo * DAY_MS;
      const to = from + 3 * DAY_MS;
      // Bars that begin before the range or end after it are included.
      const around = { from: from - length * MINUTE, to: to + length * MINUTE };
      const minutes = market.bars(of, { unit: 'minute', count: 1 }, around);
      const expected = grouped(of, minutes, length).filter(({ start }) => start >= from && start < to);
      expect(market.bars(of, { unit: 'minute', count: length }, { from, to })).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('cached minutes equal recomputed ones', () => {
  const period = fc.constantFrom(1, 5).map((count) => ({ unit: 'minute' as const, count }));
  const wanted = fc.record({
    daysAgo: fc.integer({ min: 0, max: 3 }),
    minutes: fc.integer({ min: 0, max: 900 }),
    limit: fc.integer({ min: 1, max: 700 }),
    forward: fc.boolean(),
  });
  fc.assert(
    fc.property(instrument, period, fc.array(wanted, { minLength: 2, maxLength: 5 }), (of, each, reads) => {
      for (const { daysAgo, minutes, limit, forward } of reads) {
        const at = NOW - daysAgo * DAY_MS - minutes * MINUTE;
        const range = forward ? { from: at, limit } : { to: at, limit };
        expect(market.bars(of, each, range)).toEqual(marketAt(NOW).market.bars(of, each, range));
      }
    }),
    { numRuns: 40 },
  );
});

test('minutes that are over are the same objects, until a caller trades in them', () => {
  const { market, world, clock } = marketAt(Date.UTC(2026, 10, 20, 9));
  const tencent = world.instrument('HK.00700')!;
  const minutes = () => market.bars(tencent, { unit: 'minute', count: 1 }, { limit: 120 });
  const before = minutes();
  expect(minutes().every((bar, index) => bar === before[index])).toBe(true);
  // After the close, a print belongs to the last minute.
  const { last } = market.quote(tencent);
  market.print(tencent, last, 100n, 1);
  const after = minutes();
  expect(after.at(-1)!.volume).toBe(before.at(-1)!.volume + 100n);
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  clock.advance(MINUTE);
  expect(minutes()).toEqual(after);
});
