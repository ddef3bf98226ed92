import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { account, trade } from '@svc-gateway/contract/operations';
import type { ResponseMessage, TradePush } from '@svc-gateway/gateway/backend';
import { pushedOrder } from '@svc-gateway/gateway/order';
import { describe, expect, it } from 'vitest';
import type { Upstream } from '../connection/upstream.js';
import { foundOrder } from './trades.js';
import { Trading } from './trading.js';

const SUBMITTED = 5;
const FILLED_ALL = 11;
const CANCELLED_ALL = 15;
const header = { trdEnv: 0, accID: 7n, trdMarket: 1 };
const order = {
  trdSide: 1,
  orderType: 1,
  orderID: 1n,
  orderIDEx: 'one',
  code: '00700',
  name: '',
  qty: 100,
  createTime: '',
  updateTime: '',
};

function setUp() {
  const clock = new ManualClock(Date.UTC(2026, 0, 5));
  const now = () => clock.now() / 1000;
  let listed = { ...order, orderStatus: SUBMITTED, updateTimestamp: now() };
  let registrations = 0;
  const upstream: Upstream = {
    requestBytes: () => Promise.reject(new Error('no bytes')),
    async request({ name, messages }) {
      if (name === account.subAccPush.name) registrations += 1;
      const answers: Readonly<Record<string, object>> = {
        [account.listAccounts.name]: { accList: [{ ...header, trdMarketAuthList: [1] }] },
        [account.getOrders.name]: { header, orderList: [listed] },
        [account.getDeals.name]: { header, orderFillList: [] },
        [account.getPositions.name]: { header, positionList: [] },
        [account.subAccPush.name]: {},
        [trade.placeOrder.name]: { header, orderID: order.orderID, orderIDEx: order.orderIDEx },
      };
      return create(messages.ResponseSchema, { retType: 0, s2c: answers[name] } as Record<string, unknown>) as ResponseMessage;
    },
  };
  const pushed: TradePush[] = [];
  const defects: unknown[] = [];
  const silent: bigint[] = [];
  const ignore = () => undefined;
  const trading = new Trading({
    ...{ clock, upstream, connection: () => upstream, whenReady: async () => true, soon: () => ({ deadline: Number.POSITIVE_INFINITY }) },
    ...{ onPush: (event) => pushed.push(event), onListRefused: ignore, onUnread: ignore, onDefect: (error) => defects.push(error) },
    onSilent: (accId) => silent.push(accId),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    clock,
    trading,
    defects,
    silent,
    registrations: () => registrations,
    /** An order is sent and acknowledged. */
    place: () =>
      trading.write(trade.placeOrder, create(trade.placeOrder.messages.C2SSchema, { header, remark: 'bot' } as object), {
        deadline: Number.POSITIVE_INFINITY,
      }),
    list: (orderStatus: number, secondsAgo: number) => {
      listed = { ...order, orderStatus, updateTimestamp: now() - secondsAgo };
    },
    /** The order is pushed in a status. */
    push: async (orderStatus: number) => {
      trading.push({ ...foundOrder(header as never, { ...order, orderStatus, updateTimestamp: now() } as never), recovered: false });
      await settle();
    },
    /** The connection is back after an outage since just now. */
    reconnect: () =>
      trading.restore(
        clock.now(),
        () => true,
        async () => undefined,
      ),
    /** Statuses that are pushed from here on, once so much time has passed. */
    pushes: async (ms: number) => {
      pushed.length = 0;
      clock.advance(ms);
      await settle();
      return pushed.map((event) => [pushedOrder(event)?.orderStatus, event.recovered, event.returned]);
    },
  };
}

it('an order that a server brought back is pushed as it is in a list that is asked for after its end', async () => {
  const { trading, list, push, reconnect, pushes, defects } = setUp();
  await trading.subscribe([7n], true);
  await push(CANCELLED_ALL);
  list(SUBMITTED, 3_600);
  await reconnect();
  expect(await pushes(4_999)).toEqual([]);
  expect(await pushes(1)).toEqual([[SUBMITTED, true, true]]);
  await reconnect();
  expect(await pushes(5_000)).toEqual([]);
  expect(defects).toEqual([]);
});

it('an order that ended after the reconnection is not brought back by a list that is behind', async () => {
  const { clock, trading, list, push, reconnect, pushes } = setUp();
  await trading.subscribe([7n], true);
  list(SUBMITTED, 3_600);
  await reconnect();
  clock.advance(1);
  await push(CANCELLED_ALL);
  expect(await pushes(4_999)).toEqual([]);
  trading.stop();
});

describe('an account whose acknowledged order no push names within ten seconds', () => {
  it('is registered again, and what has happened in it is pushed as recovered', async () => {
    const { trading, list, reconnect, place, pushes, silent, registrations, defects } = setUp();
    await trading.subscribe([7n], true);
    await reconnect();
    await place();
    list(FILLED_ALL, 0);
    expect(await pushes(9_999)).toEqual([]);
    expect(registrations()).toBe(1);
    expect(await pushes(1)).toEqual([[FILLED_ALL, true, undefined]]);
    expect([silent, registrations(), defects]).toEqual([[7n], 2, []]);
    trading.stop();
  });

  it('is read again every 30 seconds at most', async () => {
    const { trading, list, reconnect, place, pushes, silent } = setUp();
    await trading.subscribe([7n], true);
    await reconnect();
    await place();
    await pushes(10_000);
    await place();
    list(FILLED_ALL, 0);
    expect(await pushes(29_999)).toEqual([]);
    expect(await pushes(1)).toEqual([[FILLED_ALL, true, undefined]]);
    expect(silent).toEqual([7n, 7n]);
    trading.stop();
  });

  it('is not one whose pushes come before the acknowledgement, or after it', async () => {
    const { trading, reconnect, push, place, pushes, silent, registrations } = setUp();
    await trading.subscribe([7n], true);
    await reconnect();
    const acknowledged = place();
    await push(SUBMITTED);
    await acknowledged;
    await pushes(20_000);
    await place();
    await push(SUBMITTED);
    await pushes(60_000);
    expect([silent, registrations()]).toEqual([[], 1]);
  });

  it('is not one that nobody follows', async () => {
    const { trading, reconnect, place, pushes, silent } = setUp();
    await reconnect();
    await place();
    await pushes(60_000);
    expect(silent).toEqual([]);
    trading.stop();
  });
});
