import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { account } from '@svc-gateway/contract/operations';
import type { ResponseMessage, TradePush } from '@svc-gateway/gateway/backend';
import { pushedOrder } from '@svc-gateway/gateway/order';
import { expect, it } from 'vitest';
import type { Upstream } from '../connection/upstream.js';
import { foundOrder } from './trades.js';
import { Trading } from './trading.js';

const SUBMITTED = 5;
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
  const upstream: Upstream = {
    requestBytes: () => Promise.reject(new Error('no bytes')),
    async request({ name, messages }) {
      const answers: Readonly<Record<string, object>> = {
        [account.listAccounts.name]: { accList: [{ ...header, trdMarketAuthList: [1] }] },
        [account.getOrders.name]: { header, orderList: [listed] },
        [account.getDeals.name]: { header, orderFillList: [] },
        [account.getPositions.name]: { header, positionList: [] },
        [account.subAccPush.name]: {},
      };
      return create(messages.ResponseSchema, { retType: 0, s2c: answers[name] } as Record<string, unknown>) as ResponseMessage;
    },
  };
  const pushed: TradePush[] = [];
  const defects: unknown[] = [];
  const ignore = () => undefined;
  const trading = new Trading({
    ...{ clock, upstream, connection: () => upstream, whenReady: async () => true, soon: () => ({ deadline: Number.POSITIVE_INFINITY }) },
    ...{ onPush: (event) => pushed.push(event), onListRefused: ignore, onUnread: ignore, onDefect: (error) => defects.push(error) },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    clock,
    trading,
    defects,
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
