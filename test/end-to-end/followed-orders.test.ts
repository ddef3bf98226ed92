import { clone, create, type Message } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { C2SSchema as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, quote, trade } from '@svc-gateway/contract/operations';
import type { Backend, ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/desk.js';
import { lagging } from '../support/lagging-lists.js';

/** Orders are followed by whatever names and spellings they go, and where lists of positions are behind. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const HK_FUTURES = '281756478396547008';
const LAG_MS = 4_400;
const SETTLED_MS = 61_000;
const futures = { market: 'FUTURES', acc_id: HK_FUTURES, env: 'simulate' };
const purchase = { ...futures, symbol: 'HK.HSI2612', side: 'BUY', order_type: 'MARKET', qty: 1 };
const sale = { ...purchase, side: 'SELL' };

const lists: readonly Operation[] = [account.getOrders, account.getPositions];

let desk: Desk;
let last: number;
/** Whether changed orders are replaced by new ones. */
let isReplacing = false;
afterEach(async () => {
  isReplacing = false;
  await desk.close();
});

/** @param behind lists that are behind. */
async function open({ limits = {}, behind: late = lists }: { limits?: LimitFlags; behind?: readonly Operation[] } = {}): Promise<void> {
  desk = await openDesk({
    keys: { desk: { scopes, limits }, free: { scopes }, other: { scopes }, ops: { scopes: ['admin'] } },
    backend: (simulated) => {
      const behind = lagging(simulated, () => desk.clock, { ms: LAG_MS }) as Backend;
      return {
        ...(late.length === 0 ? {} : behind),
        async call(operation, request, context) {
          if (lists.includes(operation) && !late.includes(operation)) return simulated.call(operation, request, context);
          const { modifyOrderOp } = request as unknown as { modifyOrderOp?: number };
          if (!isReplacing || operation !== trade.modifyOrder || modifyOrderOp !== 1) return behind.call(operation, request, context);
          return replace(behind, request, context);
        },
      };
    },
  });
  desk.clock.advance(SETTLED_MS);
  last = (await desk.payload(quote.getQuote, { symbols: ['HK.HSI2612'] })).basicQotList[0]?.curPrice ?? 0;
}

/** A change as some brokerages make it: the order is cancelled, and another one placed. */
async function replace(backend: Backend, request: Message, context: Parameters<Backend['call']>[2]): Promise<ResponseMessage> {
  const { header, orderIDEx, qty, price, packetID } = request as ReturnType<typeof create<typeof ModifyC2S>>;
  const query = create(account.getOrders.messages.C2SSchema, { header, refreshCache: true } as Record<string, unknown>);
  const listed = (await backend.call(account.getOrders, query, context)) as ResponseMessage & { s2c: { orderList: Order[] } };
  const old = listed.s2c.orderList.find((order) => order.orderIDEx === orderIDEx);
  await backend.call(trade.cancelOrder, Object.assign(clone(ModifyC2S, request as never), { modifyOrderOp: 2 }), context);
  const { orderType, code, secMarket, trdSide } = old ?? { orderType: 1, code: 'HSI2612', secMarket: 1, trdSide: 2 };
  const serialNo = (packetID?.serialNo ?? 0) + 1_000_000;
  const next = { header, packetID: { connID: 9n, serialNo }, orderType, code, secMarket, trdSide, qty, price };
  const { s2c } = (await backend.call(trade.placeOrder, create(PlaceC2S, next as Record<string, unknown>), context)) as ResponseMessage & {
    s2c: { orderID: bigint; orderIDEx: string };
  };
  return create(trade.modifyOrder.messages.ResponseSchema, {
    ...{ retType: 0, s2c: { header, orderID: s2c.orderID, orderIDEx: s2c.orderIDEx } },
  } as Record<string, unknown>) as ResponseMessage;
}

const codeOf = (operation: Operation, body: object, as = 'desk') => desk.code(operation, body, { as });
const place = async (body: object, as = 'free') => (await desk.payload(trade.placeOrder, body, { as })).orderIDEx;
const halt = () => desk.payload(admin.adminHalt, { key_id: 'other' }, { as: 'ops', iface: 'grpc' });

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    desk.clock.advance(250);
    for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
  }
}

