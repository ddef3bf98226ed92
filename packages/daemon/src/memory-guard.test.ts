import { ManualClock } from '@svc-gateway/contract/clock';
import { expect, test } from 'vitest';
import { MemoryGuard } from './memory-guard.js';

const MIB = 1024 * 1024;

/** A guard over a heap of 1,000 MiB, of which so many are in use. */
function guarded(garbage = 0) {
  const clock = new ManualClock(0);
  const heap = { used: 500 * MIB, limit: 1_000 * MIB };
  const done = { emptied: 0, collected: 0 };
  const guard = new MemoryGuard({
    clock,
    heap: () => heap,
    empty: () => {
      done.emptied += 1;
    },
    collect: () => {
      done.collected += 1;
      heap.used -= garbage * MIB;
    },
  });
  guard.start();
  const use = (used: number, limit = 1_000) => {
    Object.assign(heap, { used: used * MIB, limit: limit * MIB });
    clock.advance(50);
  };
  return { clock, guard, done, use };
}

test('reads are refused while the heap is nearly full, and caches are emptied before', () => {
  const { guard, done, use } = guarded();
  use(630);
  expect([guard.isShort(0), done]).toEqual([false, { emptied: 0, collected: 0 }]);
  use(700);
  expect([guard.isShort(0), done]).toEqual([false, { emptied: 1, collected: 0 }]);
  use(900);
  expect([guard.isShort(0), done]).toEqual([true, { emptied: 2, collected: 1 }]);
  use(840);
  expect(guard.isShort(0)).toBe(false);
  guard.stop();
});

test('garbage is collected before anything is refused, now and then', () => {
  const { clock, guard, done, use } = guarded(200);
  use(950);
  expect([guard.isShort(0), done.collected]).toEqual([false, 1]);
  use(950);
  expect([guard.isShort(0), done.collected]).toEqual([true, 1]);
  clock.advance(2_000);
  expect([guard.isShort(0), done.collected]).toEqual([false, 2]);
  guard.stop();
});

test('reads that are under way count with what they may come to need, and a small heap keeps a reserve', () => {
  const { guard, use } = guarded();
  use(740);
  expect([guard.isShort(0), guard.isShort(100)]).toEqual([false, true]);
  use(95, 176);
  expect([guard.isShort(0), guard.isShort(10)]).toEqual([false, true]);
  use(111, 176);
  expect(guard.isShort(0)).toBe(true);
  guard.stop();
});
