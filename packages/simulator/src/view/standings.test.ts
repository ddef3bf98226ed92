import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder, pageOf } from './standings.js';

interface Row {
  readonly name: number;
  readonly figure: number | undefined;
}

// Few values, so that many are equal.
const rows = fc
  .array(fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }), { maxLength: 60 })
  .map((figures) => figures.map((figure, name): Row => ({ name, figure })));
const by = ({ figure }: Row) => figure;

it('rows stand in order, those without the figure last, equal ones as they came', () => {
  fc.assert(
    fc.property(rows, fc.boolean(), (all, ascending) => {
      const sign = ascending ? 1 : -1;
      const expected = [...all].sort((a, b) => {
        if (a.figure === undefined || b.figure === undefined) return Number(a.figure === undefined) - Number(b.figure === undefined);
        return sign * (a.figure - b.figure);
      });
      expect(inOrder(all, by, ascending)).toEqual(expected);
    }),
  );
});

it('a page is the part of them that it asks for', () => {
  fc.assert(
    fc.property(rows, fc.boolean(), fc.nat(70), fc.integer({ min: 1, max: 70 }), (all, ascending, offset, count) => {
      const page = pageOf(all, { by, ascending, offset, count });
      expect(page).toEqual(inOrder(all, by, ascending).slice(offset, offset + count));
    }),
  );
});
