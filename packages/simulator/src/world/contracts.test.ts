import { ManualClock } from '@svc-gateway/contract/clock';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import { dayOfNumber } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FutureProduct } from './data/futures.js';
import { createWorld, type Instrument, typicalVolume, underlyingOf, type World } from './index.js';
import type { Future } from './instrument.js';

const clock = new ManualClock(Date.UTC(2026, 10, 20, 2));
const world = createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 0, seed: 1 });
const [first, last] = [Date.UTC(2016, 0, 4), Date.UTC(2036, 11, 28)].map((time) => time / 86_400_000) as [number, number];
const day = fc.integer({ min: first, max: last }).map(dayOfNumber);

/** Another world at noon of a day in Hong Kong. */
const worldAt = (date: string): World =>
  createWorld({ clock: new ManualClock(Date.parse(`${date}T04:00:00Z`)), calendarMode: 'calendar', generatedInstruments: 0, seed: 1 });

/** The dated contracts that are listed on a day, each product's in order. */
function byProduct(on: string): Future[][] {
  const products = new Map<FutureProduct, Future[]>();
  for (const one of world.listed({ kind: 'future' }, on)) {
    if (one.kind !== 'future' || one.future.month === undefined) continue;
    products.set(one.future.product, [...(products.get(one.future.product) ?? []), one]);
  }
  return [...products.values()];
}

