import { dayOfNumber } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import type { Bar, BarPeriod } from './market.js';

/** A world and its market at 15:30 UTC of a day: every market has traded on it, or is trading. */
const at = (day: string) => openMarket({ time: Date.parse(`${day}T15:30:00Z`), seed: 'w' });

const [first, last] = [Date.UTC(2016, 2, 1), Date.UTC(2036, 11, 28)].map((time) => time / 86_400_000) as [number, number];
const day = fc.integer({ min: first, max: last }).map(dayOfNumber);
const symbol = fc.constantFrom('HK.00700', 'US.AAPL', 'SH.600519', 'JP.7203', 'HK.800000', 'HK.HSImain', 'US.ESmain', 'FX.EURUSD');

function figures(bars: readonly Bar[]) {
  return {
    open: bars[0]?.open,
    close: bars.at(-1)?.close,
    high: bars
      .map(({ high }) => high)
      .sort((a, b) => Number(a - b))
      .at(-1),
    low: bars.map(({ low }) => low).sort((a, b) => Number(a - b))[0],
    volume: bars.reduce((sum, { volume }) => sum + volume, 0n),
  };
}

describe('from 2016 to 2036', () => {
  it.each<[BarPeriod['unit'], number]>([
    ['week', 3],
    ['month', 2],
    ['quarter', 1],
    ['year', 1],
  ])('the bars of a %s are those of its days', (unit, count) => {
    fc.assert(
      fc.property(day, symbol, (on, name) => {
        const { world, market } = at(on);
        const instrument = world.instrument(name)!;
        const bars = market.bars(instrument, { unit } as BarPeriod, { limit: count });
        expect(bars).toHaveLength(count);
        for (const bar of bars) {
          const days = market.bars(instrument, { unit: 'day' }, { from: bar.start, to: bar.end });
          expect(figures([bar])).toEqual(figures(days));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('the minutes of a day are its bar, in regular hours', () => {
    fc.assert(
      fc.property(day, fc.constantFrom('HK.00700', 'SH.600519', 'HK.800000', 'HK.HSImain'), (on, name) => {
        const { world, market } = at(on);
        const instrument = world.instrument(name)!;
        const [bar] = market.bars(instrument, { unit: 'day' }, { limit: 2 });
        const minutes = market.bars(instrument, { unit: 'minute', count: 5 }, { from: bar!.start, to: bar!.end });
        expect(figures(minutes)).toEqual(figures([bar!]));
      }),
      { numRuns: 15 },
    );
  });

  it('the days of a bar are the trading days of the calendar', () => {
    fc.assert(
      fc.property(day, symbol, (on, name) => {
        const { world, market } = at(on);
        const instrument = world.instrument(name)!;
        const calendar = world.calendar(instrument);
        const bars = market.bars(instrument, { unit: 'day' }, { limit: 30 });
        const days = bars.map(({ start }) => calendar.tradingDay(start));
        expect(days).toEqual(calendar.tradingDays(days[0]!, days.at(-1)!).map((one) => one.day));
      }),
      { numRuns: 30 },
    );
  });
});

describe('what has expired', () => {
  it('stays as its last day left it', () => {
    const { world, market } = at('2027-02-01');
    const contract = world.instrument('HK.HSI2612')!;
    expect(market.quote(contract).tradingDay).toBe('2026-12-30');
    const [bar] = market.bars(contract, { unit: 'day' }, { limit: 1 });
    expect(world.calendar(contract).tradingDay(bar!.start)).toBe('2026-12-30');
    expect(bar!.close).toBe(market.quote(contract).last);
    expect(market.ticks(contract, 1)[0]!.time).toBeLessThan(bar!.end);
    expect(market.take(contract, 'buy', 1n)).toEqual([]);
  });

  it('shows no bars from before it was listed', () => {
    const { world, market } = at('2026-02-02');
    const contract = world.instrument('HK.HSI2612')!;
    const bars = market.bars(contract, { unit: 'day' }, { limit: 1000 });
    expect(world.calendar(contract).tradingDay(bars[0]!.start)).toBe(contract.listDate);
  });
});
