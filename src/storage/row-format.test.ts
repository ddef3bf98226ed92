import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowFormat } from './row-format.js';

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

it('gives every value back as it was, also in a process that knows the shapes from the disk alone', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(value, { minLength: 1, maxLength: 5 }), (key, values) => {
      const [first, second] = [new RowFormat(), new RowFormat()];
      const rows = values.map((one) => first.encode(key, one));
      for (const { names } of first.shapes.takeNew()) second.shapes.restore(names);
      for (const [index, row] of rows.entries()) {
        expect(first.decode(key, row)).toStrictEqual(values[index]);
        expect(second.decode(key, row)).toStrictEqual(values[index]);
      }
    }),
  );
});

it('keeps what has no names: maps, dates, and objects whose keys are data', () => {
  const format = new RowFormat();
  const prototypes = JSON.parse('[{"__proto__":{"a":1},"b":2},{"__proto__":1},{"inner":{"__proto__":null}}]');
  for (const one of [new Map([['a', 1n]]), new Date(5), { inner: [new Set(['x'])] }, ...prototypes]) {
    expect(format.decode('key', format.encode('key', one))).toStrictEqual(one);
  }
  for (let index = 0; index < 3_000; index++) {
    const one = { [`symbol-${index}`]: index };
    expect(format.decode('key', format.encode('key', one))).toEqual(one);
  }
  expect(format.shapes.takeNew().length).toBeLessThanOrEqual(1_000);
});

it.each([
  ['another key', 'b', (row: Buffer) => row],
  ['a byte changed', 'a', (row: Buffer) => row.fill(0, 7, 8)],
  ['an end cut off', 'a', (row: Buffer) => row.subarray(0, -1)],
  ['next to nothing left', 'a', (row: Buffer) => row.subarray(0, 3)],
])('tells that a row is damaged: %s', (_, key, damage) => {
  const format = new RowFormat();
  expect(() => format.decode(key, damage(format.encode('a', { qty: 5n, code: '00700' })))).toThrow(
    /the row "[ab]" is not what was written/,
  );
});

it('tells that a row is damaged whose shape the database does not have', () => {
  const row = new RowFormat().encode('a', { qty: 5n });
  expect(() => new RowFormat().decode('a', row)).toThrow(/the row "a" is not what was written/);
});
