import { describe, expect, it } from 'vitest';
import { isChangeable, isLegalMove, isOpen, moved, statusInWords } from './order-status.js';
import { type OrderStatus, orderStatuses } from './terms.js';

const all: readonly OrderStatus[] = [0, 1, 2, 5, 10, 11, 12, 13, 14, 15, 21, 22, 23].map((number) => orderStatuses.wordOf(number)!);

describe('order statuses', () => {
  it('have these moves and no others', () => {
    const legal = all.flatMap((from) => all.filter((to) => isLegalMove(from, to)).map((to) => `${from} > ${to}`));
    expect(legal).toMatchSnapshot();
  });

  it('end where nothing more can happen', () => {
    const ends = all.filter((from) => !all.some((to) => isLegalMove(from, to)));
    expect(ends).toEqual(['filled_all', 'cancelled_part', 'deleted']);
  });

  it('never leave an order that is over, except to delete it or to enable it', () => {
    for (const from of all.filter((status) => !isOpen(status))) {
      for (const to of all.filter((status) => isLegalMove(from, status))) {
        expect(['deleted', 'waiting_submit', 'submitting']).toContain(to);
        if (to !== 'deleted') expect(from).toBe('disabled');
      }
    }
  });

  it('are told in words', () => {
    const words = all.map(statusInWords);
    expect(new Set(words).size).toBe(all.length);
    for (const word of words) expect(word).toMatch(/^(is|was|has) [a-z ]+$/);
    expect(statusInWords('cancelling_all')).toBe('is being cancelled');
  });

  it('can be changed only while the order is open', () => {
    for (const status of all) if (isChangeable(status)) expect(isOpen(status)).toBe(true);
  });

  it('make an illegal move a defect', () => {
    expect(moved('submitted', 'filled_part')).toBe('filled_part');
    expect(() => moved('filled_all', 'submitted')).toThrow('cannot go from filled_all to submitted');
  });
});
