import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listed, quoted, shown, shownMessage } from './shown.js';

const texts = fc.string({ unit: 'binary', maxLength: 600 });

describe('a text of somebody else', () => {
  it('is whole up to 200 characters, and beyond them cut between two', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const characters = [...text];
        const cut = `${characters.slice(0, 200).join('')}… (${characters.length} characters)`;
        expect(shown(text)).toBe(characters.length <= 200 ? text : cut);
        expect(JSON.parse(quoted(text))).toBe(shown(text));
      }),
    );
  });

  it('never ends in half of a pair', () => {
    expect(shown('𝕏'.repeat(201))).toBe(`${'𝕏'.repeat(200)}… (201 characters)`);
    expect(shown('𝕏'.repeat(200))).toBe('𝕏'.repeat(200));
    expect(shown(`${'x'.repeat(199)}\ud835${'x'.repeat(10)}`)).toBe(`${'x'.repeat(199)}\ufffd… (210 characters)`);
  });

  it('is bounded in a message too, and so is a list of them', () => {
    expect(shownMessage('x'.repeat(1_000_000))).toBe(`${'x'.repeat(4_000)}… (1000000 characters)`);
    expect(listed(['a', 'b'])).toBe('a, b');
    expect(
      listed(
        Array.from({ length: 10_000 }, (_, index) => `n${index}`),
        2,
      ),
    ).toBe('n0, n1 and 9998 more');
  });
});
