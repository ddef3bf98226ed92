import { formatDecimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { Rejection } from '@svc-gateway/contract/rejection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dearestStart } from './pricing.js';

const nothing = { auxPrice: 0, trailType: 0, trailValue: 0, trailSpread: 0 };
const d = (text: string) => parseDecimal(text) ?? 0n;

describe('the dearest price at which an order without a limit may begin to trade', () => {
  it.each([
    ['the book’s', nothing, '300', '300'],
    ['a trigger above the book', { ...nothing, auxPrice: 330.5 }, '300', '330.5'],
    ['the book’s above a trigger', { ...nothing, auxPrice: 250 }, '300', '300'],
    ['a trigger without a book', { ...nothing, auxPrice: 330 }, '0', '330'],
    ['a trailing amount above the book', { ...nothing, trailType: 2, trailValue: 40 }, '300', '340'],
    ['a trailing ratio above the book, in percent', { ...nothing, trailType: 1, trailValue: 12.5 }, '300', '337.5'],
    ['a trailing limit with its spread', { ...nothing, trailType: 2, trailValue: 40, trailSpread: 2 }, '300', '342'],
    ['nothing where nothing is known', { ...nothing, trailType: 2, trailValue: 40 }, '0', '0'],
  ])('is %s', (_, terms, book, expected) => {
    const start = dearestStart(terms, d(book));
    expect(start instanceof Rejection ? start.message : formatDecimal(start)).toBe(expected);
  });

  it('is refused where it is finer than can be reckoned with', () => {
    expect(dearestStart({ ...nothing, trailValue: 1e-10 }, d('300'))).toMatchObject({
      code: 'request.out_of_range',
      details: { field: 'trailValue' },
    });
  });

  it('is never below the book or the trigger', () => {
    const price = fc.integer({ min: -1000, max: 100_000 }).map((cents) => cents / 100);
    const terms = fc.record({ auxPrice: price, trailType: fc.constantFrom(0, 1, 2), trailValue: price, trailSpread: price });
    fc.assert(
      fc.property(terms, fc.bigInt(0n, 10n ** 14n), (given, book) => {
        const start = dearestStart(given, book);
        if (start instanceof Rejection) throw new Error(start.message);
        expect(start >= book && start >= d(String(given.auxPrice))).toBe(true);
      }),
    );
  });
});
