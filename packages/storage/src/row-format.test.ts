import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeRow, encodeRow } from './row-format.js';

const scalar = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.bigInt(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.boolean(),
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(null, undefined, -0, 2 ** 31, -(2 ** 31) - 1, 2n ** 63n, -(2n ** 63n), 2n ** 31n, 'ÿ', '€', '\ud800'),
  fc.uint8Array(),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value'), { noNullPrototype: true }),
  ),
})).value;

it('decodes every value as it was encoded', () => {
  fc.assert(
    fc.property(fc.string(), value, (key, one) => {
      expect(decodeRow(key, encodeRow(key, one))).toStrictEqual(one);
    }),
  );
});

it('keeps maps, dates, and objects whose keys are data', () => {
  const prototypes = JSON.parse('[{"__proto__":{"a":1},"b":2},{"__proto__":1},{"inner":{"__proto__":null}}]');
  for (const one of [new Map([['a', 1n]]), new Date(5), { inner: [new Set(['x'])] }, ...prototypes]) {
    expect(decodeRow('key', encodeRow('key', one))).toStrictEqual(one);
  }
});

/** A row of each version of the format, as a database holds it. Every later version of svcd decodes all of them. */
const stored: readonly (readonly [version: number, row: string])[] = [
  [
    1,
    'Ejz91QH/D28iAmlkWhB5X3sHv04ZACIEbGVnc0EBbyIGc3ltYm9sIghISy4wMDcwMCIEc2lkZSIDYnV5IgtmaWxsZWRWYWx1ZVoQAAAAAAAAAIAiC2Nhc2hQZXJVbml0WhHAxloxAQAAAHsEJAABIgZyZW1hcmsAYwb8ACAArCAiCWNyZWF0ZWRBdE4AsMfbL6x5QiIFcmF0aW9OmpmZmZmZuT8iCHJlc3BvbnNlXAECAP8iDWV4dGVuZGVkSG91cnNGIgd0cmlnZ2VyXyIFa2V5SWQwewk=',
  ],
];

it.each(stored)('decodes a stored row of format version %i', (version, row) => {
  const bytes = Buffer.from(row, 'base64');
  expect(bytes[4]).toBe(version);
  expect(decodeRow('a/sim-orders/7123456789012345', bytes)).toStrictEqual({
    id: 7_123_456_789_012_345n,
    legs: [{ symbol: 'HK.00700', side: 'buy', filledValue: 2n ** 63n, cashPerUnit: -5_123_000_000n }],
    remark: 'ü €',
    createdAt: 1_764_208_000_123,
    ratio: 0.1,
    response: new Uint8Array([0, 255]),
    extendedHours: false,
    trigger: undefined,
    keyId: null,
  });
});

it('encodes rows in the newest stored version', () => {
  expect(encodeRow('a', 1)[4]).toBe(stored.at(-1)?.[0]);
});

it.each([
  ['another key', 'b', (row: Buffer) => row],
  ['a byte changed', 'a', (row: Buffer) => row.fill(0, 7, 8)],
  ['an end cut off', 'a', (row: Buffer) => row.subarray(0, -1)],
  ['only three bytes left', 'a', (row: Buffer) => row.subarray(0, 3)],
])('reports a damaged row: %s', (_, key, damage) => {
  expect(() => decodeRow(key, damage(encodeRow('a', { qty: 5n, code: '00700' })))).toThrow(/the row "[ab]" is not what was written/);
});

it('reports a row of a format version that it does not know', () => {
  const row = encodeRow('a', 1);
  row[4] = 2;
  row.writeUInt32LE(crc32(row.subarray(4), crc32('a')));
  expect(() => decodeRow('a', row)).toThrow('the row "a" has format 2; this version of svcd reads format 1');
});
