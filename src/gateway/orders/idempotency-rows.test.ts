import { expect, it } from 'vitest';
import { SteadyTime } from '../../access/index.js';
import { ManualClock } from '../../contract/clock.js';
import { MemoryStore, type Transaction } from '../../storage/index.js';
import { IdempotencyRows } from './idempotency-rows.js';

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
  const first = rows.begin('desk', 'first', write);
  await rows.enter('desk', 'first', { ...first, request });
  await rows.answer('desk', 'first', first, new Uint8Array(2));
  const second = rows.begin('desk', 'second', write);
  await rows.enter('desk', 'second', { ...second, request });
  await rows.refuse('desk', 'second', second, new Uint8Array(3));
  expect(store.whens).toEqual(['now', 'soon', 'now', 'now']);
  expect(rows.get('desk', 'first')).toMatchObject({ response: new Uint8Array(2) });
  rows.stop();
  time.stop();
});

it('counts a write once, whether or not it was entered before its answer was kept', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20));
  const store = new NotingStore();
  const time = new SteadyTime({ store, clock });
  const rows = new IdempotencyRows(store, time, { perOwner: 2, inAll: 10, refused: 10 }, (ms, action) => clock.after(ms, action));
  const write = { operation: 'place_order', digest: 'digest', packet: { connId: 0n, serialNo: 0 } };
  const entered = rows.begin('desk', 'entered', write);
  await rows.enter('desk', 'entered', { ...entered, request: new Uint8Array(1) });
  await store.write((change) => rows.putAnswer('desk', 'entered', entered, new Uint8Array(2), change, true));
  expect([rows.count, rows.hasRoom('desk')]).toEqual([1, true]);
  const answered = rows.begin('desk', 'answered', write);
  await store.write((change) => rows.putAnswer('desk', 'answered', answered, new Uint8Array(3), change, false));
  expect([rows.count, rows.hasRoom('desk')]).toEqual([2, false]);
  expect(rows.get('desk', 'entered')).toEqual({ ...write, at: entered.at, response: new Uint8Array(2) });
  expect(rows.get('desk', 'answered')).toEqual({ ...write, at: answered.at, response: new Uint8Array(3) });
  rows.stop();
  time.stop();
});
