import fc from 'fast-check';
import { expect, test } from 'vitest';
import { yearOf } from './growth.js';

test('the year of a day is that of the calendar', () => {
  fc.assert(
    fc.property(fc.integer({ min: -60_000, max: 120_000 }), (day) => {
      expect(yearOf(day)).toBe(new Date(day * 86_400_000).getUTCFullYear());
    }),
    { numRuns: 1_000 },
  );
  for (let year = 1890; year < 2110; year++) {
    const first = Date.UTC(year, 0) / 86_400_000;
    expect([yearOf(first - 1), yearOf(first)]).toEqual([year - 1, year]);
  }
});
