import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WORD_MAX, Words } from './words.js';

it('are the texts that were written, also where two of them want the same place', () => {
  const words = new Words();
  const latin = fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code));
  const few = fc.constantFrom('a', 'b');
  const text = fc.oneof(fc.string({ unit: latin, maxLength: WORD_MAX }), fc.string({ unit: few, maxLength: WORD_MAX }));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), (texts) => {
      const bytes = Buffer.from(texts.join(''), 'latin1');
      let start = 0;
      for (const each of texts) {
        expect(words.text(bytes, start, each.length)).toBe(each);
        start += each.length;
      }
    }),
    { numRuns: 300 },
  );
});
