import { create } from '@bufbuild/protobuf';
import { C2SSchema } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { describe, expect, it } from 'vitest';
import { collected, Fixture, ids, type PlaceInit } from '../../../../test/support/brokerage.js';
import { FullStore } from '../../../../test/support/full-store.js';
import { getOrders } from '../answers/account/get-orders.js';
import { nextTurn } from '../pace.js';
import { Refusal } from '../refusal.js';

const HK = 'HK.00700';
const buy: PlaceInit = { code: '00700', trdSide: 1, qty: 300, price: 600 };
const packet = { connID: 1n, serialNo: 7 };

function open(): { store: FullStore; f: Fixture } {
  const store = new FullStore();
  const f = Fixture.open({ store });
  f.book(HK, [], [['600', 100_000n]]);
  return { store, f };
}

async function listed(f: Fixture): Promise<readonly string[]> {
  const answer = await getOrders(f.simulation, create(C2SSchema, { header: f.header(f.account(ids.hkCash)) }));
  if (answer instanceof Refusal) throw new Error(answer.message);
  return answer.orderList.map(({ remark, qty, price }) => `${remark} ${qty} @ ${price}`);
}

describe('an order that the disk refuses', () => {
  it('is refused, is in no list, is told to nobody, and never trades', async () => {
    const { store, f } = open();
    store.full = true;
    const placing = f.tryPlace(ids.hkCash, buy, packet);
    const meanwhile = listed(f);
    expect(await placing).toMatchObject({ message: expect.stringMatching(/^the brokerage cannot write its records .*no space left$/) });
    expect(await meanwhile).toEqual([]);
    await f.pass();
    expect(await listed(f)).toEqual([]);
    expect(f.events).toEqual([]);
    const account = f.account(ids.hkCash);
    expect([f.brokerage.records.ledger.frozen(account, 'HKD'), f.brokerage.records.ledger.openOrders(account)]).toEqual([0n, 0]);
    store.full = false;
    await store.write(() => undefined);
    expect(await collected(f.brokerage.records.ordersBetween(ids.hkCash, 0, Number.MAX_SAFE_INTEGER))).toEqual([]);
    expect(await listed(f.restarted(1_000, store.crashed()))).toEqual([]);
  });

  it('is new under its packet number once there is room', async () => {
    const { store, f } = open();
    store.full = true;
    const [first, second] = [f.tryPlace(ids.hkCash, buy, packet), f.tryPlace(ids.hkCash, buy, packet)];
    const refused = { message: expect.stringContaining('accepts no orders') };
    expect([await first, await second]).toMatchObject([refused, refused]);
    await nextTurn();
    store.full = false;
    await store.write(() => undefined);
    const placed = await f.place(ids.hkCash, { ...buy, remark: 'once' }, packet);
    await f.pass();
    expect(f.order(placed)).toMatchObject({ remark: 'once', status: 'filled_all' });
  });
});

it('an order whose change the disk refuses is as it was, and works on', async () => {
  const { store, f } = open();
  const id = await f.place(ids.hkCash, { ...buy, price: 500, remark: 'resting' });
  await f.pass();
  const before = f.order(id);
  for (const change of [
    { qty: 600, price: 600 },
    { qty: 100, price: 500 },
  ]) {
    store.full = true;
    f.events.length = 0;
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 1, ...change })).toMatch(/accepts no orders: no space left$/);
    await f.pass();
    expect(f.events).toEqual([]);
    expect(await listed(f)).toEqual(['resting 300 @ 500']);
    expect(f.order(id)).toEqual(before);
    await nextTurn();
    store.full = false;
    await store.write(() => undefined);
    expect(await listed(f.restarted(1_000, store.crashed()))).toEqual(['resting 300 @ 500']);
  }
  f.trade(HK, '499', 10_000n, -1);
  await f.pass();
  expect(f.order(id)).toMatchObject({ status: 'filled_all', filledQuantity: 300n });
});

it('a cancel that the disk refuses holds, and is on disk once there is room', async () => {
  const { store, f } = open();
  const id = await f.place(ids.hkCash, { ...buy, price: 500 });
  await f.pass();
  store.full = true;
  await f.cancel(ids.hkCash, id);
  await f.pass();
  expect(f.order(id).status).toBe('cancelled_all');
  store.full = false;
  await store.write(() => undefined);
  expect(f.restarted(1_000, store.crashed()).order(id).status).toBe('cancelled_all');
});
