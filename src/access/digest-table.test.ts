import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DigestTable, digestOf, NONE } from './digest-table.js';

const nameOf = (table: DigestTable, text: string) => (table.find(text) === NONE ? '' : table.foundName);
const tableOf = (digests: readonly string[]) =>
  new DigestTable(digests.map((digest, index) => ({ digest, name: `${index}`, numbers: [] })));

it('takes lower-case hex SHA-256 of the UTF-8 bytes', () => {
  expect(digestOf('svc_é')).toBe(createHash('sha256').update(Buffer.from('svc_é', 'utf8')).digest('hex'));
});

it('finds every text it holds and no other', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 300 }), fc.uniqueArray(fc.string(), { maxLength: 50 }), (held, others) => {
      const table = tableOf(held.map(digestOf));
      for (const text of [...held, ...others]) expect(nameOf(table, text)).toBe(held.includes(text) ? `${held.indexOf(text)}` : '');
    }),
  );
});

it('tells apart digests that differ in one bit anywhere', () => {
  const digest = Buffer.from(digestOf('key'), 'hex');
  for (let bit = 0; bit < 256; bit++) {
    const other = Buffer.from(digest);
    other[bit >> 3]! ^= 1 << (bit & 7);
    expect(tableOf([other.toString('hex')]).find('key')).toBe(NONE);
  }
  expect(tableOf([digest.toString('hex')]).find('key')).not.toBe(NONE);
});

it('holds digests that are alike in all but a few bits, wherever those are', () => {
  for (let at = 0; at < 64; at += 4) {
    const digests = Array.from({ length: 200 }, (_, index) => {
      const digits = '0'.repeat(64).split('');
      digits.splice(at, 4, ...index.toString(16).padStart(4, '0'));
      return digits.join('');
    });
    const table = tableOf([...digests, digestOf('key')]);
    expect(nameOf(table, 'key')).toBe('200');
    expect(table.find('other')).toBe(NONE);
  }
});

it('keeps the place and the numbers of each entry', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.double({ noNaN: true }), { maxLength: 3 }), { maxLength: 50 }), (rows) => {
      const table = new DigestTable(rows.map((numbers, row) => ({ digest: digestOf(`${row}`), name: 'row', numbers })));
      for (const [row, numbers] of rows.entries())
        expect([table.entry(table.find(`${row}`)), ...numbers.map((_, index) => table.number(table.find(`${row}`), index))]).toEqual([
          row,
          ...numbers,
        ]);
    }),
  );
  expect(() => new DigestTable([{ digest: digestOf('key'), name: 'key', numbers: [1, 2, 3, 4] }])).toThrow('room for 3');
});
