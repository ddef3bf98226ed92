import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DECIMAL_ONE,
  decimalFromNumber,
  decimalToNumber,
  divide,
  formatDecimal,
  multiply,
  multiplyUp,
  parseDecimal,
  roundNumber,
  roundTo,
} from './decimal.js';

const decimals = fc.oneof(
  fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
  fc.bigInt({ min: -(2n ** 52n), max: 2n ** 52n }),
  fc.bigInt({ min: -2_000n, max: 2_000n }),
);

describe('decimal', () => {
  it.each([
    ['320.5', 320_500_000_000n],
    ['-0.001', -1_000_000n],
    ['1e-3', 1_000_000n],
    ['1.5e3', 1_500_000_000_000n],
    ['0.0000000010', 1n],
    ['.5', 500_000_000n],
    ['1e20', 10n ** 29n],
  ])('reads %s', (text, value) => expect(parseDecimal(text)).toBe(value));

  it.each(['', '.', 'x', '1.2.3', '0.0000000001', '--1', '1e', 'Infinity', '0x10'])('refuses %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        expect(parseDecimal(formatDecimal(value))).toBe(value);
        expect(formatDecimal(value)).toMatch(/^-?\d+(\.\d*[1-9])?$/);
      }),
    );
  });

  it('takes a double for the decimal that its shortest text spells', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), fc.integer({ min: 0, max: 3 }), (digits, places) => {
        const text = (digits / 10 ** places).toString();
        expect(decimalFromNumber(Number(text))).toBe(parseDecimal(text));
      }),
    );
    const doubles = fc.oneof(fc.double(), fc.double({ min: -(2 ** 22), max: 2 ** 22 }), fc.double({ min: 0, max: 1e-6 }));
    const spelt = fc.tuple(fc.bigInt({ min: -(2n ** 52n), max: 2n ** 52n }), fc.integer({ min: 0, max: 9 }));
    const near = fc
      .oneof(
        doubles,
        spelt.map(([units, places]) => Number(units) / 10 ** places),
      )
      .filter(Number.isFinite);
    fc.assert(
      fc.property(near, (value) => {
        expect(decimalFromNumber(value)).toBe(parseDecimal(String(value)));
      }),
      { numRuns: 2_000 },
    );
    expect(decimalFromNumber(0.1 + 0.2)).toBeUndefined();
    expect(decimalFromNumber(Number.NaN)).toBeUndefined();
    expect(decimalFromNumber(1e-10)).toBeUndefined();
  });

  it.each([
    [0.1 + 0.2, 3, 0.3],
    [99.99000000000001, 3, 99.99],
    [283.41179999999997, 3, 283.412],
    [99.99999999999999, 2, 100],
    [0.1 + 0.2, 9, 0.3],
    [1.0005, 3, 1],
    [1.0015, 3, 1.002],
    [1.00149999999999, 3, 1.001],
    [-0.30000000000000004, 3, -0.3],
    [1e-10, 9, 0],
    [123456789.12345679, 3, 123456789.123],
    [1e21, 3, 1e21],
    [Number.POSITIVE_INFINITY, 3, Number.POSITIVE_INFINITY],
    [Number.NaN, 3, Number.NaN],
  ])('rounds %d to %d places: %d', (value, places, expected) => expect(roundNumber(value, places)).toBe(expected));

  it('rounds noise away that binary arithmetic adds, whatever the decimal, and nothing else', () => {
    const decimals = fc.tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 3 }));
    fc.assert(
      fc.property(decimals, fc.integer({ min: -8, max: 8 }), ([digits, places], ulps) => {
        const meant = Number(`${digits}e-${places}`);
        const noisy = meant + ulps * Number.EPSILON * Math.abs(meant);
        expect(roundNumber(noisy, 3)).toBe(meant);
        expect(roundNumber(meant, 9)).toBe(meant);
      }),
    );
  });

  it('gives the nearest double', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        expect(decimalToNumber(value)).toBe(Number(formatDecimal(value)));
      }),
    );
  });

  it('multiplies within half a unit, and never below the product when rounding up', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 20n });
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const exact = a * b;
        expect(
          2n * (multiply(a, b) * DECIMAL_ONE - exact) <= DECIMAL_ONE && 2n * (exact - multiply(a, b) * DECIMAL_ONE) <= DECIMAL_ONE,
        ).toBe(true);
        const up = multiplyUp(a, b) * DECIMAL_ONE - exact;
        expect(up >= 0n && up < DECIMAL_ONE).toBe(true);
      }),
    );
  });

  it('rounds halves to even', () => {
    const half = DECIMAL_ONE / 2n;
    expect(roundTo(half, DECIMAL_ONE)).toBe(0n);
    expect(roundTo(3n * half, DECIMAL_ONE)).toBe(2n * DECIMAL_ONE);
    expect(roundTo(-3n * half, DECIMAL_ONE)).toBe(-2n * DECIMAL_ONE);
    expect(divide(DECIMAL_ONE, 3n * DECIMAL_ONE)).toBe(333_333_333n);
    expect(() => divide(1n, 0n)).toThrow(RangeError);
  });
});
