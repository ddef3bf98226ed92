import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { limitsFromFlags } from './limits.js';
import { SharedLimits } from './shared-limits.js';

const flags = fc.record(
  {
    allowedMarkets: fc.constantFrom('HK', 'US', 'HK,US', 'US,HK'),
    allowedSymbols: fc.constantFrom('HK.00700', 'US.AAPL,HK.00700'),
    allowedTrdSides: fc.constantFrom('BUY', 'SELL'),
    allowedAccIds: fc.constantFrom('1', '1,2'),
    hoursWindow: fc.constantFrom('09:00-10:00', '09:00-10:01'),
    maxOrderValue: fc.constantFrom('1', '1.5'),
    maxOrdersPerMinute: fc.constantFrom('1', '2'),
  },
  { requiredKeys: [] },
);

it('gives limits that are equal, and one object for two that read the same', () => {
  const read = (given: object) => {
    const limits = limitsFromFlags(given);
    if (!limits.ok) throw new Error(limits.error);
    return limits.value.limits;
  };
  fc.assert(
    fc.property(flags, flags, (one, other) => {
      const shared = new SharedLimits([]);
      const [first, second] = [shared.of(read(one)), shared.of(read(other))];
      expect(isDeepStrictEqual(first, read(one)) && isDeepStrictEqual(second, read(other))).toBe(true);
      expect(shared.of(read(one))).toBe(first);
      if (!isDeepStrictEqual(read(one), read(other))) expect(first).not.toBe(second);
    }),
  );
});
