import { dayOfNumber, parseLocal, requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import { exPrice } from '../companies/ex-price.js';
import type { CorporateAction } from '../companies/index.js';
import { type Instrument, isOnTick, tickSize } from '../world/index.js';
import { adjustedPrice, type Bar, type BarPeriod, FACTOR_ONE, type PriceAdjustment, priceLimit } from './index.js';

const NOW = Date.UTC(2036, 10, 20, 8);
const { world, companies, market } = openMarket({ time: NOW, seed: 5, generatedInstruments: 80 });
const issued = world.instruments().filter(({ kind }) => kind === 'equity' || kind === 'etf');

interface Event {
  readonly instrument: Instrument;
  readonly action: CorporateAction;
}

/** Every corporate action of twenty years, of all kinds. */
const events: readonly Event[] = issued.flatMap((instrument) =>
  companies.corporateActions(instrument.symbol, '2016-02-01', '2036-10-31').map((action) => ({ instrument, action })),
);
const ofKind = (kind: string) => events.filter(({ action }) => action.kind === kind);
const event = fc.oneof(...['dividend', 'split', 'bonus', 'rights'].map((kind) => fc.constantFrom(...ofKind(kind))));
const adjustments = fc.constantFrom<PriceAdjustment>('none', 'forward', 'backward');
const periods = fc.constantFrom<BarPeriod>({ unit: 'day' }, { unit: 'week' }, { unit: 'month' }, { unit: 'quarter' }, { unit: 'year' });
const day: BarPeriod = { unit: 'day' };

function around({ instrument, action }: Event, daysBefore: number, daysAfter: number) {
  const { timeZone } = world.calendar(instrument);
  const midnight = parseLocal(action.exDay, timeZone)!;
  return { from: midnight - daysBefore * 86_400_000, to: midnight + daysAfter * 86_400_000 };
}

const near = (a: bigint, b: bigint, room: bigint) => (a > b ? a - b : b - a) <= room;
const ascending = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));
const dayOf = (instrument: Instrument, bar: Bar) => world.calendar(instrument).tradingDay(bar.end - 1);

