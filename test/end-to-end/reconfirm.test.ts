import { replayClock } from '@svc-gateway/contract/clock';
import { parseDecimal } from '@svc-gateway/contract/decimal';
import { account as accounts, trade } from '@svc-gateway/contract/operations';
import { previewSentence } from '@svc-gateway/gateway';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, REAL, SELL, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { type Desk, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';
import type { PushClient, PushFrame } from '../support/push-client.js';

/** Trd_Common.OrderStatus. */
const UNSUBMITTED = 0;
const SUBMITTED = 5;
const FILLED = 11;
const CANCELLED = 15;
const ORDER_PUSH = 2208;
/** Trd_ReconfirmOrder: what is confirmed. */
const QUANTITY = 1;
const PRICE = 2;

const text = { 'x-svc-int64': 'string' };
const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const order = { ...account, code: '00700', side: BUY, qty: 100, order_type: NORMAL };
/** Nine times any price that the market has, and far below the most that is accepted. */
const SLIP = 9_000;

let push: PushClient;
const daemon = TestDaemon.forAll({
  simulationClock: replayClock(Date.now(), 20),
  keys: {
    desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
    small: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { maxOrderValue: '1000', maxDailyValue: '1000' } },
    owner: { scopes: ['qot:read', 'acc:read', 'trade:real'] },
  },
  flags: ['--enable-trading'],
});
beforeAll(async () => {
  push = await daemon.push('desk', '?int64=string');
  await daemon.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
});

const read = (path: string, body: object) => daemon.as('desk').s2c(path, body, text);
const told = (id: string, status: number) => (frame: PushFrame) =>
  frame.proto_id === ORDER_PUSH && frame.body.order.order_id === id && frame.body.order.order_status === status;
async function orderOf(id: string) {
  const { order_list } = await read('/api/orders', account);
  return order_list.find((one: { order_id: string }) => one.order_id === id);
}
async function slip(): Promise<string> {
  const { order_id: id } = await read('/api/order', { ...order, price: SLIP });
  await push.frame(told(id, UNSUBMITTED), 'the order that waits');
  return id;
}

describe('an order that looks like a slip', () => {
  it('keeps back an order that looks like a slip, with what to do about it, and holds its money', async () => {
    const id = await slip();
    expect(await orderOf(id)).toMatchObject({ order_status: UNSUBMITTED, last_err_msg: expect.stringContaining('reconfirm_op 2') });
    const { funds } = await read('/api/funds', account);
    expect(funds.frozen_cash).toBeGreaterThan(0);
    await read('/api/cancel-order', { ...account, order_id: id });
    await push.frame(told(id, CANCELLED), 'its cancellation');
  });

  it('sends a kept-back order once it is confirmed', async () => {
    const id = await slip();
    expect(await read('/api/reconfirm-order', { acc_id: HK_MARGIN, order_id: id, reconfirm_op: PRICE })).toMatchObject({ order_id: id });
    await push.frame(told(id, FILLED), 'the filled order');
    expect(await orderOf(id)).toMatchObject({ fill_qty: 100, last_err_msg: '' });
    // Once is enough.
    const again = await daemon.as('desk').post('/api/reconfirm-order', { acc_id: HK_MARGIN, order_id: id, reconfirm_op: PRICE });
    expect(again.json).toMatchObject({ ret_type: -1, ret_msg: expect.stringContaining('is filled; only an order that waits') });
  });

  it('keeps an order back when something else is confirmed', async () => {
    const id = await slip();
    const answer = await daemon.as('desk').post('/api/reconfirm-order', { acc_id: HK_MARGIN, order_id: id, reconfirm_op: QUANTITY });
    expect(answer.json.ret_msg).toContain('waits to be confirmed for reason 2 (price), not 1 (quantity)');
    expect(await orderOf(id)).toMatchObject({ order_status: UNSUBMITTED });
    await read('/api/cancel-all-order', account);
    await push.frame(told(id, CANCELLED), 'its cancellation');
  });

  it('sends a kept-back order when it is changed to ordinary terms', async () => {
    const id = await slip();
    await read('/api/modify-order', {
      header: { trd_env: 1, acc_id: HK_MARGIN, trd_market: HK },
      order_id: id,
      modify_order_op: 1,
      qty: 100,
      price: 100,
    });
    await push.frame(told(id, SUBMITTED), 'the order at the exchange');
    await read('/api/cancel-order', { ...account, order_id: id });
  });

  it('keeps back an order of too many board lots', async () => {
    const { order_id: id } = await read('/api/order', { ...order, code: '00700', side: BUY, qty: 300_100, price: 10 });
    await push.frame(told(id, UNSUBMITTED), 'the order that waits');
    await read('/api/reconfirm-order', { acc_id: HK_MARGIN, order_id: id, reconfirm_op: QUANTITY });
    await push.frame(told(id, SUBMITTED), 'the order at the exchange');
    await read('/api/cancel-order', { ...account, order_id: id });
  });

  it('sends a sale at a low price that is near the market', async () => {
    await read('/api/order', { ...order, side: SELL, price: 300 }).catch(() => undefined);
    const { order_list } = await read('/api/orders', account);
    expect(order_list[0]).not.toMatchObject({ order_status: UNSUBMITTED });
  });
});

