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
  const first = rows.enter('desk', 'first', write);
  await first.durable;
  await rows.answer('desk', 'first', first.row, new Uint8Array(2));
  const second = rows.enter('desk', 'second', write);
  await second.durable;
  await rows.refuse('desk', 'second', second.row, new Uint8Array(3));
  expect(store.whens).toEqual(['now', 'soon', 'now', 'now']);
  expect(rows.get('desk', 'first')).toMatchObject({ response: new Uint8Array(2) });
  rows.stop();
  time.stop();
});
