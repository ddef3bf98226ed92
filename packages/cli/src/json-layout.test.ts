import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layOutJson } from './json-layout.js';

it('lays out any JSON as JSON.stringify would, from its compact form', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(layOutJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

it('keeps every digit of numbers that a double would change', () => {
  expect(layOutJson('[281756479859383816,1.10,1e5,-0.00]')).toBe('[\n  281756479859383816,\n  1.10,\n  1e5,\n  -0.00\n]');
});
