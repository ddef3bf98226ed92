import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyOfId } from '../row-keys.js';
import { IdSequence, idOfText, textOfId } from './ids.js';

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

it('the text of a number is its digits, and carries it; nothing else reads as one', () => {
  fc.assert(
    fc.property(
      id.filter((value) => value > 0n),
      (value) => /^\d+$/.test(textOfId(value)) && idOfText(textOfId(value)) === value,
    ),
  );
  for (const text of ['', '0', '020261120', '-1', '1.0', '20261120-06HX2K0000000']) expect(idOfText(text)).toBeUndefined();
});

it('keys sort as numbers do', () => {
  fc.assert(fc.property(id, id, (a, b) => keyOfId(a) < keyOfId(b) === a < b));
});
