import { describe, expect, it } from 'vitest';
import { collected, Fixture, ids, type PlaceInit } from '../../../../test/support/brokerage.js';
import { CrashingStore } from '../../../../test/support/crashing-store.js';
import { nextTurn } from '../pace.js';
import { keyOfId } from '../row-keys.js';
import { isOpen } from './order-status.js';
import { tablesOf } from './tables.js';

const buy: PlaceInit = { code: '00700', trdSide: 1, qty: 100, price: 500, timeInForce: 1 };

function openIds(f: Fixture): bigint[] {
  return [...f.brokerage.records.openOrders(f.account(ids.hkCash))].map(({ id }) => id);
}

async function place(f: Fixture, count: number): Promise<bigint[]> {
  const placed: bigint[] = [];
  for (let order = 0; order < count; order++) placed.push(await f.place(ids.hkCash, buy));
  await f.pass();
  return placed;
}

describe('the orders that a restart has to know', () => {
  it('are listed until they end', async () => {
    const f = Fixture.open();
    const placed = await place(f, 100);
    const listed = () => Array.from(tablesOf(f.store).liveOrders.entries(), ([key]) => BigInt(key));
    expect(listed()).toEqual(placed);
    const left = [placed[3], placed[40], placed[99]];
    for (const id of placed) if (!left.includes(id)) await f.cancel(ids.hkCash, id);
    // Confirmed in several turns.
    while (openIds(f).length > left.length) await f.pass().then(nextTurn);
    expect(listed()).toEqual(left);
    expect(openIds(f.restarted())).toEqual(left);
  });

  it('are read from the blocks of an earlier version, which named some that are over', async () => {
    const f = Fixture.open();
    const [first = 0n, over = 0n, last = 0n] = await place(f, 3);
    await f.cancel(ids.hkCash, over);
    await f.pass(60);
    const { liveOrders, liveBlocks, ordersByTime } = tablesOf(f.store);
    // They were listed by time once they were over.
    const times = (await collected(ordersByTime.entries())).filter(([, id]) => id !== over);
    await f.store.write((change) => {
      change.remove(liveOrders, keyOfId(first));
      change.remove(liveOrders, keyOfId(last));
      for (const [key] of times) change.remove(ordersByTime, key);
      change.put(liveBlocks, '000000000000', [over, last]);
      change.put(liveBlocks, '000000000001', [first]);
    });
    const after = f.restarted();
    expect(openIds(after)).toEqual([first, last]);
    await after.pass();
    expect([...liveBlocks.entries()]).toEqual([]);
    expect(openIds(after.restarted())).toEqual([first, last]);
    expect((await collected(ordersByTime.entries())).map(([, id]) => id)).toEqual([first, over, last]);
  });

  it('are those whose records say so, wherever between two changes a crash comes', async () => {
    for (let reached = 0; reached < 12; reached++) {
      const store = new CrashingStore();
      const f = Fixture.open({ store });
      const placed = await place(f, 40);
      store.hold();
      // Nobody waits for what a crash takes away.
      void f.cancel(ids.hkCash, placed[0] ?? 0n);
      void f.tryPlace(ids.hkCash, buy);
      f.clock.advance(1_000);
      void f.tryPlace(ids.hkCash, buy);
      for (const id of placed.slice(1, 36)) void f.cancel(ids.hkCash, id);
      await Promise.resolve();
      f.clock.advance(1_000);
      await store.flush(reached * 4);
      const after = f.restarted(0, store.crashed());
      const recorded = (await collected(tablesOf(store).orders.entries())).map(([, order]) => order);
      const live = recorded.filter(({ status }) => isOpen(status)).map(({ id }) => id);
      expect(openIds(after), `after ${reached * 4} changes`).toEqual(live.sort((a, b) => (a < b ? -1 : 1)));
    }
  });
});
