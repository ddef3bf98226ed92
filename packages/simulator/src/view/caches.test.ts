import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { type CacheKind, Caches } from './caches.js';

const kind: CacheKind<number> = { max: 2 };

describe('a cached value', () => {
  it('is made once while its stamp is the same', () => {
    const caches = new Caches(new ManualClock(0));
    let made = 0;
    const make = () => ++made;
    expect(caches.get(kind, 'a', 1, make)).toBe(1);
    expect(caches.get(kind, 'a', 1, make)).toBe(1);
    expect(caches.get(kind, 'a', 2, make)).toBe(2);
    expect(caches.get(kind, 'b', 2, make)).toBe(3);
    expect(caches.get({ max: 2 }, 'a', 2, make)).toBe(4);
  });

  it('that could not be made is made again', () => {
    const caches = new Caches(new ManualClock(0));
    const fail = () => {
      throw new Error('no');
    };
    expect(() => caches.get(kind, 'a', 1, fail)).toThrow('no');
    expect(caches.get(kind, 'a', 1, () => 1)).toBe(1);
  });

  it('makes room for another: the one that was made first goes', () => {
    const caches = new Caches(new ManualClock(0));
    for (const key of ['a', 'b', 'c']) caches.get(kind, key, 1, () => 1);
    expect(caches.get(kind, 'b', 1, () => 2)).toBe(1);
    expect(caches.get(kind, 'a', 1, () => 2)).toBe(2);
  });

  it('of a minute is made again in the next one', () => {
    const clock = new ManualClock(59_000);
    const caches = new Caches(clock);
    expect(caches.ofMinute(kind, 'a', () => 1)).toBe(1);
    clock.advance(999);
    expect(caches.ofMinute(kind, 'a', () => 2)).toBe(1);
    clock.advance(1);
    expect(caches.ofMinute(kind, 'a', () => 2)).toBe(2);
  });
});
