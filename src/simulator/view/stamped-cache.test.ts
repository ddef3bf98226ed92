import { describe, expect, it } from 'vitest';
import { nextTurn } from '../pace.js';
import { StampedCache } from './stamped-cache.js';

describe('a kept value', () => {
  it('is made once while its stamp is the same', () => {
    const kept = new StampedCache<{ readonly number: number }>(4);
    let made = 0;
    const make = () => ({ number: ++made });
    const first = kept.get('a', 1, make);
    expect(kept.get('a', 1, make)).toBe(first);
    expect(kept.get('a', 2, make)).toEqual({ number: 2 });
    expect(kept.get('b', 2, make)).toEqual({ number: 3 });
  });

  it('stands in for its successor where it may, which is made afterwards', async () => {
    const kept = new StampedCache<number>(4);
    const standsIn = (_: number, stamp: number | string) => stamp === 1;
    const made: (number | undefined)[] = [];
    const make = (next: number) => (before?: number) => {
      made.push(before);
      return next;
    };
    kept.get('a', 1, make(1), standsIn);
    expect(kept.get('a', 2, make(2), standsIn)).toBe(1);
    expect(kept.get('a', 2, make(2), standsIn)).toBe(1);
    await nextTurn();
    expect(kept.get('a', 2, make(3), standsIn)).toBe(2);
    expect(made).toEqual([undefined, 1]);
    expect(kept.get('a', 3, make(3), standsIn)).toBe(3);
  });

  it('is not served again after its replacement failed', async () => {
    const kept = new StampedCache<number>(4);
    const fail = () => {
      throw new Error('no');
    };
    kept.get('a', 1, () => 1);
    expect(kept.get('a', 2, fail, () => true)).toBe(1);
    await nextTurn();
    expect(() => kept.get('a', 2, fail, () => true)).toThrow('no');
  });

  it('is computed again after a failure', () => {
    const kept = new StampedCache<number>(4);
    const fail = () => {
      throw new Error('no');
    };
    expect(() => kept.get('a', 1, fail)).toThrow('no');
    expect(kept.get('a', 1, () => 1)).toBe(1);
  });

  it('is evicted oldest first', () => {
    const kept = new StampedCache<number>(2);
    for (const key of ['a', 'b', 'c']) kept.get(key, 1, () => 1);
    expect(kept.get('b', 1, () => 2)).toBe(1);
    expect(kept.get('a', 1, () => 2)).toBe(2);
  });
});
