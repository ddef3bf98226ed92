import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { collected, dec, Fixture, ids, type PlaceInit } from '../../../../test/support/brokerage.js';
import { openedStore } from '../../../../test/support/store.js';

const HK = 'HK.00700';
const buy: PlaceInit = { code: '00700', trdSide: 1, qty: 300, price: 600 };

const cleanUp: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const action of cleanUp.splice(0).reverse()) await action();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-brokerage-'));
  cleanUp.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function open(path: string): Promise<Store> {
  const store = await openedStore(path);
  cleanUp.push(() => store.close());
  return store;
}

/** Opens a copy of the state that a kill would leave: only flushed writes. The database itself stays open, and so locked. */
async function afterKill(path: string): Promise<Store> {
  const left = folder();
  cpSync(path, left, { recursive: true });
  return open(left);
}

describe('after a kill and a restart', () => {
  it('has every acknowledged order, fill, balance and position', async () => {
    const path = folder();
    const before = Fixture.open({ store: await open(path) });
    before.book(HK, [], [['600', 100n]]);
    const filled = await before.place(ids.hkCash, { ...buy, qty: 100, remark: 'first' });
    await before.pass();
    const working = await before.place(ids.hkCash, buy);
    await before.pass();
    const after = before.restarted(1_000, await afterKill(path));
    expect(after.order(filled)).toEqual(before.order(filled));
    expect(after.order(working)).toEqual(before.order(working));
    const account = after.account(ids.hkCash);
    for (const look of [
      (f: Fixture) => f.brokerage.records.ledger.cash(account, 'HKD'),
      (f: Fixture) => f.brokerage.records.ledger.frozen(account, 'HKD'),
      (f: Fixture) => f.brokerage.records.ledger.position(ids.hkCash, HK),
      (f: Fixture) => collected(f.brokerage.records.recentFills(account, f.clock.now())),
      (f: Fixture) => f.brokerage.records.currentOrders(account, f.clock.now(), () => true),
    ]) {
      expect(await look(after)).toEqual(await look(before));
    }
    expect(after.brokerage.records.ledger.frozen(account, 'HKD') > 0n).toBe(true);
  });

  it('lists every order of a time in the order of creation, working or over, on disk or under way', async () => {
    const path = folder();
    const store = await open(path);
    const before = Fixture.open({ store });
    const placed: bigint[] = [];
    for (let order = 0; order < 9; order++) {
      placed.push(await before.place(ids.hkCash, { ...buy, qty: 100, price: 500 }));
      before.clock.advance(1);
    }
    await before.pass();
    for (const order of [1, 4, 8]) await before.cancel(ids.hkCash, placed[order] ?? 0n);
    await before.pass();
    const listed = async (f: Fixture, from = 0, to = Number.MAX_SAFE_INTEGER) =>
      (await collected(f.brokerage.records.ordersBetween(ids.hkCash, from, to))).map((order) => order.id);
    expect(await listed(before)).toEqual(placed);
    const [from, to] = [before.order(placed[3] ?? 0n).createdAt, before.order(placed[6] ?? 0n).createdAt];
    expect(await listed(before, from, to)).toEqual(placed.slice(3, 6));
    const after = before.restarted(1_000, await afterKill(path));
    expect(await listed(after)).toEqual(placed);
    // On their way to the end while they are listed: in one place or the other.
    const orders = after.brokerage.records.ordersBetween(ids.hkCash, 0, Number.MAX_SAFE_INTEGER)[Symbol.asyncIterator]();
    const found = [(await orders.next()).value?.id];
    for (const order of [0, 2, 3]) await after.cancel(ids.hkCash, placed[order] ?? 0n);
    await after.pass();
    for (let next = await orders.next(); !next.done; next = await orders.next()) found.push(next.value.id);
    expect(found).toEqual(placed);
  });

  it('goes on with working orders where they were, in their order', async () => {
    const path = folder();
    const before = Fixture.open({ store: await open(path) });
    const first = await before.place(ids.hkCash, buy);
    const second = await before.place(ids.hkMargin, buy);
    await before.pass();
    before.trade(HK, '600', 100n, -1);
    await before.pass();
    expect(before.order(first)).toMatchObject({ status: 'filled_part', filledQuantity: 100n });

    const after = before.restarted(1_000, await afterKill(path));
    await after.pass();
    after.trade(HK, '600', 300n, -1);
    await after.pass();
    expect(after.order(first)).toMatchObject({ status: 'filled_all', filledQuantity: 300n });
    expect(after.order(second)).toMatchObject({ status: 'filled_part', filledQuantity: 100n });
  });

  it('sends orders in flight, confirms pending cancels, ends expired orders, and arms triggers', async () => {
    const path = folder();
    const before = Fixture.open({ store: await open(path) });
    before.book(HK, [], []);
    const cancelling = await before.place(ids.hkCash, buy);
    await before.pass();
    await before.cancel(ids.hkCash, cancelling);
    const sent = await before.place(ids.hkCash, { ...buy, timeInForce: 1 });
    const stop = await before.place(ids.hkCash, { code: '00700', orderType: 11, qty: 100, price: 610, auxPrice: 605, timeInForce: 1 });
    const day = await before.place(ids.hkCash, buy);

    const after = before.restarted(24 * 3_600_000, await afterKill(path));
    await after.pass();
    expect(after.order(cancelling).status).toBe('cancelled_all');
    expect(after.order(sent).status).toBe('submitted');
    expect(after.order(day).status).toBe('cancelled_all');
    after.trade(HK, '605', 100n, 1);
    await after.pass(100);
    expect(after.order(stop)).toMatchObject({ status: 'submitted', price: dec('610') });
  });

  it('knows when an order reached the exchange that was not written since', async () => {
    const path = folder();
    const before = Fixture.open({ store: await open(path) });
    before.book(HK, [], []);
    const there = await before.place(ids.hkCash, buy);
    const changed = await before.place(ids.hkCash, buy);
    expect(await before.modify(ids.hkCash, { orderID: changed, modifyOrderOp: 1, qty: 200, price: 600 })).toBeUndefined();
    await before.pass();
    const later = await before.place(ids.hkCash, buy);
    const listed = (f: Fixture) => collected(f.brokerage.records.ordersBetween(ids.hkCash, 0, Number.MAX_SAFE_INTEGER));
    expect((await listed(before)).map(({ status }) => status)).toEqual(['submitted', 'submitted', 'submitting']);

    const killed = await afterKill(path);
    const after = before.restarted(1_000, killed);
    for (const order of [there, changed]) expect(after.order(order)).toEqual(before.order(order));
    expect(after.order(later)).toMatchObject({ status: 'submitted', updatedAt: before.order(later).arrivesAt });
    await after.pass();
    expect((await listed(after)).map(({ id, status }) => [id, status])).toEqual([there, changed, later].map((id) => [id, 'submitted']));

    // Before they had arrived, by a clock that was set back: they arrive anew.
    const earlier = before.restarted(-1_000, await afterKill(path));
    expect(earlier.order(later)).toMatchObject({ status: 'submitting', arrivesAt: undefined });
    await earlier.pass();
    expect(earlier.order(later)).toMatchObject({ status: 'submitted', updatedAt: expect.any(Number) });
    expect(earlier.order(later).updatedAt).toBeLessThanOrEqual(earlier.clock.now());
  });

  it('has an order on its way that found the exchange closed', async () => {
    const path = folder();
    // Two milliseconds before the lunch break in Hong Kong, and no way to the exchange takes less than five.
    const start = Date.UTC(2026, 10, 20, 4) - 2;
    const before = Fixture.open({ store: await open(path), start, mode: 'calendar' });
    const waiting = await before.place(ids.hkCash, buy);
    await before.pass();
    const after = before.restarted(1_000, await afterKill(path));
    expect(after.order(waiting).status).toBe('submitting');
    await after.pass(3_600_000);
    expect(after.order(waiting).status).toBe('submitted');
  });

  it('numbers orders on without repetition, even if the clock was set back', async () => {
    const path = folder();
    const before = Fixture.open({ store: await open(path) });
    const first = await before.place(ids.hkCash, buy);
    const after = before.restarted(-86_400_000, await afterKill(path));
    const second = await after.place(ids.hkCash, buy);
    expect(second > first).toBe(true);
    expect(second > 2n ** 53n).toBe(true);
    expect(after.order(second).idEx).not.toBe(after.order(first).idEx);
    expect(after.brokerage.orderByIdEx(after.order(first).idEx)?.id).toBe(first);
  });
});

