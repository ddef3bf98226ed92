import { readFileSync } from 'node:fs';
import { OrderStatus as PublicStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { describe, expect, it } from 'vitest';
import { isChangeable, isLegalMove, isOpen, moved, statusInWords } from './order-status.js';
import { type OrderStatus, orderStatuses } from './terms.js';

const all: readonly OrderStatus[] = [-1, 0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 21, 22, 23, 24].map(
  (number) => orderStatuses.wordOf(number)!,
);

/** The table of docs/trading.md: "| Submitted (5) | Filled_Part, … |", as "5 > 10". */
function documented(): string[] {
  const page = readFileSync(new URL('../../../../docs/trading.md', import.meta.url), 'utf8');
  const numbers = PublicStatus as unknown as Record<string, number>;
  const numberOf = (name: string) => numbers[`OrderStatus_${name}`];
  return [...page.matchAll(/^\| ((?:[A-Z]\w+ \(-?\d+\)(?:, )?)+) \| (.+) \|$/gm)].flatMap(([, from = '', to = '']) =>
    from.split(', ').flatMap((cell) => {
      const [, name = '', number = ''] = /^(\w+) \((-?\d+)\)$/.exec(cell) ?? [];
      expect(numberOf(name)).toBe(Number(number));
      return to === 'none' ? [] : to.split(', ').map((name) => `${number} > ${numberOf(name)}`);
    }),
  );
}

describe('order statuses', () => {
  it('are every public one, and move as the documentation says', () => {
    const isNumber = (value: unknown): value is number => typeof value === 'number';
    expect(all.map((status) => orderStatuses.numberOf(status))).toEqual(
      Object.values(PublicStatus)
        .filter(isNumber)
        .sort((a, b) => a - b),
    );
    const legal = all.flatMap((from) =>
      all.filter((to) => isLegalMove(from, to)).map((to) => `${orderStatuses.numberOf(from)} > ${orderStatuses.numberOf(to)}`),
    );
    expect(documented().sort()).toEqual(legal.sort());
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
