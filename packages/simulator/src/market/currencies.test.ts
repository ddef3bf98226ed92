import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import { type Instrument, isOnTick, tickSize } from '../world/index.js';
import type { Bar } from './index.js';

const time = Date.UTC(2026, 10, 20, 2);
const worlds = { open: openMarket({ time, mode: 'open' }).world, calendar: openMarket({ time }).world };
const pairs = worlds.open.instruments({ market: 'FX' });
const modes = fc.constantFrom<keyof typeof worlds>('open', 'calendar');
const seeds = fc.integer({ min: 0, max: 1_000_000 });
const times = fc.integer({ min: Date.UTC(2026, 0, 5), max: Date.UTC(2026, 11, 28) });

const marketAt = (mode: keyof typeof worlds, seed: number, time: number) => openMarket({ time, seed, world: worlds[mode] }).market;

const ascending = (prices: readonly bigint[]) => [...prices].sort((a, b) => Number(a - b));
const highest = (prices: readonly bigint[]) => ascending(prices).at(-1);
const lowest = (prices: readonly bigint[]) => ascending(prices)[0];

describe('currency pairs', () => {
  test('close every triangle in the bars of the past too', () => {
    const market = marketAt('calendar', 7, Date.UTC(2026, 10, 20, 6, 30));
    const closes = (code: string, bars: (pair: Instrument) => readonly Bar[]) => {
      const pair = pairs.find((each) => each.code === code)!;
      return bars(pair).map(({ start, close }) => [start, Number(close) / 1e9] as const);
    };
    for (const period of [{ unit: 'day' }, { unit: 'minute', count: 1 }] as const) {
      const read = (pair: Instrument) => market.bars(pair, period, { limit: 300 });
      const [euro, yen, cross] = [closes('EURUSD', read), closes('USDJPY', read), closes('EURJPY', read)];
      expect(cross).toHaveLength(300);
      for (const [i, [start, rate]] of cross.entries()) {
        expect([euro[i]![0], yen[i]![0]]).toEqual([start, start]);
        expect(Math.abs((euro[i]![1] * yen[i]![1]) / rate - 1)).toBeLessThan(4e-5);
      }
    }
  });

  test('have bars that are exactly their ticks, on the tick', () => {
    fc.assert(
      fc.property(modes, seeds, times, fc.constantFrom(...pairs), (mode, seed, time, pair) => {
        const market = marketAt(mode, seed, time);
        const ticks = market.dayTicks(pair, 0n);
        const { open, high, low, last } = market.quote(pair);
        const prices = ticks.map(({ price }) => price);
        expect(prices.length).toBeGreaterThan(0);
        expect([open, last]).toEqual([prices[0], prices.at(-1)]);
        expect([highest(prices), lowest(prices)]).toEqual([high, low]);
        expect(ticks.every(({ price }) => isOnTick(pair.tickTable, price))).toBe(true);
        const [day] = market.bars(pair, { unit: 'day' }, { limit: 1 });
        expect(day).toMatchObject({ open, high, low, close: last });
        const minutes = market.bars(pair, { unit: 'minute', count: 5 }, { from: day!.start });
        expect(highest(minutes.map((bar) => bar.high))).toBe(high);
        expect(lowest(minutes.map((bar) => bar.low))).toBe(low);
      }),
      { numRuns: 15 },
    );
  });

  test('go on from one trading day to the next', () => {
    const market = marketAt('open', 3, Date.UTC(2026, 10, 20, 6, 30));
    for (const pair of pairs) {
      for (const bar of market.bars(pair, { unit: 'day' }, { limit: 30 })) {
        // The same rate, rounded one way or the other.
        expect(Math.abs(Number(bar.open - bar.previousClose))).toBeLessThanOrEqual(Number(tickSize(pair.tickTable, bar.open)));
        expect(Math.abs(Number(bar.close) / Number(bar.previousClose) - 1)).toBeLessThan(0.06);
      }
    }
  });
});