describe('a packet number', () => {
  const packet = { connID: 2n ** 63n + 11n, serialNo: 7 };

  it('gets its first answer again, also while the first is on its way and after a restart', async () => {
    const path = folder();
    const f = Fixture.open({ store: await open(path) });
    const [one, two] = await Promise.all([f.place(ids.hkCash, buy, packet), f.place(ids.hkCash, buy, packet)]);
    expect(two).toBe(one);
    const after = f.restarted(1_000, await afterKill(path));
    expect(await after.place(ids.hkCash, buy, packet)).toBe(one);
    expect([...after.brokerage.records.openOrders(after.account(ids.hkCash))]).toHaveLength(1);
    expect(await after.tryPlace(ids.hkCash, { ...buy, qty: 200 }, packet)).toMatchObject({
      message: expect.stringContaining('was already used for another request'),
    });
    for (const other of [
      { ...packet, serialNo: 8 },
      { ...packet, connID: 6n },
    ])
      expect(await after.place(ids.hkCash, buy, other)).not.toBe(one);
  });

  it('does not give that answer to another request', async () => {
    const f = Fixture.open();
    await f.place(ids.hkCash, buy, packet);
    const other = await f.tryPlace(ids.hkCash, { ...buy, qty: 200 }, packet);
    expect(other).toMatchObject({ message: expect.stringContaining('was already used for another request') });
  });

  it('protects changes too: a repeated cancellation is acknowledged, not refused', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, buy);
    const cancel = { orderID: id, modifyOrderOp: 2 };
    expect(await f.modify(ids.hkCash, cancel, packet)).toBeUndefined();
    await f.pass();
    expect(f.order(id).status).toBe('cancelled_all');
    expect(await f.modify(ids.hkCash, cancel, packet)).toBeUndefined();
    expect(await f.modify(ids.hkCash, cancel)).toContain('cannot be cancelled');
  });

  it('of nothing but zeros asks for no protection', async () => {
    const f = Fixture.open();
    expect(await f.place(ids.hkCash, buy)).not.toBe(await f.place(ids.hkCash, buy));
  });

  it('is known whatever the time', async () => {
    const f = Fixture.open();
    const first = await f.place(ids.hkCash, buy, packet);
    await f.pass(49 * 3_600_000);
    await f.place(ids.hkCash, buy, { connID: 1n, serialNo: 1 });
    expect(await f.place(ids.hkCash, buy, packet)).toBe(first);
  });
});

it('tells an event only when the change is on disk, and takes nothing more once the disk has failed', async () => {
  let fail: ((error: Error) => void) | undefined;
  const path = folder();
  const inner = await open(path);
  let broken = false;
  const store: Store = {
    table: (name) => inner.table(name),
    archive: (name) => inner.archive(name),
    write: (change) => (broken ? new Promise((_, reject) => (fail = reject)) : inner.write(change)),
    close: () => inner.close(),
  };
  const f = Fixture.open({ store });
  broken = true;
  const placing = f.place(ids.hkCash, buy);
  await Promise.resolve();
  expect(f.events).toEqual([]);
  fail?.(new Error('disk full'));
  await expect(placing).rejects.toThrow('disk full');
  expect(f.events).toEqual([]);
  expect(await f.refusal(ids.hkCash, buy)).toContain('accepts no orders: disk full');
});
