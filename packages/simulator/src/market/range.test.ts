import { ManualClock } from '@svc-gateway/contract/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Companies } from '../companies/index.js';
import { createWorld, type Instrument } from '../world/index.js';
import { SimulatedMarket, widened } from './index.js';

const DAY_MS = 86_400_000;
const clock = new ManualClock(Date.UTC(2026, 10, 20, 16, 30));
const world = createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 80, seed: 'w' });
const market = new SimulatedMarket({
  clock,
  seed: 5,
  companies: new Companies(world, 5),
  calendarOf: (instrument) => world.calendar(instrument),
  pairs: world.instruments({ market: 'FX' }),
});
const ofKind = (kind: Instrument['kind']) => world.listed({ kind });
const instrument = fc.oneof(
  ...(['equity', 'etf', 'trust', 'index', 'bond', 'plate', 'future', 'forex'] as const).map((kind) => fc.constantFrom(...ofKind(kind))),
);

test('the range of a time is that of its forward adjusted day bars', () => {
  fc.assert(
    fc.property(instrument, fc.integer({ min: 0, max: 1500 }), fc.integer({ min: 0, max: 300 }), (of, daysAgo, days) => {
      const from = clock.now() - daysAgo * DAY_MS;
      const to = from + days * DAY_MS;
      const bars = market.bars(of, { unit: 'day' }, { from, to }, 'forward').map(({ high, low }) => ({ high, low }));
      const [first, ...rest] = bars;
      const { high, low } = market.range(of, from, to) ?? {};
      expect([of.symbol, high, low]).toEqual([of.symbol, ...(first ? Object.values(rest.reduce(widened, first)) : [undefined, undefined])]);
    }),
    { numRuns: 150 },
  );
});

test('the prices of past days are those of their forward adjusted bars, where they are known without these', () => {
  const known = new Set<Instrument['kind']>();
  fc.assert(
    fc.property(instrument, fc.integer({ min: 1, max: 800 }), (of, max) => {
      const calendar = world.calendar(of);
      const newest = calendar.previousTradingDay(calendar.tradingDay(clock.now()));
      const days = market.pastDays(of, newest, max);
      const back = days.count - 1;
      if (back < 0) return;
      const start = calendar.sessions(days.day(back))[0]!.start;
      const [bar] = market.bars(of, { unit: 'day' }, { from: start, limit: 1 }, 'forward');
      const prices = days.prices(back);
      if (prices === undefined) return;
      known.add(of.kind);
      const { open, high, low, close } = bar!;
      expect([of.symbol, calendar.tradingDay(bar!.start), prices]).toEqual([
        of.symbol,
        days.day(back),
        { open: Number(open), high: Number(high), low: Number(low), close: Number(close) },
      ]);
    }),
    { numRuns: 400 },
  );
  expect([...known]).toEqual(expect.arrayContaining(['equity', 'etf', 'index']));
});

test('callers’ trades of days before are in it', () => {
  const [stock] = world.listed({ market: 'US', kind: 'equity' }) as [Instrument];
  const from = clock.now() - 10 * DAY_MS;
  const { last } = market.quote(stock);
  market.print(stock, last * 2n, 100n, 1);
  clock.advance(3 * DAY_MS);
  expect(market.range(stock, from, clock.now())?.high).toBe(last * 2n);
  // Only the bar says what the day's prices are then.
  const past = market.pastDays(stock, world.calendar(stock).previousTradingDay(world.calendar(stock).tradingDay(clock.now())), 5);
  const traded = Array.from({ length: past.count }, (_, back) => past.prices(back));
  expect(traded.filter((prices) => prices === undefined)).toHaveLength(1);
});
