import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comboPlan, type LegOffer } from './combo-plan.js';

const side = fc.constantFrom('buy' as const, 'sell' as const);
const level = fc.record({ step: fc.bigInt({ min: 0n, max: 3n }), volume: fc.bigInt({ min: 1n, max: 30n }) });
const leg = fc
  .record({
    side,
    ratio: fc.bigInt({ min: 1n, max: 4n }),
    first: fc.bigInt({ min: 50n, max: 60n }),
    steps: fc.array(level, { maxLength: 6 }),
  })
  .map(({ steps, first, ...of }): LegOffer => {
    let price = first;
    const levels = steps.map(({ step, volume }) => {
      price += of.side === 'buy' ? step : -step;
      return { price, volume };
    });
    return { ...of, levels };
  });
const legs = fc.array(leg, { minLength: 2, maxLength: 4 });

/** Cost of each of the first n units, one unit of the book after the other; undefined where the book ends. */
function costs({ side: buys, ratio, levels }: LegOffer, units: bigint): (bigint | undefined)[] {
  const each = levels.flatMap(({ price, volume }) => Array<bigint>(Number(volume)).fill(price));
  return Array.from({ length: Number(units) }, (_, unit) => {
    const own = each.slice(unit * Number(ratio), (unit + 1) * Number(ratio));
    const sum = own.reduce((total, price) => total + price, 0n);
    return own.length < Number(ratio) ? undefined : buys === 'buy' ? sum : -sum;
  });
}

describe('what several legs trade together', () => {
  test('is all that can be had at the limit or better, step by step, and no more', () => {
    fc.assert(
      fc.property(
        legs,
        fc.bigInt({ min: -150n, max: 150n }),
        fc.bigInt({ min: 1n, max: 20n }),
        fc.bigInt({ min: 1n, max: 3n }),
        (all, limit, steps, step) => {
          const volume = steps * step;
          const { units, limits } = comboPlan(all, limit, volume, step);
          const perLeg = all.map((one) => costs(one, volume));
          let expected = 0n;
          for (let at = 0n; at < volume; at += step) {
            let net = 0n;
            for (const of of perLeg) for (let i = at; i < at + step; i++) net += of[Number(i)] ?? 1_000_000n;
            if (net > limit * step) break;
            expected += step;
          }
          expect(units).toBe(expected);
          for (const [i, one] of all.entries()) {
            // At its limit, each leg finds all that it needs, and at a better one it does not.
            const within = (price: bigint, bound: bigint) => (one.side === 'buy' ? price <= bound : price >= bound);
            const volumeAt = (bound: bigint) =>
              one.levels.filter(({ price }) => within(price, bound)).reduce((sum, { volume: there }) => sum + there, 0n);
            if (units === 0n) continue;
            expect(volumeAt(limits[i]!) >= units * one.ratio).toBe(true);
            expect(volumeAt(limits[i]! + (one.side === 'buy' ? -1n : 1n)) < units * one.ratio).toBe(true);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('is nothing while one leg has no offers', () => {
    const buy = { side: 'buy', ratio: 1n, levels: [{ price: 10n, volume: 5n }] } as const;
    const sell = { side: 'sell', ratio: 1n, levels: [] } as const;
    expect(comboPlan([buy, sell], 1_000n, 5n, 1n)).toEqual({ units: 0n, limits: [0n, 0n] });
  });

  test('prices a contract with its shares by the share', () => {
    const dollars = (amount: bigint) => amount * 1_000_000_000n;
    const shares: LegOffer = { side: 'buy', ratio: 100n, levels: [{ price: dollars(200n), volume: 250n }] };
    const call: LegOffer = { side: 'sell', ratio: 1n, multiplier: dollars(100n), levels: [{ price: dollars(3n), volume: 9n }] };
    expect(comboPlan([shares, call], dollars(197n), 5n, 1n).units).toBe(2n);
    expect(comboPlan([shares, call], dollars(197n) - 1n, 5n, 1n).units).toBe(0n);
  });
});
