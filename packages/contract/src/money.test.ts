import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Decimal, parseDecimal } from './decimal.js';
import { inMoney, moneyStep, moneyText } from './money.js';

const d = (text: string): Decimal => parseDecimal(text)!;

it.each([
  ['54862394.210624199', 'JPY', 'down', '54862394'],
  ['54862394.210624199', 'JPY', 'up', '54862395'],
  ['54862394.5', 'JPY', 'nearest', '54862394'],
  ['86.2', 'HKD', 'up', '86.20'],
  ['51250', 'HKD', 'down', '51250'],
  ['0.001', 'USD', 'up', '0.01'],
  ['0.001', 'USD', 'down', '0'],
  ['-0.001', 'USD', 'down', '-0.01'],
  ['-0.001', 'USD', 'up', '0'],
] as const)('writes %s %s, rounded %s, as %s', (amount, currency, rounding, text) => {
  expect(moneyText(d(amount), currency, rounding)).toBe(text);
});

it('rounds by less than one step, and in its direction', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.constantFrom('JPY', 'USD'), (amount, currency) => {
      const step = moneyStep(currency);
      const [down, near, up] = (['down', 'nearest', 'up'] as const).map((rounding) => inMoney(amount, currency, rounding)) as [
        bigint,
        bigint,
        bigint,
      ];
      for (const rounded of [down, near, up]) expect(rounded % step).toBe(0n);
      expect(down <= amount && amount - down < step && up >= amount && up - amount < step && (near === down || near === up)).toBe(true);
    }),
  );
});
