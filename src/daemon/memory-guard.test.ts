import { expect, test } from 'vitest';
import { ManualClock } from '../contract/clock.js';
import { MemoryGuard } from './memory-guard.js';

function guarded(garbage = 0) {
  const clock = new ManualClock(0);
  const heap = { used: 50, limit: 100 };
  const done = { emptied: 0, collected: 0 };
  const guard = new MemoryGuard({
    clock,
    heap: () => heap,
    empty: () => {
      done.emptied += 1;
    },
    collect: () => {
      done.collected += 1;
      heap.used -= garbage;
    },
  });
  guard.start();
  const use = (used: number) => {
    heap.used = used;
    clock.advance(50);
  };
  return { clock, guard, done, use };
}

test('reads are refused while the heap is nearly full, and caches are emptied before', () => {
  const { guard, done, use } = guarded();
  use(64);
  expect([guard.isShort, done]).toEqual([false, { emptied: 0, collected: 0 }]);
  use(70);
  expect([guard.isShort, done]).toEqual([false, { emptied: 1, collected: 0 }]);
  use(90);
  expect([guard.isShort, done]).toEqual([true, { emptied: 1, collected: 1 }]);
  use(84);
  expect(guard.isShort).toBe(false);
  guard.stop();
});

test('garbage is collected before anything is refused, now and then', () => {
  const { clock, guard, done, use } = guarded(20);
  use(95);
  expect([guard.isShort, done.collected]).toEqual([false, 1]);
  use(95);
  expect([guard.isShort, done.collected]).toEqual([true, 1]);
  clock.advance(2_000);
  expect([guard.isShort, done.collected]).toEqual([false, 2]);
  guard.stop();
});
