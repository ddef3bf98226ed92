import { create } from '@bufbuild/protobuf';
import { ModifyOrderOp, TrdEnv, TrdMarket } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { C2SSchema as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { REAL } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { lagging } from '../support/lagging-lists.js';

const FUTURES = '281756478396547008';
const SUBMITTED = 5;
const CANCELLED = 15;
/** Longer than an order and a cancel take to the exchange. */
const SETTLED_MS = 1000;

let desk: Desk;
afterEach(() => desk.close());

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:real', 'trade:unlock'] as const;

async function open(allowedMarkets?: string, allowedSymbols?: string): Promise<void> {
  const limits = {
    ...(allowedMarkets === undefined ? {} : { allowedMarkets }),
    ...(allowedSymbols === undefined ? {} : { allowedSymbols }),
  };
  desk = await openDesk({ keys: { desk: { scopes }, narrow: { scopes, limits } }, tradePassword: async () => '123456' });
  await desk.payload(trade.unlockTrade, { unlock: true });
}

/** An order far below the market, in the real account, which trades several markets. */
async function place(symbol: string): Promise<string> {
  const { orderBookBidList } = await desk.payload(quote.getOrderBook, { symbol, depth: 1 });
  const price = Math.floor((orderBookBidList[0]?.price ?? 0) * 0.9);
  const order = await desk.payload(trade.placeOrder, { symbol, acc_id: REAL, env: 'real', side: 'BUY', qty: 100, price });
  desk.clock.advance(SETTLED_MS);
  return order.orderIDEx;
}

async function statuses(): Promise<Record<string, number>> {
  desk.clock.advance(SETTLED_MS);
  const { orderList } = await desk.payload(account.getOrders, { market: 'HK', acc_id: REAL, env: 'real' });
  return Object.fromEntries(orderList.map((order) => [order.orderIDEx, order.orderStatus]));
}

const header = { accID: BigInt(REAL), trdEnv: TrdEnv.TrdEnv_Real, trdMarket: TrdMarket.TrdMarket_HK };

/** As an interface of the protocol's own messages reads it: JSON has no name left for the field of the market. */
const everyOrder = (trdMarket?: number) => {
  const all = { header, modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Cancel, orderID: 0n, forAll: true };
  return create(C2SSchema, trdMarket === undefined ? all : { ...all, trdMarket });
};

describe('cancel-all', () => {
  it('ends the orders of its market, and those of no other market of the account', async () => {
    await open();
    const [hongKong, america] = [await place('HK.00700'), await place('US.AAPL')];
    const answer = await desk.call(trade.cancelAllOrder, { market: 'HK', acc_id: REAL, env: 'real' });
    expect(answer).toMatchObject({ retType: 0 });
    expect(await statuses()).toEqual({ [hongKong]: CANCELLED, [america]: SUBMITTED });
  });

  it('of a key for one market reaches no other, however it is asked for', async () => {
    await open('HK');
    const order = await place('US.AAPL');
    const header = { acc_id: REAL, env: 'real' };
    const all = { order_id: 0, modify_order_op: 'cancel', for_all: true };
    const attempts = [
      [trade.cancelAllOrder, { ...header, market: 'US' }, 'limit.market'],
      [trade.cancelAllOrder, { ...header, market: 'HK' }, 0],
      [trade.modifyOrder, { ...header, ...all, market: 'US' }, 'limit.market'],
      [trade.modifyOrder, { ...header, ...all, market: 'HK' }, 'limit.market'],
      [trade.modifyOrder, everyOrder(TrdMarket.TrdMarket_US), 'limit.market'],
      [trade.modifyOrder, everyOrder(TrdMarket.TrdMarket_HK), 0],
      [trade.modifyOrder, { ...header, market: 'US', order_id_ex: order, modify_order_op: 'cancel' }, 'limit.market'],
    ] as const;
    for (const [operation, body, expected] of attempts) {
      const answer = await desk.call(operation, body, { as: 'narrow' });
      expect(answer instanceof Rejection ? answer.code : answer.retType).toBe(expected);
    }
    expect(await statuses()).toEqual({ [order]: SUBMITTED });
    await desk.payload(trade.modifyOrder, { ...header, ...all, market: 'US' });
    expect(await statuses()).toEqual({ [order]: CANCELLED });
  });

  it('over the protocol ends the orders of the market that its field names, or of every market', async () => {
    await open();
    const [hongKong, america] = [await place('HK.00700'), await place('US.AAPL')];
    const core = { iface: 'core-tcp' } as const;
    expect(await desk.call(trade.cancelAllOrder, everyOrder(TrdMarket.TrdMarket_US), core)).toMatchObject({ retType: 0 });
    expect(await statuses()).toEqual({ [hongKong]: SUBMITTED, [america]: CANCELLED });
    expect(await desk.call(trade.cancelAllOrder, everyOrder(), { ...core, as: 'narrow' })).toMatchObject({ retType: 0 });
    expect(await statuses()).toEqual({ [hongKong]: CANCELLED, [america]: CANCELLED });
  });

  it('over the protocol, of a key for one market, has to name it', async () => {
    await open('HK');
    const approach = { as: 'narrow', iface: 'core-ws' } as const;
    expect(await desk.call(trade.cancelAllOrder, everyOrder(), approach)).toMatchObject({ code: 'limit.market' });
  });

  it.each([
    ['at once', 'desk'],
    ['one by one, for a key for some symbols', 'narrow'],
  ])('of the futures market reaches the simulated futures of every exchange, cancelled %s', async (_, as) => {
    await open(undefined, 'HK.HSImain,HK.00700');
    const header = { market: 'FUTURES', acc_id: FUTURES, env: 'simulate' };
    const { orderBookBidList } = await desk.payload(quote.getOrderBook, { symbol: 'HK.HSImain', depth: 1 });
    const price = Math.floor((orderBookBidList[0]?.price ?? 0) * 0.95);
    await desk.payload(trade.placeOrder, { ...header, code: 'HSImain', sec_market: 'HK', side: 'BUY', qty: 1, price });
    desk.clock.advance(SETTLED_MS);
    expect(await desk.call(trade.cancelAllOrder, header, { as })).toMatchObject({ retType: 0 });
    desk.clock.advance(SETTLED_MS);
    const { orderList } = await desk.payload(account.getOrders, header);
    expect(orderList.map(({ orderStatus }) => orderStatus)).toEqual([CANCELLED]);
  });
});

it("a key for one market does not end another program's order in another that only a fresh list shows", async () => {
  let brokerage!: Backend;
  desk = await openDesk({
    keys: { desk: { scopes }, narrow: { scopes, limits: { allowedMarkets: 'US' } } },
    tradePassword: async () => '123456',
    backend: (simulated) => {
      brokerage = simulated;
      return lagging(simulated, () => desk.clock, { ms: 8_000, refreshes: true });
    },
  });
  await desk.payload(trade.unlockTrade, { unlock: true });
  // Nothing relies on what lists lack shortly after the start.
  desk.clock.advance(10_000);
  await place('HK.00700');
  const packetID = { connID: 7n, serialNo: 1 };
  const order = create(PlaceC2S, { header, packetID, trdSide: 1, orderType: 1, code: '00700', secMarket: 1, qty: 100, price: 300 });
  const context = { requestId: 'outside', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  const placed = (await brokerage.call(trade.placeOrder, order, context)) as ResponseMessage & { s2c?: { orderID: bigint } };
  const cancel = create(C2SSchema, {
    header: { ...header, trdMarket: TrdMarket.TrdMarket_US },
    orderID: placed.s2c?.orderID ?? 0n,
    modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Cancel,
  });
  expect(await desk.call(trade.modifyOrder, cancel, { as: 'narrow', iface: 'grpc' })).toMatchObject({ code: 'limit.market' });
});