describe('the environment of a reconfirm', () => {
  const body = { acc_id: HK_MARGIN, order_id: '1', reconfirm_op: PRICE };

  it('reconfirms in the environment of the account', async () => {
    expect((await daemon.as('owner').post('/api/reconfirm-order', body)).status).toBe(403);
    const real = await daemon.as('owner').post('/api/reconfirm-order', { ...body, acc_id: REAL });
    expect(real.json).toMatchObject({ ret_type: -1, ret_msg: expect.stringContaining('no order 1') });
    expect((await daemon.as('desk').post('/api/reconfirm-order', { ...body, acc_id: REAL })).status).toBe(403);
  });

  it('refuses a reconfirm in another environment', async () => {
    const header = { acc_id: REAL, trd_env: SIMULATE, trd_market: HK };
    const c2s = { header, order_id: '1', reconfirm_reason: PRICE };
    expect((await daemon.as('desk').post('/api/reconfirm-order', { c2s })).status).toBe(403);
  });

  it.each([
    [{ ...body, reconfirm_op: 3 }, 'reconfirm_op: expected one of 1 (QTY_TOO_LARGE), 2 (PRICE_ABNORMAL)'],
    [{ acc_id: HK_MARGIN, reconfirm_op: PRICE }, 'missing field "order_id"'],
    [{ order_id: '1', reconfirm_op: PRICE }, 'missing field "acc_id"'],
  ])('%j is refused', async (request, message) => {
    const answer = await daemon.as('desk').post('/api/reconfirm-order', request);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(message);
  });
});

it('limits hold a reconfirm as they hold an order', async () => {
  const id = await slip();
  const answer = await daemon.as('small').post('/api/reconfirm-order', { acc_id: HK_MARGIN, order_id: id, reconfirm_op: PRICE });
  expect([answer.status, answer.json.code]).toEqual([429, 'limit.order_value']);
  await read('/api/cancel-order', { ...account, order_id: id });
});

describe('an order kept back that another key placed', () => {
  const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
  const shares = { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' };
  let desk: Desk;
  afterEach(() => desk.close());

  const limited = [
    ['limit.daily_value', { maxDailyValue: '1000' }],
    ['limit.open_orders', { maxOpenOrders: '0' }],
  ] as const;

  it.each(limited)('counts whole for the key that confirms or changes it: %s', async (code, limits) => {
    desk = await openDesk({ keys: { desk: { scopes }, limited: { scopes, limits } } });
    const slip = { ...shares, symbol: 'HK.00700', side: 'BUY', qty: 100, price: SLIP };
    const { orderID, orderIDEx } = await desk.payload(trade.placeOrder, slip);
    const confirming = { acc_id: HK_MARGIN, order_id: String(orderID), reconfirm_op: PRICE };
    const changing = { ...shares, order_id_ex: orderIDEx, op: 'normal', qty: 100, price: 1000 };
    expect(await previewed(desk, 'modify', trade.reconfirmOrder, confirming, { as: 'limited' })).toMatchObject({ wouldPass: false });
    expect(await desk.call(trade.reconfirmOrder, confirming, { as: 'limited' })).toMatchObject({ code });
    expect(await desk.call(trade.modifyOrder, changing, { as: 'limited' })).toMatchObject({ code });
    expect(await desk.payload(accounts.getOrders, shares)).toMatchObject({ orderList: [{ orderStatus: UNSUBMITTED }] });
    // The owner may do both.
    expect(await desk.call(trade.reconfirmOrder, confirming)).toMatchObject({ retType: 0 });
  });
});

it('previews a reconfirm as what would be sent, counted whole', async () => {
  const desk = await openDesk({
    keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { maxDailyValue: '2000000' } } },
  });
  try {
    const { orderID } = await desk.payload(trade.placeOrder, { ...order, market: 'HK', env: 'simulate', side: 'BUY', price: SLIP });
    const preview = await previewed(desk, 'modify', trade.reconfirmOrder, {
      acc_id: HK_MARGIN,
      order_id: String(orderID),
      reconfirm_op: 2,
    });
    expect(preview).toMatchObject({ op: 'reconfirm', env: 'simulate', wouldPass: true, order: { status: 'Unsubmitted' } });
    expect(preview.increase).toBe(parseDecimal('900000'));
    expect(previewSentence(preview)).toMatch(/^Confirm order \S+ \(Buy 100 HK\.00700/);
  } finally {
    await desk.close();
  }
});