describe('on an ex-day', () => {
  test('prices around the previous close are stated in the day’s shares', () => {
    for (const { instrument, action } of ofKind('split').slice(0, 40)) {
      if (action.kind !== 'split') continue;
      const day = world.calendar(instrument).previousTradingDay(action.exDay);
      const ratio = Number(action.ratio[0]) / Number(action.ratio[1]);
      const fall = Number(market.closeBefore(instrument, day)) / Number(market.closeBefore(instrument, action.exDay));
      // Within what a day moves, and a tick of the cheapest.
      expect([instrument.symbol, fall / ratio > 0.7 && fall / ratio < 1.5]).toEqual([instrument.symbol, true]);
    }
  });

  test('raw prices are compared with the close less what goes off, on the tick', () => {
    fc.assert(
      fc.property(event, (one) => {
        const { instrument, action } = one;
        const bars = market.bars(instrument, day, around(one, 12, 2));
        const at = bars.findIndex((bar) => dayOf(instrument, bar) === action.exDay);
        const [before, ex] = [bars[at - 1], bars[at]];
        if (before === undefined || ex === undefined) return;
        const actions = companies.corporateActions(instrument.symbol, action.exDay, action.exDay);
        const reference = exPrice(before.close, actions);
        expect(isOnTick(instrument.tickTable, ex.previousClose)).toBe(true);
        expect(near(ex.previousClose, reference, tickSize(instrument.tickTable, reference))).toBe(true);
        // The day's own move is that of any day: what went off is not in it.
        const move = Math.abs(Number(ex.close - ex.previousClose)) / Number(ex.previousClose);
        expect(move, `${instrument.symbol} ${action.exDay}`).toBeLessThan(
          0.35 * instrument.volatility + 2 * (Number(tickSize(instrument.tickTable, ex.close)) / Number(ex.close)),
        );
        const limit = priceLimit(instrument);
        if (limit !== undefined) expect(Number(ex.high - ex.previousClose) <= Number(ex.previousClose) * limit).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('adjusted bars go on from the bar before', () => {
    fc.assert(
      fc.property(event, fc.constantFrom<PriceAdjustment>('forward', 'backward'), (one, adjustment) => {
        const { instrument } = one;
        const bars = market.bars(instrument, day, around(one, 20, 20), adjustment);
        for (const [i, bar] of bars.entries()) {
          const before = bars[i - 1];
          // Both are rounded to the millionth.
          if (before !== undefined)
            expect(near(bar.previousClose, before.close, 2_000n), `${instrument.symbol} ${dayOf(instrument, bar)}`).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('adjusted bars', () => {
  test('of a day and of its minutes are the raw ones times the factor of the day', () => {
    fc.assert(
      fc.property(event, adjustments, fc.constantFrom(1, 15, 60, 240), (one, adjustment, count) => {
        const { instrument } = one;
        const range = around(one, 3, 2);
        for (const period of [day, { unit: 'minute', count } as BarPeriod]) {
          const raw = market.bars(instrument, period, range);
          const adjusted = market.bars(instrument, period, range, adjustment);
          expect(adjusted.length).toBe(raw.length);
          for (const [i, bar] of adjusted.entries()) {
            const traded = raw[i]!;
            const factor = market.adjustmentFactor(instrument, adjustment, bar.end - 1);
            for (const name of ['open', 'high', 'low', 'close', 'previousClose'] as const) {
              expect(bar[name]).toBe(adjustedPrice(traded[name], factor));
              expect(bar[name] > 0n).toBe(true);
            }
            expect([bar.start, bar.end, bar.volume, bar.turnover]).toEqual([traded.start, traded.end, traded.volume, traded.turnover]);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test('of weeks and longer are made of adjusted days', () => {
    fc.assert(
      fc.property(event, adjustments, periods, (one, adjustment, period) => {
        const { instrument } = one;
        const { from } = around(one, 40, 40);
        const [bar] = market.bars(instrument, period, { from, limit: 1 }, adjustment);
        if (bar === undefined) return;
        const days = market.bars(instrument, day, { from: bar.start, to: bar.end }, adjustment);
        expect(bar.open).toBe(days[0]!.open);
        expect(bar.close).toBe(days.at(-1)!.close);
        expect(bar.previousClose).toBe(days[0]!.previousClose);
        expect(bar.high).toBe(
          days
            .map(({ high }) => high)
            .sort(ascending)
            .at(-1),
        );
        expect(bar.low).toBe(days.map(({ low }) => low).sort(ascending)[0]);
        expect(bar.volume).toBe(days.reduce((total, { volume }) => total + volume, 0n));
      }),
      { numRuns: 60 },
    );
  });

  test('forward leave the newest price as it is, backward the first one', () => {
    for (const { symbol } of issued.slice(0, 40)) {
      const instrument = world.instrument(symbol)!;
      const newest = market.bars(instrument, day, { limit: 1 });
      expect(market.bars(instrument, day, { limit: 1 }, 'forward')).toEqual(newest);
      const listed = parseLocal(instrument.listDate, world.calendar(instrument).timeZone)!;
      const first = market.bars(instrument, day, { from: listed, limit: 1 });
      expect(market.bars(instrument, day, { from: listed, limit: 1 }, 'backward')).toEqual(first);
    }
  });

  test('forward and backward differ by one factor, whatever the day', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...issued),
        fc.integer({ min: requireDay('2017-01-01'), max: requireDay('2036-10-01') }),
        (instrument, number) => {
          if (instrument.listDate > dayOfNumber(number)) return;
          const time = number * 86_400_000;
          const ratio = (at: number) =>
            Number(market.adjustmentFactor(instrument, 'backward', at)) / Number(market.adjustmentFactor(instrument, 'forward', at));
          expect(ratio(time) / ratio(NOW)).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  test('stand still once the listing is over', () => {
    const over = world.instrument('US.XLNX')!;
    const last = Date.parse(`${over.lastTradingDay}T18:00:00Z`);
    for (const adjustment of ['forward', 'backward'] as const) {
      expect(market.adjustmentFactor(over, adjustment, NOW)).toBe(market.adjustmentFactor(over, adjustment, last));
    }
  });

  test('equal the raw ones for instruments without an issuer', () => {
    for (const symbol of ['HK.800000', 'HK.HSImain', 'FX.USDJPY']) {
      expect(market.adjustmentFactor(world.instrument(symbol)!, 'backward', NOW)).toBe(FACTOR_ONE);
    }
  });
});
