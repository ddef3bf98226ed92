import { ManualClock } from '@svc-gateway/contract/clock';
import { addDays, dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import { MemoryStore } from '@svc-gateway/storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimulation } from '../simulation.js';
import type { Warrant } from '../world/instrument.js';
import type { SimulatedMarket } from './index.js';

const money = (decimal: bigint) => Number(decimal) / 1e9;
const days = fc.integer({ min: requireDay('2022-06-01'), max: requireDay('2028-12-01') }).map(dayOfNumber);
const seeds = fc.nat(1_000);

/** At noon in Hong Kong of a day, or in the morning in New York. */
function at(day: string, seed: number, hour = 4) {
  const clock = new ManualClock(Date.parse(`${day}T${String(hour).padStart(2, '0')}:00:00Z`));
  const { world, market } = createSimulation({ clock, seed, calendarMode: 'calendar', store: new MemoryStore() });
  const called = (one: Warrant, before: string) => (market as SimulatedMarket).calledBefore(one, before);
  const goTo = (time: number) => clock.advance(time - clock.now());
  return { clock, world, market, called, goTo };
}

const few = { numRuns: 6, endOnFailure: true };

describe('options of an index', () => {
  it('agree with its futures: call less put is what the future costs above the strike', () => {
    fc.assert(
      fc.property(days, seeds, (day, seed) => {
        const { world, market } = at(day, seed);
        const index = world.instrument('HK.800000')!;
        const series = world
          .optionSeries(index)
          .find((one) => one.class.root === 'HSI' && one.of === 'month' && one.expiry > addDays(day, 7))!;
        const options = world.optionChain(index, series);
        const future = world
          .listed({ market: 'HK', kind: 'future' })
          .find((one) => one.code.startsWith('HSI2') && one.lastTradingDay === series.expiry);
        for (const call of options.filter(({ option }) => option.right === 'call').filter((_, i) => i % 20 === 0)) {
          const put = options.find(({ option }) => option.right === 'put' && option.strike === call.option.strike)!;
          const [ofCall, ofPut] = [market.valuation(call), market.valuation(put)];
          const { rate, years } = ofCall.outlook;
          const forward = (ofCall.value - ofPut.value) * Math.exp(rate * years) + money(call.option.strike);
          expect(forward / ofCall.outlook.forward).toBeCloseTo(1, 9);
          if (future !== undefined) expect(Math.abs(forward / money(market.quote(future).last) - 1)).toBeLessThan(0.004);
        }
      }),
      few,
    );
  });
});

describe('options of a stock', () => {
  it('end at what exercise pays, a tick for what is worthless, and stay as they were', () => {
    fc.assert(
      fc.property(days, seeds, (day, seed) => {
        const { world, market, goTo } = at(day, seed, 15);
        const stock = world.instrument('US.AAPL')!;
        const series = world.optionSeries(stock)[0]!;
        const options = world.optionChain(stock, series).filter((_, i) => i % 9 === 0);
        const { end } = world
          .calendar(stock)
          .sessions(series.expiry)
          .find(({ kind }) => kind === 'regular')!;
        goTo(end + 1000);
        const spot = money(market.quote(stock).last);
        goTo(end + 86_400_000 * 3);
        for (const option of options) {
          const { right, strike } = option.option;
          const pays = Math.max(0, right === 'call' ? spot - money(strike) : money(strike) - spot);
          expect(world.state(option)).toBe('over');
          expect(money(market.settlementPrice(option))).toBeCloseTo(pays, 2);
          // The last trade may be of some time before.
          expect(market.quote(option).tradingDay).toBe(series.expiry);
          // Market makers' last prices are of the last seconds.
          const { bids, asks } = market.book(option, 1);
          const around = (money(bids[0]?.price ?? 0n) + money(asks[0]!.price)) / 2;
          expect(Math.abs(around - pays)).toBeLessThan(0.001 * spot + 0.02);
        }
        expect(world.optionSeries(stock).map(({ expiry }) => expiry)).not.toContain(series.expiry);
      }),
      few,
    );
  });

  it('are quoted at what they are worth', () => {
    fc.assert(
      fc.property(days, seeds, (day, seed) => {
        const { world, market, clock } = at(day, seed, 16);
        const stock = world.instrument('US.MSFT')!;
        if (world.calendar(stock).sessionAt(clock.now())?.kind !== 'regular') return;
        for (const series of world.optionSeries(stock).slice(1, 3)) {
          for (const option of world.optionChain(stock, series).filter((_, i) => i % 11 === 0)) {
            const { bids, asks } = market.book(option, 1);
            const { value, delta, outlook } = market.valuation(option);
            // Two seconds of the underlying.
            const moved = 0.01 + Math.abs(delta) * outlook.spot * 0.004 + 0.001 * outlook.spot * 0.2;
            expect(value).toBeGreaterThan(money(bids[0]?.price ?? 0n) - moved);
            expect(value).toBeLessThan(money(asks[0]?.price ?? 10n ** 15n) + moved);
          }
        }
      }),
      few,
    );
  });
});

describe('callable contracts', () => {
  it('end on the day on which they are called, at their residual value, and are listed no more', () => {
    let called = 0;
    fc.assert(
      fc.property(days, seeds, (day, seed) => {
        const { clock, world, market, called: calledBefore, goTo } = at(day, seed, 3);
        const index = world.instrument('HK.800000')!;
        const listed = world
          .listed({ kind: 'warrant', underlying: index.symbol }, day)
          .filter((one): one is Warrant => one.kind === 'warrant');
        const callable = listed.filter(({ warrant }) => warrant.callPrice !== undefined);
        for (const one of callable) expect(calledBefore(one, day)).toBeUndefined();
        const later = addDays(day, 45);
        for (const one of callable) {
          const on = calledBefore(one, later);
          // The clock only goes on.
          const { start } = on === undefined ? { start: 0 } : world.calendar(one).sessions(on).at(-1)!;
          if (on === undefined || start < clock.now() || called > 12) continue;
          called += 1;
          const { end } = world.calendar(one).sessions(on).at(-1)!;
          goTo(end - 1);
          const { type, strike, callPrice, conversionRatio } = one.warrant;
          const quote = market.quote(index);
          const isBull = type === 'bull';
          expect(isBull ? quote.low <= callPrice! : quote.high >= callPrice!).toBe(true);
          expect(market.isCalled(one)).toBe(true);
          expect(market.book(one, 1)).toMatchObject({ bids: [], asks: [] });
          expect(market.take(one, 'buy', 10_000n)).toEqual([]);
          // The extreme after the call is that of the day, since what calls it is beyond all before.
          const extreme = isBull ? money(quote.low) - money(strike) : money(strike) - money(quote.high);
          const residual = Math.max(0, extreme) / conversionRatio;
          expect(market.valuation(one).value).toBeCloseTo(residual, 6);
          const last = money(market.quote(one).last);
          expect(Math.abs(last - Math.max(0.001, residual))).toBeLessThan(0.006 + 0.05 * residual);
          goTo(end + 86_400_000);
          expect(world.state(one)).toBe('over');
          expect(world.instrument(one.symbol)).toMatchObject({ lastTradingDay: on });
          expect(world.listed({ kind: 'warrant', underlying: index.symbol }).some(({ symbol }) => symbol === one.symbol)).toBe(false);
          expect(money(market.settlementPrice(one))).toBeCloseTo(residual, 6);
        }
      }),
      few,
    );
    expect(called).toBeGreaterThan(3);
  });
});

describe('warrants', () => {
  it('pay at maturity what their terms say', () => {
    fc.assert(
      fc.property(days, seeds, (day, seed) => {
        const { world, market, goTo } = at(day, seed, 3);
        const index = world.instrument('HK.800000')!;
        const found = world
          .listed({ kind: 'warrant', underlying: index.symbol }, day)
          .filter((one): one is Warrant => one.kind === 'warrant');
        for (const type of ['call', 'put', 'inline'] as const) {
          const one = found.find(({ warrant }) => warrant.type === type);
          if (one === undefined) continue;
          const { maturity, strike, upperStrike, conversionRatio } = one.warrant;
          goTo(world.calendar(one).sessions(maturity).at(-1)!.end + 1000);
          const spot = money(market.quote(index).last);
          const k = money(strike);
          const pays = {
            call: Math.max(0, spot - k),
            put: Math.max(0, k - spot),
            inline: spot >= k && spot <= money(upperStrike ?? 0n) ? 1 : 0,
          }[type];
          expect(money(market.settlementPrice(one))).toBeCloseTo(pays / conversionRatio, 6);
        }
      }),
      few,
    );
  });
});
