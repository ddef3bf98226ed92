import { replayClock } from '@svc-gateway/contract/clock';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, MARKET, NORMAL, REAL, REAL_ENV, SELL, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { PushClient, PushFrame } from '../support/push-client.js';

/** Trd_Common.OrderStatus. */
const SUBMITTED = 5;
const FILLED = 11;
const CANCELLED = 15;
const ORDER_PUSH = 2208;
const FILL_PUSH = 2218;

let push: PushClient;
const daemon = TestDaemon.forAll({
  simulationClock: replayClock(Date.now(), 20),
  keys: {
    desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
    witness: { scopes: ['qot:read', 'acc:read'] },
    owner: { scopes: ['qot:read', 'acc:read', 'trade:real', 'trade:unlock'] },
  },
  flags: ['--enable-trading'],
});
beforeAll(async () => {
  push = await daemon.push('desk', '?int64=string');
});

const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const buy = { ...account, side: BUY, code: '00700', qty: 100 };
const text = { 'x-svc-int64': 'string' };

const orderPush = (id: string, status?: number) => (frame: PushFrame) =>
  frame.proto_id === ORDER_PUSH && frame.body.order.order_id === id && (status === undefined || frame.body.order.order_status === status);
const fillPush = (id: string) => (frame: PushFrame) => frame.proto_id === FILL_PUSH && frame.body.order_fill.order_id === id;

async function place(body: object): Promise<{ order_id: string; order_id_ex: string }> {
  return daemon.as('desk').s2c('/api/order', body, text);
}

async function orderOf(order_id_ex: string) {
  const { order_list } = await daemon.as('desk').s2c('/api/orders', account, text);
  return order_list.find((order: { order_id_ex: string }) => order.order_id_ex === order_id_ex);
}

/** A price far below the market, on the price grid. */
async function lowPrice(): Promise<number> {
  const { order_book_bid_list } = await daemon.as('desk').s2c('/api/orderbook', { symbol: 'HK.00700', depth: 1 });
  return Math.floor(order_book_bid_list[0].price * 0.9);
}

const read = (path: string, body: object = account) => daemon.as('desk').s2c(path, body, text);

