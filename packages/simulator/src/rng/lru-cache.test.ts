import { expect, it, onTestFinished } from 'vitest';
import { forgetAll, LruCache, whileComputing } from './lru-cache.js';

it('long work that computes many values is told now and then, and may have all of them forgotten', () => {
  onTestFinished(() => whileComputing(() => {}));
  const squares = new LruCache<number, number>(1_000_000);
  whileComputing(() => forgetAll());
  for (let number = 0; number < 1_000; number++) expect(squares.get(number, () => number ** 2)).toBe(number ** 2);
  expect(squares.peek(0)).toBeUndefined();
  expect(squares.peek(999)).toBe(998_001);
});

it('values that are remembered are not computed again', () => {
  const squares = new LruCache<number, number>(10);
  const first = squares.get(3, () => 9);
  expect(squares.get(3, () => expect.unreachable())).toBe(first);
});
