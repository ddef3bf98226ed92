import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyOfId } from '../row-keys.js';
import { IdSequence, idOfReadable, readableId } from './ids.js';

const id = fc.bigInt(0n, 2n ** 64n - 1n);

it('numbers rise whatever the clock does', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 62n), fc.array(fc.integer({ min: 0, max: 4e12 })), (last, times) => {
      const sequence = new IdSequence(last);
      let before = last;
      for (const time of times) {
        const next = sequence.next(time);
        expect(next > before).toBe(true);
        before = next;
      }
    }),
  );
});

it('the readable form carries the number, and nothing else reads as one', () => {
  fc.assert(fc.property(id, (value) => idOfReadable(readableId('2026-11-20', value)) === value));
  for (const text of ['', '20261120', '20261120-06HX2K000000I', '20261120-06hx2k0000000', '2026112-06HX2K0000000'])
    expect(idOfReadable(text)).toBeUndefined();
});

it('keys sort as numbers do', () => {
  fc.assert(fc.property(id, id, (a, b) => keyOfId(a) < keyOfId(b) === a < b));
});
