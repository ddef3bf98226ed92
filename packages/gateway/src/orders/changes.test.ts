import { ManualClock } from '@svc-gateway/contract/clock';
import { expect, it } from 'vitest';
import { ConcurrentChanges } from './changes.js';

const order = { orderID: 7n, orderIDEx: 'seven' };

it('rotates turns among callers, however many changes one of them has', async () => {
  const changes = new ConcurrentChanges(new ManualClock(0));
  const served: string[] = [];
  const first = changes.enter(1n, order, changes.now, 'flood');
  expect(first.ready).toBeUndefined();
  const wait = async (caller: string, name: typeof order) => {
    const turn = changes.enter(1n, name, changes.now, caller);
    await turn.ready;
    served.push(caller);
    turn.end();
  };
  const waiting = [...Array(5).fill('flood'), 'owner', 'third'].map((caller) => wait(caller, { ...order, orderIDEx: '' }));
  first.end();
  await Promise.all(waiting);
  expect(served).toEqual(['flood', 'owner', 'third', 'flood', 'flood', 'flood', 'flood']);
});

it('has an order looked at again where a change ended since, under either of its names', () => {
  const changes = new ConcurrentChanges(new ManualClock(0));
  const since = changes.now;
  changes.enter(1n, order, since, 'one').end();
  expect(changes.enter(1n, { orderID: 0n, orderIDEx: 'seven' }, since, 'two').ready).toBeDefined();
  expect(changes.enter(2n, order, since, 'two').ready).toBeUndefined();
  expect(changes.enter(1n, { orderID: 8n, orderIDEx: '' }, since, 'two').ready).toBeUndefined();
});

it('forgets changes that ended long ago, and requires a fresh look at the order', () => {
  const changes = new ConcurrentChanges(new ManualClock(0));
  const since = changes.now;
  for (let id = 1n; id <= 2_000n; id++) changes.enter(1n, { orderID: id, orderIDEx: '' }, changes.now, 'one').end();
  expect(changes.enter(1n, { orderID: 1n, orderIDEx: '' }, since, 'two').ready).toBeDefined();
  expect(changes.enter(1n, { orderID: 2n, orderIDEx: '' }, changes.now, 'two').ready).toBeUndefined();
});

it('refuses waiters after five seconds without an answer to the change ahead, and resumes after the answer', async () => {
  const clock = new ManualClock(0);
  const changes = new ConcurrentChanges(clock);
  const swallowed = changes.enter(1n, order, changes.now, 'one');
  const waiting = ['two', 'three'].map((caller) => changes.enter(1n, order, changes.now, caller));
  clock.advance(5_000);
  expect(await Promise.all(waiting.map(({ ready }) => ready))).toEqual([false, false]);
  for (const turn of waiting) turn.end();
  const late = changes.enter(1n, order, changes.now, 'two');
  expect(await late.ready).toBe(false);
  late.end();
  expect(changes.enter(2n, order, changes.now, 'two').ready).toBeUndefined();
  swallowed.end();
  const next = changes.enter(1n, order, changes.now, 'two');
  expect(next.ready).toBeUndefined();
  const second = changes.enter(1n, order, changes.now, 'three');
  clock.advance(4_000);
  next.end();
  expect(await second.ready).toBe(true);
});
