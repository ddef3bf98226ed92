import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DigestTable, digestOf } from './digest-table.js';

it('takes lower-case hex SHA-256 of the UTF-8 bytes', () => {
  expect(digestOf('svc_é')).toBe(createHash('sha256').update(Buffer.from('svc_é', 'utf8')).digest('hex'));
});

it('finds every text it holds and no other', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 300 }), fc.uniqueArray(fc.string(), { maxLength: 50 }), (held, others) => {
      const table = new DigestTable(held.map((text) => [digestOf(text), text]));
      for (const text of held) expect(table.find(text)).toBe(text);
      for (const text of others) expect(table.find(text)).toBe(held.includes(text) ? text : undefined);
    }),
  );
});

it('tells apart digests that differ in one bit anywhere', () => {
  const digest = Buffer.from(digestOf('key'), 'hex');
  for (let bit = 0; bit < 256; bit++) {
    const other = Buffer.from(digest);
    other[bit >> 3]! ^= 1 << (bit & 7);
    expect(new DigestTable([[other.toString('hex'), 'other']]).find('key')).toBeUndefined();
  }
  expect(new DigestTable([[digest.toString('hex'), 'same']]).find('key')).toBe('same');
});