describe('a code in small letters', () => {
  it('is that of the listed contract: its sale closes the position', async () => {
    await open();
    await place(purchase);
    desk.clock.advance(SETTLED_MS);
    await halt();
    await place({ ...sale, symbol: 'HK.hsi2612' });
    desk.clock.advance(500);
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBe('trading.halted');
  });

  it('is that of the listed contract: the exits of its bracket guard the position', async () => {
    await open({ behind: [] });
    await desk.payload(trade.placeBracketOrder, { ...purchase, symbol: 'HK.hsi2612', stop_loss_price: Math.round(last * 0.9) });
    await pass(10_000);
    const { bracketList } = await desk.payload(trade.getBrackets, futures);
    expect(bracketList).toMatchObject([{ code: 'HSI2612', exitOrderIdEx: expect.stringMatching(/./) }]);
  });

  it('does not pass the gate for the side of a bracket’s exits', async () => {
    await open({ behind: [], limits: { allowedTrdSides: 'BUY' } });
    await place({ ...sale, qty: 2 });
    await pass(1_000);
    const bracket = { ...purchase, symbol: 'HK.hsi2612', stop_loss_price: Math.round(last * 0.9) };
    expect(await codeOf(trade.placeBracketOrder, bracket)).toBe('limit.side');
  });
});

describe('an order that its change replaces by another', () => {
  it('goes on closing the position under its new name', async () => {
    await open();
    await place(purchase);
    desk.clock.advance(SETTLED_MS);
    await halt();
    const order = await place({ ...sale, order_type: 'NORMAL', price: Math.round(last * 1.1) });
    desk.clock.advance(SETTLED_MS);
    isReplacing = true;
    const change = { ...futures, order_id_ex: order, op: 'normal', qty: 1, price: Math.round(last * 0.95) };
    expect(await codeOf(trade.modifyOrder, change, 'free')).toBeUndefined();
    desk.clock.advance(500);
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBe('trading.halted');
  });

  it('goes on counting as open', async () => {
    await open({ limits: { maxOpenOrders: '1' } });
    isReplacing = true;
    const resting = { ...purchase, order_type: 'NORMAL', price: Math.round(last * 0.9) };
    const order = await place(resting, 'desk');
    desk.clock.advance(10_000);
    expect(
      await codeOf(trade.modifyOrder, { ...futures, order_id_ex: order, op: 'normal', qty: 1, price: resting.price - 50 }),
    ).toBeUndefined();
    desk.clock.advance(10_000);
    expect(await codeOf(trade.placeOrder, resting)).toBe('limit.open_orders');
  });
});

it('a bracket sends no exit for a position that an order of this daemon has just closed, though the list of positions still shows it', async () => {
  await open({ behind: [account.getPositions] });
  await desk.payload(trade.placeBracketOrder, { ...purchase, stop_loss_price: Math.round(last * 0.9) });
  await pass(6_000);
  await place(sale);
  const before = desk.calls.length;
  await pass(20_000);
  expect(desk.calls.slice(before).filter(({ operation }) => operation === 'place_order')).toEqual([]);
  const { bracketList } = await desk.payload(trade.getBrackets, futures);
  expect(bracketList[0]?.note).toContain('closed by somebody else');
});

it('a key that takes the place of another is told nothing of what that has sent under an idempotency key', async () => {
  await open();
  const under = { as: 'desk', idempotencyKey: 'once' };
  await desk.payload(trade.placeOrder, purchase, under);
  await desk.replaceKey('desk', { scopes });
  expect(await desk.call(trade.placeOrder, purchase, under)).toMatchObject({ code: 'idempotency.mismatch' });
  expect(await desk.preview(trade.placeOrder, purchase, under)).toMatchObject({ code: 'idempotency.mismatch' });
});