describe('the dated contracts of a product', () => {
  it('chain without a gap: one for each of its months, the first of which has not expired', () => {
    fc.assert(
      fc.property(day, (on) => {
        for (const contracts of byProduct(on)) {
          const [front] = contracts;
          const { product } = front!.future;
          if (!world.calendar(front!).isTradingDay(on)) continue;
          const months = contracts.map(({ future }) => future.month!.slice(5));
          expect(new Set(months).size).toBe(months.length);
          const inYear = product.months === 'monthly' ? 12 : product.months === 'quarterly' ? 4 : product.months.length;
          // In its first year a product has those that have been listed so far.
          if (world.instrument(front!.symbol)!.listDate > product.listed) expect(contracts).toHaveLength(inYear);
          const ends = contracts.map(({ lastTradingDay }) => lastTradingDay!);
          expect([...ends].sort()).toEqual(ends);
          expect(ends[0]! >= on).toBe(true);
          // The day after the front month expires, the next is the front month and one more is listed.
          const next = byProduct(world.calendar(front!).nextTradingDay(ends[0]!)).find((others) => others[0]!.future.product === product)!;
          expect(next.slice(0, contracts.length - 1).map(({ symbol }) => symbol)).toEqual(contracts.slice(1).map(({ symbol }) => symbol));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('expire on trading days, and are what their codes say at the time', () => {
    fc.assert(
      fc.property(day, (on) => {
        const then = worldAt(on);
        for (const contract of byProduct(on).flat()) {
          expect(then.calendar(contract).isTradingDay(contract.lastTradingDay!)).toBe(true);
          expect(then.instrument(contract.symbol.toLowerCase())).toBe(contract);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('have one that trades as the product does, and later ones less', () => {
    fc.assert(
      fc.property(day, (on) => {
        for (const contracts of byProduct(on)) {
          const volumes = contracts.map((contract) => typicalVolume(contract, on));
          expect(volumes.filter((volume) => volume === contracts[0]!.dailyVolume)).toHaveLength(1);
          expect(volumes.slice(2)).toEqual([...volumes.slice(2)].sort((a, b) => b - a));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('hand over to the next two days before they expire', () => {
    const volumesOn = (on: string) => ['HK.HSI2611', 'HK.HSI2612'].map((symbol) => typicalVolume(world.instrument(symbol)!, on));
    expect(volumesOn('2026-11-25')).toEqual([110_000, 22_000]);
    expect(volumesOn('2026-11-26')).toEqual([22_000, 110_000]);
    expect(volumesOn('2026-11-30')).toEqual([50, 110_000]);
  });

  it.each(['HK.HSI2613', 'HK.HSI2600', 'US.ES2611', 'US.GC2701', 'HK.HTI1912', 'HK.XXX2612'])('does not have %s', (symbol) => {
    expect(world.instrument(symbol)).toBeUndefined();
  });
});

describe('options', () => {
  const terms = (symbol: string) => {
    const one = world.instrument(symbol);
    if (one?.kind !== 'option') throw new Error(`no option ${symbol}`);
    const { underlying, expiry, strike, right, style } = one.option;
    return [underlying, expiry, formatDecimal(strike), right, style, formatDecimal(one.multiplier)];
  };

  it.each([
    ['US.AAPL261218C200000', ['US.AAPL', '2026-12-18', '200', 'call', 'american', '100']],
    ['us.aapl261218p202500', ['US.AAPL', '2026-12-18', '', 'put', 'american', '100']],
    ['US.SPY261120C675000', ['US.SPY', '2026-11-20', '675', 'call', 'american', '100']],
    ['US.SPXW261123P6700000', ['US..SPX', '2026-11-23', '6700', 'put', 'european', '100']],
    ['US.BRKB261218C500000', ['US.BRK.B', '2026-12-18', '500', 'call', 'american', '100']],
    ['HK.TCH261230C600000', ['HK.00700', '2026-12-30', '600', 'call', 'american', '100']],
    ['HK.HSI261230P26000000', ['HK.800000', '2026-12-30', '26000', 'put', 'european', '50']],
    // A weekly one of the Hang Seng index.
    ['HK.HSI261204C26000000', ['HK.800000', '2026-12-04', '26000', 'call', 'european', '50']],
  ])('%s are understood', (symbol, expected) => {
    if (expected[2] === '') expect(world.instrument(symbol)).toBeUndefined();
    else expect(terms(symbol)).toEqual(expected);
  });

  it.each([
    ['expires on a Saturday', 'US.AAPL261219C200000'],
    ['expires on a holiday', 'US.AAPL261225C200000'],
    ['expires in no week of its class', 'US.AAPL261216C200000'],
    ['is of a class without weekly expiries', 'US.BRKA261127C700000'],
    ['has a strike off the ladder', 'US.AAPL261218C201000'],
    ['has a strike far from every price', 'US.AAPL261218C1500000'],
    ['has a strike of zero', 'US.AAPL261218C0'],
    ['has a strike with leading zeros', 'US.AAPL261218C00200000'],
    ['has an expiry that is no date', 'US.AAPL261399C200000'],
    ['is on nothing', 'US.NOPE261218C200000'],
    ['is of another market', 'HK.AAPL261218C200000'],
    ['came before its class', 'HK.HSI180608C26000000'],
  ])('that %s is not understood: %s', (_why, symbol) => {
    expect(world.instrument(symbol)).toBeUndefined();
  });

  it('are coming, listed and over', () => {
    const state = (symbol: string) => world.state(world.instrument(symbol)!);
    expect(state('US.AAPL261218C270000')).toBe('listed');
    expect(state('US.AAPL261016C270000')).toBe('over');
    expect(state('US.AAPL280616C270000')).toBe('coming');
  });

  it('of a day expire on trading days, and are those that their codes are understood as', () => {
    fc.assert(
      fc.property(day, fc.constantFrom('US.AAPL', 'US.SPY', 'US.JNJ', 'US..SPX', 'HK.00700', 'HK.800000'), (on, symbol) => {
        const then = worldAt(on);
        const underlying = then.instrument(symbol)!;
        const chain = then.listed({ kind: 'option', underlying: symbol }, on);
        expect(chain.length).toBeGreaterThan(50);
        expect(new Set(chain.map((one) => one.symbol)).size).toBe(chain.length);
        for (const one of chain) expect(one.listDate <= on && on <= one.lastTradingDay!).toBe(true);
        for (const expiry of new Set(chain.map(({ lastTradingDay }) => lastTradingDay!))) {
          expect(then.calendar(underlying).isTradingDay(expiry)).toBe(true);
        }
        for (const one of chain.filter((_, i) => i % 37 === 0)) expect(then.instrument(one.symbol)).toEqual(one);
      }),
      { numRuns: 25 },
    );
  });

  it.each([0.3, 7, 90, 480, 2_000, 9_000, 60_000, 755_200, 40_000_000])(
    'have few strikes at a price of %d, and every code that is listed can be asked for',
    (price) => {
      const closeBefore = () => BigInt(Math.round(price * 1e9));
      const priced = createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 0, seed: 1, closeBefore });
      for (const symbol of ['US.AAPL', 'US.SPY', 'US.BRK.A', 'HK.00700']) {
        const underlying = priced.instrument(symbol)!;
        for (const series of priced.optionSeries(underlying)) {
          const chain = priced.optionChain(underlying, series);
          expect(chain.length).toBeLessThan(2_500);
          for (const one of [...chain.slice(0, 2), ...chain.slice(-2)]) expect(priced.instrument(one.symbol)).toEqual(one);
        }
      }
    },
  );

  it('have strikes on both sides of the price, at any time of a series', () => {
    const strikes = (price: number) => {
      const priced = createWorld({
        clock,
        calendarMode: 'calendar',
        generatedInstruments: 0,
        seed: 1,
        closeBefore: () => BigInt(price) * 1_000_000_000n,
      });
      return priced
        .listed({ kind: 'option', underlying: 'US.AAPL' })
        .map((one) => (one.kind === 'option' ? Number(formatDecimal(one.option.strike)) : 0));
    };
    expect([Math.min(...strikes(100)), Math.max(...strikes(100))]).toEqual([50, 150]);
    expect([Math.min(...strikes(800)), Math.max(...strikes(800))]).toEqual([400, 1200]);
  });
});

describe('warrants', () => {
  const on = (date: string, seed = 1): readonly Instrument[] =>
    createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 0, seed }).listed({ kind: 'warrant' }, date);

  it('have the codes of their types, terms that fit and a life within the code’s', () => {
    for (const date of ['2016-03-01', '2026-11-20', '2036-03-03']) {
      const then = worldAt(date);
      const all = on(date);
      expect(all.length).toBeGreaterThan(1_000);
      for (const one of all) {
        if (one.kind !== 'warrant') throw new Error(one.kind);
        const { type, strike, callPrice, upperStrike, maturity } = one.warrant;
        const code = Number(one.code);
        expect(code < 30_000 ? ['call', 'put'] : code < 49_000 ? ['inline'] : ['bull', 'bear']).toContain(type);
        expect(one.listDate <= date && date <= one.lastTradingDay! && one.lastTradingDay! < maturity).toBe(true);
        expect(then.calendar('HK').isTradingDay(one.lastTradingDay!)).toBe(true);
        if (type === 'bull') expect(callPrice! > strike).toBe(true);
        if (type === 'bear') expect(callPrice! < strike).toBe(true);
        if (type === 'inline') expect(upperStrike! > strike).toBe(true);
        expect(then.instrument(underlyingOf(one)!)!.listDate < one.listDate).toBe(true);
      }
      for (const one of all.slice(0, 50)) expect(then.instrument(one.symbol)).toEqual(one);
    }
  });

  it('are the same in whatever order they are asked for, and end when they are called', () => {
    const called = (one: Instrument, before: string) =>
      Number(one.code) % 3 === 0 && one.listDate < '2026-06-01' && before > '2026-06-01' ? '2026-06-01' : undefined;
    const make = () => createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 0, seed: 1, calledBefore: called });
    const then = make();
    const hsi = then.instrument('HK.800000');
    const ofIndex = then.warrants(hsi, '2026-11-20');
    const others = then.warrants(undefined, '2026-11-23');
    const all = then.warrants(undefined, '2026-11-20');
    expect(all).toEqual(make().listed({ kind: 'warrant' }, '2026-11-20'));
    expect(all.some((one) => one.warrant.callPrice !== undefined && Number(one.code) % 3 === 0 && one.listDate < '2026-06-01')).toBe(false);
    expect(ofIndex.length).toBeGreaterThan(10);
    expect(ofIndex).toEqual(all.filter(({ warrant }) => warrant.underlying === 'HK.800000'));
    expect(others).toEqual(make().listed({ kind: 'warrant' }, '2026-11-23'));
  });

  it('follow from the seed', () => {
    expect(on('2026-11-20')).toEqual(on('2026-11-20'));
    expect(on('2026-11-20', 2).map(({ symbol }) => symbol)).not.toEqual(on('2026-11-20').map(({ symbol }) => symbol));
  });

  it('give their codes back, for another contract years later', () => {
    const [one] = on('2026-11-20');
    const later = worldAt('2031-11-20').instrument(one!.symbol)!;
    expect(later.symbol).toBe(one!.symbol);
    expect(later.listDate > one!.lastTradingDay!).toBe(true);
    expect(later.id).not.toBe(one!.id);
  });

  it.each(['HK.30001', 'HK.46999', 'HK.49000', 'HK.59999', 'HK.70000', 'US.60001', 'HK.6000', 'HK.600001'])('do not have %s', (symbol) => {
    expect(world.instrument(symbol)).toBeUndefined();
  });
});

describe('listed', () => {
  it('has what was listed on a day: not what came later, nor what had gone', () => {
    const symbols = (date: string) => new Set(world.listed({ market: 'US', kind: 'equity' }, date).map(({ symbol }) => symbol));
    const [then, now] = [symbols('2016-03-01'), symbols('2026-11-20')];
    expect([then.has('US.TWTR'), now.has('US.TWTR')]).toEqual([true, false]);
    expect([then.has('US.ARM'), now.has('US.ARM')]).toEqual([false, true]);
    expect([then.has('US.WMT'), now.has('US.WMT')]).toEqual([true, true]);
  });

  it('counts the last day in', () => {
    const has = (date: string) => world.listed({ kind: 'future', market: 'HK' }, date).some(({ symbol }) => symbol === 'HK.HSI2611');
    expect([has('2025-11-27'), has('2025-11-28'), has('2026-11-27'), has('2026-11-28')]).toEqual([false, true, true, false]);
  });

  it('moves on to the next contract with a night session', () => {
    const at = new ManualClock(Date.parse('2026-11-27T17:00:00+08:00'));
    const then = createWorld({ clock: at, calendarMode: 'calendar', generatedInstruments: 0, seed: 1 });
    const front = () => then.listed({ market: 'HK', kind: 'future' })[1]?.symbol;
    expect([front(), then.state(then.instrument('HK.HSI2611')!)]).toEqual(['HK.HSI2611', 'listed']);
    at.advance(15 * 60_000);
    expect([front(), then.state(then.instrument('HK.HSI2611')!)]).toEqual(['HK.HSI2612', 'over']);
  });
});
