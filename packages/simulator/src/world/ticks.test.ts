import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exact } from './exact.js';
import type { TickTable } from './instrument.js';
import { flatTickTable, tickTables } from './tick-tables.js';
import { isOnTick, nextPrice, roundToTick, tickSize } from './ticks.js';

const tables: readonly TickTable[] = [...Object.values(tickTables), flatTickTable('ZN', 0.015625)];
const table = fc.constantFrom(...tables);
/** Any positive price: spread over the bands, not only over the highest. */
const price = fc
  .tuple(fc.bigInt({ min: 1n, max: 9_999n }), fc.integer({ min: 0, max: 12 }), fc.bigInt({ min: 0n, max: 999n }))
  .map(([mantissa, exponent, rest]) => mantissa * 10n ** BigInt(exponent) + rest);

describe('tick tables', () => {
  it.each(tables.map((one) => [one.name, one] as const))('%s rises, and its bounds lie on the grids of both sides', (_name, { steps }) => {
    expect(steps.at(-1)?.below).toBeUndefined();
    for (const [i, { below, tick }] of steps.entries()) {
      expect(tick).toBeGreaterThan(0n);
      const next = steps[i + 1];
      if (next === undefined) continue;
      expect(below! % tick).toBe(0n);
      expect(below! % next.tick).toBe(0n);
      expect(next.tick).toBeGreaterThan(tick);
      if (next.below !== undefined) expect(next.below).toBeGreaterThan(below!);
    }
  });

  it.each([
    ['hkEquity', 0.249, 0.001],
    ['hkEquity', 0.25, 0.005],
    ['hkEquity', 9.99, 0.01],
    ['hkEquity', 10, 0.01],
    ['hkEquity', 19.99, 0.01],
    ['hkEquity', 20, 0.02],
    ['hkEquity', 49.98, 0.02],
    ['hkEquity', 50, 0.05],
    ['hkEquity', 620, 0.5],
    ['hkEquity', 9000, 5],
    ['hkEtf', 26.5, 0.02],
    ['hkEtf', 5.55, 0.005],
    ['us', 0.9999, 0.0001],
    ['us', 1, 0.01],
    ['cnEquity', 1456.6, 0.01],
    ['cnEtf', 4.706, 0.001],
    ['sg', 0.199, 0.001],
    ['sg', 0.2, 0.005],
    ['sg', 1, 0.01],
    ['jpTopix500', 999.9, 0.1],
    ['jpTopix500', 2441.5, 0.5],
    ['jpTopix500', 3156, 1],
    ['jpTopix500', 57080, 10],
    ['my', 0.595, 0.005],
    ['my', 9.98, 0.01],
    ['my', 21.1, 0.02],
    ['my', 114.2, 0.1],
  ] as const)('%s at %d steps by %d', (name, at, tick) => {
    expect(tickSize(tickTables[name], exact(at))).toBe(exact(tick));
  });
});

describe('roundToTick', () => {
  it('rounds to the grid of the band', () => {
    expect(roundToTick(tickTables.hkEquity, exact(620.3), 'down')).toBe(exact(620));
    expect(roundToTick(tickTables.hkEquity, exact(620.3), 'up')).toBe(exact(620.5));
    expect(roundToTick(tickTables.hkEquity, exact(620.3), 'nearest')).toBe(exact(620.5));
    expect(roundToTick(tickTables.hkEquity, exact(620.25), 'nearest')).toBe(exact(620.5));
    expect(roundToTick(tickTables.hkEquity, exact(49.99), 'up')).toBe(exact(50));
    expect(roundToTick(tickTables.us, exact(0.00004), 'down')).toBe(0n);
  });

  it('gives the closest allowed prices on either side', () => {
    fc.assert(
      fc.property(table, price, (one, at) => {
        const down = roundToTick(one, at, 'down');
        const up = roundToTick(one, at, 'up');
        const nearest = roundToTick(one, at, 'nearest');
        expect(down <= at && at <= up).toBe(true);
        expect(down === 0n || isOnTick(one, down)).toBe(true);
        expect(isOnTick(one, up)).toBe(true);
        expect(isOnTick(one, at)).toBe(down === up);
        if (down !== up) expect(nextPrice(one, at, 1)).toBe(up);
        expect(nearest).toBe(at - down < up - at ? down : up);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('nextPrice', () => {
  it('takes each band by its own tick', () => {
    const hk = tickTables.hkEquity;
    expect(nextPrice(hk, exact(49.98), 2)).toBe(exact(50.05));
    expect(nextPrice(hk, exact(50), -1)).toBe(exact(49.98));
    expect(nextPrice(hk, exact(50.05), -2)).toBe(exact(49.98));
    expect(nextPrice(hk, exact(0.249), 3)).toBe(exact(0.26));
    expect(nextPrice(hk, exact(0.002), -5)).toBe(exact(0.001));
    expect(nextPrice(hk, exact(50.01), 1)).toBe(exact(50.05));
    expect(nextPrice(hk, exact(50.01), -1)).toBe(exact(50));
    expect(nextPrice(hk, exact(50.01), 0)).toBe(exact(50.01));
  });

  it('walks many steps as it walks one by one, and back again', () => {
    fc.assert(
      fc.property(table, price, fc.integer({ min: 1, max: 400 }), (one, at, steps) => {
        const start = roundToTick(one, at, 'up');
        let walked = start;
        for (let i = 0; i < steps; i += 1) {
          const above = nextPrice(one, walked, 1);
          expect(above - walked).toBe(tickSize(one, walked));
          walked = above;
        }
        expect(nextPrice(one, start, steps)).toBe(walked);
        expect(isOnTick(one, walked)).toBe(true);
        expect(nextPrice(one, walked, -steps)).toBe(start);
      }),
    );
  });

  it('never falls below the lowest positive price', () => {
    fc.assert(
      fc.property(table, price, fc.integer({ min: -1_000_000_000, max: -1 }), (one, at, steps) => {
        const lowest = one.steps[0]!.tick;
        const lower = nextPrice(one, at, steps);
        expect(isOnTick(one, lower)).toBe(true);
        expect(lower >= lowest && (lower < at || lower === lowest)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
