import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as TrdPlaceComboOrder from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { account, trade } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import { BackendLost } from '@svc-gateway/gateway/backend-failures';
import { expect, it } from 'vitest';
import { CountingClock } from '../../../../test/support/counting-clock.js';
import { signal } from '../../../../test/support/until.js';
import type { RequestOptions, Upstream } from '../connection/upstream.js';
import { Orders } from './orders.js';
import { Trading } from './trading.js';

type Request = Upstream['request'];

/** A server that does something, and lists orders. */
function upstreamOf(write: Request, list: Request): Upstream {
  return {
    request: (asked, c2s, options) => (asked.name === account.getOrders.name ? list : write)(asked, c2s, options),
    requestBytes: () => Promise.reject(new Error('no bytes')),
  };
}

it('the search for an order ends when the daemon stops', async () => {
  const clock = new CountingClock(new ManualClock(Date.UTC(2026, 0, 5)));
  const lost = new BackendLost('the connection was lost');
  const { promise: looking, resolve: looked } = signal();
  const orders = new Orders({
    clock,
    upstream: upstreamOf(
      () => Promise.reject(lost),
      async ({ messages }) => {
        looked();
        return create(messages.ResponseSchema, { retType: 0, s2c: { orderList: [] } } as Record<string, unknown>) as ResponseMessage;
      },
    ),
    whenTrading: async () => true,
  });
  const placed = orders
    .call(trade.placeOrder, create(trade.placeOrder.messages.C2SSchema), { deadline: 30_000 })
    .catch((thrown: unknown) => thrown);
  await looking;
  orders.stop();
  expect(await placed).toBe(lost);
  expect(clock.armed).toEqual([]);
});

const header = { trdEnv: 0, accID: 7n, trdMarket: 1 };
const terms = { header, packetID: { connID: 0n, serialNo: 0 }, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 1, remark: '' };

it.each([
  ['without a payload', undefined],
  ['without an order', { header }],
  ['of another account', { header: { ...header, accID: 8n }, orderID: 1n, orderIDEx: 'order-1' }],
])('an acknowledgement %s says nothing: the order is looked for', async (_, s2c) => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5));
  const { C2SSchema, ResponseSchema } = TrdPlaceOrder;
  let sent: TrdPlaceOrder.C2S | undefined;
  const place = (list: () => object[]) => {
    const orders = new Orders({
      clock,
      upstream: upstreamOf(
        async (_operation, request) => {
          sent = request as TrdPlaceOrder.C2S;
          return create(ResponseSchema, { retType: 0, ...(s2c === undefined ? {} : { s2c }) }) as ResponseMessage;
        },
        async ({ messages }) => {
          const answer = create(messages.ResponseSchema, { retType: 0, s2c: { header, orderList: list() } } as Record<string, unknown>);
          setImmediate(() => clock.advance(5_000));
          return answer as ResponseMessage;
        },
      ),
      whenTrading: async () => true,
    });
    return orders.call(trade.placeOrder, create(C2SSchema, terms), { deadline: 30_000 });
  };
  const there = () => [{ remark: sent?.remark, orderID: 5n, orderIDEx: 'order-5' }];
  await expect(place(there)).resolves.toMatchObject({ retType: 0, s2c: { orderIDEx: 'order-5' } });
  await expect(place(() => [])).rejects.toMatchObject({ constructor: BackendLost, message: expect.stringMatching(/without saying which/) });
});

it('an order that was acknowledged by its number alone is never found for another whose answer was lost', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5));
  const { C2SSchema, ResponseSchema } = TrdPlaceOrder;
  const acknowledged = create(ResponseSchema, { retType: 0, s2c: { header, orderID: 5n } }) as ResponseMessage;
  let answers = true;
  let orderList: object[] = [];
  const orders = new Orders({
    clock,
    upstream: upstreamOf(
      async () => {
        if (answers) return acknowledged;
        throw new BackendLost('the connection was lost');
      },
      async ({ messages }) => {
        setImmediate(() => clock.advance(5_000));
        return create(messages.ResponseSchema, { retType: 0, s2c: { header, orderList } } as Record<string, unknown>) as ResponseMessage;
      },
    ),
    whenTrading: async () => true,
  });
  const place = () => orders.call(trade.placeOrder, create(C2SSchema, { ...terms, remark: 'bot' }), { deadline: 30_000 });
  await place();
  answers = false;
  const listed = { ...terms, remark: 'bot' };
  orderList = [{ ...listed, orderID: 5n, orderIDEx: 'order-5' }];
  await expect(place()).rejects.toThrow('the connection was lost');
  // One without a text is not the one that was acknowledged: that has another number.
  orderList = [{ ...listed, orderID: 6n, orderIDEx: '' }];
  await expect(place()).resolves.toMatchObject({ s2c: { orderID: 6n } });
});

