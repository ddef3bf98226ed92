import type { Message } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { frequencyBudget, frequencyLimitOf } from './published-limits.js';

const request = (fields: object) => fields as unknown as Message;
const budgetOf = (protoId: number, c2s: object) => {
  const limit = frequencyLimitOf(protoId);
  return limit === undefined ? undefined : frequencyBudget(limit, protoId, request(c2s));
};

describe('published frequency limits', () => {
  it.each([
    [2202, 15, 20],
    [2205, 20, 40],
    [2201, 10, undefined],
    [2111, 10, undefined],
    [3103, 60, undefined],
    [3202, 10, undefined],
    [3203, 60, undefined],
    [3209, 10, undefined],
    [3219, 30, undefined],
    [3223, 10, undefined],
    [3401, 60, undefined],
  ])('allow %i so many calls in 30 seconds: %i, with %s ms between them', (protoId, calls, spacingMs) => {
    expect(frequencyLimitOf(protoId)).toMatchObject({ calls });
    expect(frequencyLimitOf(protoId)?.spacingMs).toBe(spacingMs);
  });

  it('share one budget per account between single and combination orders', () => {
    const [first, second] = [{ header: { accID: 1n } }, { header: { accID: 2n } }];
    expect(budgetOf(2202, first)).toBe(budgetOf(2227, first));
    expect(budgetOf(2202, first)).not.toBe(budgetOf(2202, second));
    expect(budgetOf(3203, first)).toBe(budgetOf(3203, second));
    expect(budgetOf(3001, first)).toBeUndefined();
  });

  it('count account reads that refresh and the first page of long lists', () => {
    const counts = (protoId: number, c2s: object) => frequencyLimitOf(protoId)?.counts?.(request(c2s));
    expect(counts(2201, { refreshCache: true })).toBe(true);
    expect(counts(2201, { refreshCache: false })).toBe(false);
    expect(counts(3103, { nextReqKey: new Uint8Array() })).toBe(true);
    expect(counts(3103, { nextReqKey: new Uint8Array(1) })).toBe(false);
    expect(counts(3401, { page: 2 })).toBe(false);
  });
});