describe('account pushes', () => {
  it('pushes an account from sub-acc-push until unsub-acc-push', async () => {
    const witness = await daemon.push('witness', '?int64=string');
    await daemon.as('witness').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const silent = await place({ ...buy, price: await lowPrice(), order_type: NORMAL });
    await witness.frame(orderPush(silent.order_id, SUBMITTED), 'the order, for another key');
    await read('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const told = await place({ ...buy, price: await lowPrice(), order_type: NORMAL });
    const pushed = await push.frame(orderPush(told.order_id), 'the order');
    expect(pushed).toMatchObject({ type: 'trade', acc_id: HK_MARGIN, trd_market: 'HK' });
    await read('/api/unsub-acc-push', { acc_id_list: [HK_MARGIN] });
    const untold = await place({ ...buy, price: await lowPrice(), order_type: NORMAL });
    await read('/api/cancel-all-order', account);
    await witness.frame(orderPush(untold.order_id, CANCELLED), 'its cancellation, for the other key');
    await read('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const last = await place({ ...buy, price: await lowPrice(), order_type: NORMAL });
    await push.frame(orderPush(last.order_id), 'the last order');
    expect(push.frames.filter(orderPush(silent.order_id))).toEqual([]);
    expect(push.frames.filter(orderPush(untold.order_id))).toEqual([]);
    await read('/api/cancel-all-order', account);
    await push.frame(orderPush(last.order_id, CANCELLED), 'its cancellation');
  });

  it('refuses pushes of an unknown account', async () => {
    const answer = await daemon.as('desk').post('/api/sub-acc-push', { acc_id_list: ['123456789012345678'] });
    expect([answer.status, answer.json.ret_type]).toEqual([200, -1]);
    expect(answer.json.ret_msg).toContain('123456789012345678');
  });
});

describe('an order', () => {
  it('fills an order: pushes, orders, fills, positions and funds agree', async () => {
    const before = await read('/api/funds');
    const positionsBefore = (await read('/api/positions')).position_list;
    const { order_id, order_id_ex } = await place({ ...buy, order_type: MARKET, qty: 300 });
    const done = await push.frame(orderPush(order_id, FILLED), 'the filled order');
    const fills = push.frames.filter(fillPush(order_id)).map(({ body }) => body.order_fill);
    const quantity = fills.reduce((sum, fill) => sum + fill.qty, 0);
    const value = fills.reduce((sum, fill) => sum + fill.qty * fill.price, 0);
    expect(quantity).toBe(300);
    expect(done.body.order).toMatchObject({ fill_qty: 300, fill_avg_price: expect.closeTo(value / 300, 6) });
    expect(push.frames.findIndex(orderPush(order_id))).toBeLessThan(push.frames.findIndex(fillPush(order_id)));

    expect(await orderOf(order_id_ex)).toMatchObject({ order_id, order_status: FILLED, fill_qty: 300, trd_side: BUY });
    const listed = (await read('/api/order-fills')).order_fill_list.filter(
      (fill: { order_id_ex: string }) => fill.order_id_ex === order_id_ex,
    );
    expect(listed.map((fill: { fill_id: string }) => fill.fill_id).sort()).toEqual(fills.map(({ fill_id }) => fill_id).sort());

    const held = (list: { code: string; qty: number }[]) => list.find(({ code }) => code === '00700')?.qty ?? 0;
    const { position_list } = await read('/api/positions', { ...account, refresh_cache: true });
    expect(held(position_list) - held(positionsBefore)).toBe(300);

    const { order_fee_list } = await read('/api/order-fee', { acc_id: HK_MARGIN, env: SIMULATE, order_id_ex_list: [order_id_ex] });
    const fee = order_fee_list[0].fee_amount;
    expect(fee).toBeGreaterThan(0);
    const after = await read('/api/funds', { ...account, refresh_cache: true });
    expect(before.funds.cash - after.funds.cash).toBeCloseTo(value + fee, 6);

    const { order_id: sold } = await place({ ...buy, side: SELL, order_type: MARKET, qty: 300 });
    await push.frame(orderPush(sold, FILLED), 'the sale');
    expect(held((await read('/api/positions')).position_list)).toBe(held(positionsBefore));
  });

  it('modifies and cancels an order, and acknowledges the cancel after the order was refreshed', async () => {
    const price = await lowPrice();
    const { order_id, order_id_ex } = await place({ ...buy, price, order_type: NORMAL });
    await push.frame(orderPush(order_id, SUBMITTED), 'the submitted order');
    const header = { trd_env: 1, acc_id: HK_MARGIN, trd_market: HK };
    await read('/api/modify-order', { c2s: { header, order_id, modify_order_op: 1, qty: 200, price: price - 1 } });
    const changed = (frame: PushFrame) => orderPush(order_id)(frame) && frame.body.order.qty === 200;
    expect((await push.frame(changed, 'the change')).body.order.price).toBe(price - 1);
    expect(await orderOf(order_id_ex)).toMatchObject({ qty: 200, price: price - 1, order_status: SUBMITTED });

    await read('/api/cancel-order', { market: 'HK', env: 'sim', acc_id: HK_MARGIN, order_id_ex, op: 'cancel' });
    await push.frame(orderPush(order_id, CANCELLED), 'the cancelled order');
    expect(await orderOf(order_id_ex)).toMatchObject({ order_status: CANCELLED, fill_qty: 0 });
    const again = await daemon.as('desk').post('/api/cancel-order', { market: 'HK', env: 'simulate', acc_id: HK_MARGIN, order_id_ex });
    expect([again.status, again.json.ret_type]).toEqual([200, -1]);
  });

  it('cancels an order by modify-order in its low-level environment', async () => {
    const { order_id } = await place({ ...buy, price: await lowPrice(), order_type: NORMAL });
    const header = { trd_env: 1, acc_id: HK_MARGIN, trd_market: HK };
    await read('/api/modify-order', { c2s: { packet_id: { conn_id: 1, serial_no: 1 }, header, order_id, modify_order_op: 2 } });
    await push.frame(orderPush(order_id, CANCELLED), 'the cancelled order');
  });

  it('takes an order by its low-level body, aliases and a full symbol alike', async () => {
    const price = await lowPrice();
    const header = { trd_env: SIMULATE, acc_id: HK_MARGIN, trd_market: HK };
    const bodies = [
      { packet_id: { conn_id: 1, serial_no: 1 }, header, trd_side: BUY, order_type: NORMAL, code: '00700', qty: 100, price, sec_market: 1 },
      { c2s: { packet_id: { conn_id: 1, serial_no: 1 }, header, trd_side: BUY, order_type: NORMAL, code: '00700', qty: 100, price } },
      { trd_market: HK, acc_id: HK_MARGIN, trd_env: SIMULATE, trd_side: BUY, code: '00700', qty: 100, price },
      { symbol: 'HK.00700', acc_id: HK_MARGIN, env: SIMULATE, side: BUY, qty: 100, price },
    ];
    for (const body of bodies) {
      const { order_id_ex } = await place(body);
      expect(await orderOf(order_id_ex)).toMatchObject({ code: '00700', qty: 100, price, trd_side: BUY, order_type: 1, sec_market: 1 });
    }
    await read('/api/cancel-all-order', account);
  });

  it('answers the brokerage’s refusal of an order with its text at HTTP 200', async () => {
    for (const body of [
      { ...buy, code: '99999', price: 10, order_type: NORMAL },
      { ...buy, qty: 50, price: await lowPrice(), order_type: NORMAL },
      { ...buy, qty: 10_000_000, price: await lowPrice(), order_type: NORMAL },
    ]) {
      const answer = await daemon.as('desk').post('/api/order', body);
      expect([answer.status, answer.json.ret_type, answer.json.ret_msg.length > 0]).toEqual([200, -1, true]);
    }
  });
});

describe('cancel-all', () => {
  it('cancels every working order of an account and market, and of no other', async () => {
    await read('/api/sub-acc-push', { acc_id_list: [HK_MARGIN, HK_CASH] });
    const price = await lowPrice();
    const other = await place({ ...buy, acc_id: HK_CASH, price, order_type: NORMAL });
    const mine = await Promise.all([1, 2, 3].map(() => place({ ...buy, price, order_type: NORMAL })));
    await read('/api/cancel-all-order', account);
    for (const { order_id } of mine) await push.frame(orderPush(order_id, CANCELLED), 'a cancelled order');
    const { order_list } = await read('/api/orders', { ...account, acc_id: HK_CASH });
    expect(order_list.find((order: { order_id: string }) => order.order_id === other.order_id).order_status).not.toBe(CANCELLED);
    await read('/api/cancel-all-order', { ...account, acc_id: HK_CASH });
    await push.frame(orderPush(other.order_id, CANCELLED), 'the other order');
  });
});

describe('a real account', () => {
  it('trades in a real account once it is unlocked, and not after it is locked again', async () => {
    const owner = daemon.as('owner');
    const order = {
      market: HK,
      acc_id: REAL,
      env: REAL_ENV,
      side: BUY,
      code: '00700',
      qty: 100,
      price: await lowPrice(),
      order_type: NORMAL,
    };
    const locked = await owner.post('/api/order', order);
    expect([locked.status, locked.json.ret_type]).toEqual([200, -1]);
    const wrong = await owner.post('/api/unlock-trade', { unlock: true, pwd_md5: '0'.repeat(32) });
    expect([wrong.status, wrong.json.ret_type === 0]).toEqual([200, false]);
    await owner.s2c('/api/unlock-trade', { unlock: true, pwd_md5: 'e10adc3949ba59abbe56e057f20f883e' });
    await owner.s2c('/api/order', order);
    await owner.s2c('/api/cancel-all-order', { market: HK, acc_id: REAL, env: REAL_ENV });
    await owner.s2c('/api/unlock-trade', { unlock: false });
    expect((await owner.post('/api/order', order)).json.ret_type).toBe(-1);
  });
});