it('an order of several legs whose answer was lost is looked for by its mark, and sent once', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5));
  const leg = (code: string, side: number) => ({ security: { market: 1, code }, side, qtyRatio: 1 });
  const combo = { header, comboLegs: [leg('00700', 1), leg('00005', 2)], qty: 100, price: 1, orderType: 1 };
  const sent: TrdPlaceComboOrder.C2S[] = [];
  const orders = new Orders({
    clock,
    upstream: upstreamOf(
      async (_operation, request) => {
        sent.push(request as TrdPlaceComboOrder.C2S);
        throw new BackendLost('the connection was lost');
      },
      async ({ messages }) => {
        // Another's, which is like it in all but its mark.
        const like = { ...combo, code: '00700', trdSide: 1, orderIDEx: 'order-4' };
        const orderList = [like, { ...like, remark: sent[0]?.remark, orderIDEx: 'order-5' }];
        return create(messages.ResponseSchema, { retType: 0, s2c: { header, orderList } } as Record<string, unknown>) as ResponseMessage;
      },
    ),
    whenTrading: async () => true,
  });
  const answer = await orders.call(trade.placeComboOrder, create(TrdPlaceComboOrder.C2SSchema, combo), { deadline: 30_000 });
  expect(answer).toMatchObject({ retType: 0, s2c: { orderIDEx: 'order-5' } });
  expect(sent).toHaveLength(1);
});

it('a change of an order takes its caller’s share of the server’s limits', async () => {
  const heard: RequestOptions[] = [];
  const answer: Request = async ({ messages }, _c2s, options) => {
    heard.push(options);
    return create(messages.ResponseSchema, { retType: 0 } as Record<string, unknown>) as ResponseMessage;
  };
  const orders = new Orders({ clock: new ManualClock(0), upstream: upstreamOf(answer, answer), whenTrading: async () => true });
  await orders.call(trade.modifyOrder, create(trade.modifyOrder.messages.C2SSchema), { deadline: 30_000, owner: 'bot' });
  expect(heard).toMatchObject([{ owner: 'bot' }]);
});

it('an order from before the start is never found for one whose answer was lost, though the clock here is behind', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5));
  const listed = { ...terms, remark: 'bot', createTimestamp: clock.now() / 1000 + 60 };
  const orderList: object[] = [{ ...listed, orderID: 5n, orderIDEx: 'order-5' }];
  const answers: Readonly<Record<string, object>> = {
    [account.listAccounts.name]: { accList: [{ ...header, trdMarketAuthList: [1] }] },
    [account.getOrders.name]: { header, orderList },
    [account.subAccPush.name]: {},
  };
  const upstream: Upstream = {
    requestBytes: () => Promise.reject(new Error('no bytes')),
    async request({ name, messages }) {
      if (name === trade.placeOrder.name) throw new BackendLost('the connection was lost');
      if (name === account.getOrders.name) setImmediate(() => clock.advance(5_000));
      return create(messages.ResponseSchema, { retType: 0, s2c: answers[name] } as Record<string, unknown>) as ResponseMessage;
    },
  };
  const ignore = () => undefined;
  const trading = new Trading({
    ...{ clock, upstream, connection: ignore, whenReady: async () => true, soon: () => ({ deadline: 60_000 }) },
    ...{ onPush: ignore, onListRefused: ignore, onSilent: ignore, onUnread: ignore, onDefect: ignore },
  });
  await trading.restore(
    undefined,
    () => true,
    async () => undefined,
  );
  const place = () => {
    const request = create(TrdPlaceOrder.C2SSchema, { ...terms, remark: 'bot' });
    return trading.orders.call(trade.placeOrder, request, { deadline: 60_000 });
  };
  await expect(place()).rejects.toThrow('the connection was lost');
  orderList.push({ ...listed, orderID: 6n, orderIDEx: 'order-6' });
  await expect(place()).resolves.toMatchObject({ s2c: { orderIDEx: 'order-6' } });
});
