import { create } from '@bufbuild/protobuf';
import { C2SSchema as ListSchema } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { C2SSchema as ModifySchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { MemoryStore } from '@svc-gateway/storage';
import { expect, it, vi } from 'vitest';
import { Fixture, ids, type PlaceInit } from '../../../../test/support/brokerage.js';
import { turnsDuring } from '../../../../test/support/turns.js';
import { getOrders } from '../answers/account/get-orders.js';
import { modifyOrder } from '../answers/trade/orders.js';
import { Refusal } from '../refusal.js';

const HK = 'HK.00700';
const buy: PlaceInit = { code: '00700', trdSide: 1, qty: 100, price: 1 };

function cancelAll(f: Fixture): Promise<unknown> {
  const header = f.header(f.account(ids.hkCash));
  const request = create(ModifySchema, { orderID: 0n, modifyOrderOp: 2, forAll: true, header, packetID: { connID: 7n, serialNo: 7 } });
  return Promise.resolve(modifyOrder(f.simulation, request));
}

async function listed(f: Fixture, idList: bigint[] = []) {
  const request = create(ListSchema, { header: f.header(f.account(ids.hkCash)), filterConditions: { idList } });
  const answer = await getOrders(f.simulation, request);
  if (answer instanceof Refusal) throw new Error(answer.message);
  return answer.orderList;
}

it('are cancelled together in slices, between which others have their turn', async () => {
  const f = Fixture.open();
  f.book(HK, [], []);
  for (let order = 0; order < 500; order++) await f.place(ids.hkCash, buy);
  await f.pass();
  expect(await turnsDuring(() => cancelAll(f))).toBeGreaterThanOrEqual(9);
  const cancelling = await listed(f);
  expect(cancelling.every(({ orderStatus }) => orderStatus === 13)).toBe(true);
  // All are confirmed within the same 50 ms of the clock; that takes several turns as well.
  expect(
    await turnsDuring(async () => {
      await f.pass(60);
      while ((await listed(f)).some(({ orderStatus }) => orderStatus !== 15)) await f.pass(0);
    }),
  ).toBeGreaterThanOrEqual(5);
  // A repetition is answered as the first was, and cancels nothing that came later.
  const later = await f.place(ids.hkCash, buy);
  await cancelAll(f);
  expect(f.order(later).status).not.toBe('cancelling_all');
});

it('reach the exchange without a write, as was known when they were placed, each told by itself', async () => {
  const store = new MemoryStore();
  const f = Fixture.open({ store });
  f.book(HK, [], []);
  const told: bigint[] = [];
  for (let order = 0; order < 200; order++) await f.place(ids.hkCash, buy);
  f.brokerage.onEvent(({ order }) => order.status === 'submitted' && told.push(order.id));
  const write = vi.spyOn(store, 'write');
  await f.pass(60);
  while ((await listed(f)).some(({ orderStatus }) => orderStatus !== 5)) await f.pass(0);
  expect(write).not.toHaveBeenCalled();
  expect(new Set(told).size).toBe(200);
  expect(told).toHaveLength(200);
});

it('leave alone one that was filled before its turn came', async () => {
  const f = Fixture.open();
  f.book(HK, [], []);
  for (let order = 0; order < 60; order++) await f.place(ids.hkCash, buy);
  const last = await f.place(ids.hkCash, { ...buy, price: 600 });
  await f.pass();
  const cancelled = cancelAll(f);
  f.trade(HK, '600', 100n, -1);
  f.clock.advance(0);
  await cancelled;
  expect(['filled_all', 'cancelling_all']).toContain(f.order(last).status);
  await f.pass(60);
  const { filledQuantity, status } = f.order(last);
  expect([filledQuantity, status]).toEqual(filledQuantity === 0n ? [0n, 'cancelled_all'] : [100n, 'filled_all']);
});

it('ended orders leave memory, and are still found by number, in lists and in history', async () => {
  const f = Fixture.open({ endedOrdersKept: 100 });
  f.book(HK, [], []);
  const first = await f.place(ids.hkCash, buy);
  await f.cancel(ids.hkCash, first);
  await f.pass(60);
  for (let round = 0; round < 3; round++) {
    for (let order = 0; order < 60; order++) await f.place(ids.hkCash, buy);
    await cancelAll(f);
    await f.modify(ids.hkCash, { orderID: 0n, modifyOrderOp: 2, forAll: true });
    await f.pass(60);
    while ([...f.brokerage.records.openOrders(f.account(ids.hkCash))].length > 0) await f.pass(0);
  }
  expect(f.brokerage.records.ordersInMemory).toBe(100);
  expect(f.order(first).status).toBe('cancelled_all');
  expect(await listed(f, [first])).toMatchObject([{ orderID: first, orderStatus: 15 }]);
  const all = await listed(f);
  expect(all).toHaveLength(181);
  expect(all.at(-1)?.orderID).toBe(first);
  expect(new Set(all.map(({ orderID }) => orderID)).size).toBe(181);
});
