import { SteadyTime } from '@svc-gateway/access';
import { ManualClock } from '@svc-gateway/contract/clock';
import { MemoryStore, type Transaction } from '@svc-gateway/storage';
import { expect, it, vi } from 'vitest';
import { IdempotencyRows, KeyName } from './rows.js';

/** Notes which writes somebody waits for. */
class NotingStore extends MemoryStore {
  readonly whens: string[] = [];

  override write(change: (transaction: Transaction) => void, when: 'now' | 'soon' = 'now'): Promise<void> {
    this.whens.push(when);
    return super.write(change);
  }
}

it('asks for no flush of its own for the answer to a write that was carried out, and for one for every other row', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20));
  const store = new NotingStore();
  const time = new SteadyTime({ store, clock });
  const rows = new IdempotencyRows(store, time, { perOwner: 10, inAll: 10, refused: 10 }, (ms, action) => clock.after(ms, action));
  const write = { operation: 'place_order', digest: 'digest', packet: { connId: 1n, serialNo: 1 }, request: new Uint8Array(1) };
  store.whens.length = 0;
  const { request } = write;
  const first = rows.begin(new KeyName('desk', 'first'), write);
  await rows.enter(new KeyName('desk', 'first'), { ...first, request });
  await rows.answer(new KeyName('desk', 'first'), first, new Uint8Array(2));
  const second = rows.begin(new KeyName('desk', 'second'), write);
  await rows.enter(new KeyName('desk', 'second'), { ...second, request });
  await rows.refuse(new KeyName('desk', 'second'), second, new Uint8Array(3));
  expect(store.whens).toEqual(['now', 'soon', 'now', 'now']);
  expect(rows.get(new KeyName('desk', 'first'))).toMatchObject({ response: new Uint8Array(2) });
  rows.stop();
  time.stop();
});

it('counts a write once, and forgets its request when its answer is there', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20));
  const store = new NotingStore();
  const time = new SteadyTime({ store, clock });
  const rows = new IdempotencyRows(store, time, { perOwner: 1, inAll: 10, refused: 10 }, (ms, action) => clock.after(ms, action));
  const write = { operation: 'place_order', digest: 'digest', packet: { connId: 1n, serialNo: 1 } };
  const name = new KeyName('desk', 'one');
  const begun = rows.begin(name, write);
  await rows.enter(name, { ...begun, request: new Uint8Array(1) });
  expect([rows.count, rows.hasRoom('desk')]).toEqual([1, false]);
  await rows.answer(name, { ...begun, request: new Uint8Array(1) }, new Uint8Array(2));
  expect([rows.count, rows.hasRoom('desk')]).toEqual([1, false]);
  expect(rows.get(name)).toEqual({ ...write, at: begun.at, response: new Uint8Array(2) });
  rows.stop();
  time.stop();
});

it('forgets expired writes, and counts each write once', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20));
  const store = new MemoryStore();
  const time = new SteadyTime({ store, clock });
  const old = { operation: 'place_order', digest: 'digest', packet: { connId: 0n, serialNo: 0 }, at: Math.floor(time.elapsed()) };
  await store.write((change) => {
    change.put(store.archive('idempotency_rows'), 'desk\nold', { ...old, response: new Uint8Array(1) });
    change.put(store.archive('idempotency_ages'), `${String(old.at).padStart(16, '0')}\ndesk\nold`, 'desk\nold');
    change.put(store.table('idempotency_counts'), 'desk', 1);
  });
  const bounds = { perOwner: 1_000, inAll: 1_000, refused: 10 };
  const rows = new IdempotencyRows(store, time, bounds, (ms, action) => clock.after(ms, action));
  const names = Array.from({ length: 100 }, (_, index) => new KeyName('desk', `key-${index}`));
  for (const name of names) {
    const begun = rows.begin(name, old);
    await rows.enter(name, { ...begun, request: new Uint8Array(1) });
    if (name === names[0]) await rows.refuse(name, begun, new Uint8Array(2));
    if (name === names[1]) await rows.withdraw(name, begun);
    rows.leave(name);
  }
  expect(rows.count).toBe(99);
  const kept = async (archive: string) => {
    const keys: string[] = [];
    for await (const [key] of store.archive(archive).entries()) keys.push(key);
    return keys;
  };
  expect((await kept('idempotency_ages')).length).toBe(99);
  clock.sleep(24 * 3_600_000);
  clock.advance(10 * 60_000);
  // The refused one stays in its ring.
  await vi.waitFor(async () => expect(await kept('idempotency_rows')).toEqual(['desk\nkey-0']));
  expect(await kept('idempotency_ages')).toEqual([]);
  expect(rows.count).toBe(0);
  rows.stop();
  time.stop();
});
