import { describe, expect, it } from 'vitest';
import { collected, Fixture, ids, type PlaceInit } from '../../../../test/support/brokerage.js';
import { CrashingStore } from '../../../../test/support/crashing-store.js';
import { nextTurn } from '../pace.js';
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
  it('share rows, which shrink as they end', async () => {
    const f = Fixture.open();
    const placed = await place(f, 100);
    const rows = () => [...tablesOf(f.store).liveOrders.entries()];
    expect(rows().map(([, named]) => named.length)).toEqual([32, 32, 32, 4]);
    const left = [placed[3], placed[40], placed[99]];
    for (const id of placed) if (!left.includes(id)) await f.cancel(ids.hkCash, id);
    // Confirmed in several turns.
    while (openIds(f).length > left.length) await f.pass().then(nextTurn);
    // Removed orders are written with the next change.
    await place(f, 1);
    expect(rows().flatMap(([, named]) => named).length).toBeLessThan(12);
    expect(rows().map(([, named]) => named.length)).not.toContain(0);
    const after = f.restarted();
    expect(openIds(after)).toEqual(openIds(f));
    expect(openIds(after).slice(0, 3)).toEqual(left);
    // Rows of the process before shrink as well.
    for (const id of openIds(after)) await after.cancel(ids.hkCash, id);
    while (openIds(after).length > 0) await after.pass().then(nextTurn);
    await place(after, 1);
    expect(rows()).toHaveLength(1);
    expect(openIds(after.restarted())).toEqual(openIds(after));
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
