import { create } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import { replayClock } from '@svc-gateway/contract/clock';
import { parseDecimal } from '@svc-gateway/contract/decimal';
import { C2SSchema as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import { account, trade } from '@svc-gateway/contract/operations';
import { previewSentence, previewText } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { type Desk, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';
import type { PushFrame } from '../support/push-client.js';

/** Trd_Common.TrdSide. */
const SELL_SHORT = 3;
/** Trd_Common.OrderStatus. */
const SUBMITTED = 5;
const FILLED = 11;
const CANCELLED = 15;
const ORDER_PUSH = 2208;

const text = { 'x-svc-int64': 'string' };
const header = { trd_env: SIMULATE, acc_id: HK_MARGIN, trd_market: HK };
const leg = (code: string, side: number, qty_ratio: number) => ({ security: { market: HK, code }, side, qty_ratio });
/** Long one, short the other: at these prices of the market a unit costs about what it brings. */
const legs = [leg('00700', BUY, 1), leg('00005', SELL_SHORT, 4)];
const combo = { header, combo_legs: legs, qty: 100, order_type: NORMAL };

describe('an order of several legs', () => {
  const daemon = TestDaemon.forAll({
    simulationClock: replayClock(Date.now(), 20),
    keys: {
      desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
      narrow: { scopes: ['qot:read', 'acc:read'], limits: { allowedSymbols: 'HK.00700' } },
    },
    flags: ['--enable-trading'],
  });

  const read = (path: string, body: object) => daemon.as('desk').s2c(path, body, text);
  const orderOf = async (id: string) => {
    const { order_list } = await read('/api/orders', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
    return order_list.find((order: { order_id_ex: string }) => order.order_id_ex === id);
  };
  const told = (id: string, status: number) => (frame: PushFrame) =>
    frame.proto_id === ORDER_PUSH && frame.body.order.order_id_ex === id && frame.body.order.order_status === status;

  it('places a combo order without a packet id, lists its legs, modifies and cancels it', async () => {
    const push = await daemon.push('desk', '?int64=string');
    await read('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const { order_id_ex: id } = await read('/api/combo-order', { c2s: { ...combo, price: -5_000, remark: 'pair' } });
    await push.frame(told(id, SUBMITTED), 'the order');
    expect(await orderOf(id)).toMatchObject({
      qty: 100,
      price: -5_000,
      remark: 'pair',
      combo_legs: legs,
    });
    const named = { header: { ...header, trd_env: 1 }, order_id_ex: id };
    await read('/api/modify-order', { ...named, modify_order_op: 1, qty: 200, price: -5_001 });
    expect(await orderOf(id)).toMatchObject({ qty: 200, price: -5_001, combo_legs: legs });
    await read('/api/cancel-order', { acc_id: HK_MARGIN, env: SIMULATE, market: HK, order_id_ex: id });
    await push.frame(told(id, CANCELLED), 'its cancellation');
  });

  it('pushes a combo order to no key that may not see one of its legs', async () => {
    const push = await daemon.push('narrow', '?int64=string');
    await daemon.as('narrow').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] }, text);
    const { order_id_ex: hidden } = await read('/api/combo-order', { ...combo, price: -5_000 });
    const plain = { acc_id: HK_MARGIN, env: SIMULATE, market: HK, code: '00700', side: BUY, order_type: 1, qty: 100, price: 1 };
    const { order_id_ex: own } = await read('/api/order', plain);
    await push.frame(told(own, SUBMITTED), 'its own order');
    const seen = push.frames.filter(({ proto_id }) => proto_id === ORDER_PUSH).map(({ body }) => body.order.order_id_ex);
    expect(seen).toContain(own);
    expect(seen).not.toContain(hidden);
    for (const order_id_ex of [hidden, own]) await read('/api/cancel-order', { acc_id: HK_MARGIN, env: SIMULATE, market: HK, order_id_ex });
  });

  it('fills a combo order leg by leg in its ratio, and tells it once', async () => {
    const push = await daemon.push('desk', '?int64=string');
    await read('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const { order_id_ex: id } = await read('/api/combo-order', { ...combo, price: 5_000 });
    await push.frame(told(id, FILLED), 'the filled order');
    const { order_fill_list } = await read('/api/order-fills', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
    const own = order_fill_list.filter((fill: { order_id_ex: string }) => fill.order_id_ex === id);
    const traded = (code: string) =>
      own.filter((fill: { code: string }) => fill.code === code).reduce((sum: number, { qty }: { qty: number }) => sum + qty, 0);
    expect([traded('00700'), traded('00005')]).toEqual([100, 400]);
  });

  it('takes a combo order of one leg for an order for its security', async () => {
    const { order_id_ex: id } = await read('/api/combo-order', { ...combo, combo_legs: legs.slice(0, 1), price: 100 });
    const { order_list } = await read('/api/orders', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
    const order = order_list.find((one: { order_id_ex: string }) => one.order_id_ex === id);
    expect(order).toMatchObject({ code: '00700', qty: combo.qty, price: 100, trd_side: 1 });
    expect(order.combo_legs ?? []).toEqual([]);
    await read('/api/cancel-all-order', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
  });

  it('refuses a price above zero for one leg that is sold, and says what it means below zero', async () => {
    const sold = { ...combo, combo_legs: [{ ...legs[0], side: 2 }], price: 100 };
    const { json } = await daemon.as('desk').post('/api/combo-order', sold, text);
    expect(json).toMatchObject({ err_code: 'broker.price', ret_msg: expect.stringMatching(/^price 100 must be below 0: .* give -100$/) });
  });

  it('places a combo order once under an idempotency key', async () => {
    const once = { ...text, 'idempotency-key': 'combo-1' };
    const first = await daemon.as('desk').s2c('/api/combo-order', { ...combo, price: -6_000 }, once);
    const second = await daemon.as('desk').s2c('/api/combo-order', { ...combo, price: -6_000 }, once);
    expect(second).toEqual(first);
    await read('/api/cancel-all-order', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
  });

  it.each([
    [{ ...combo, combo_legs: [] }, 400, 'combo_legs'],
    [{ ...combo, combo_legs: [] }, 400, 'missing field "price": required when order_type is NORMAL; combo_legs: expected 1 to 10 entries'],
    [{ ...combo, price: 0, combo_legs: [] }, 400, 'combo_legs: expected 1 to 10 entries, found none'],
    [{ ...combo, price: 0, combo_legs: legs.slice(0, 1), order_type: undefined }, 400, 'missing field "order_type"'],
    [{ ...combo, price: 0, order_type: 2 }, 400, 'order_type: expected one of 1 (NORMAL), found the number 2'],
    [combo, 400, 'missing field "price"'],
    [{ ...combo, price: 0, qty: 0 }, 400, 'qty: 0 is out of range'],
    [{ ...combo, price: 0, combo_legs: [legs[0], { ...legs[1], side: 9 }] }, 400, 'side'],
    [{ ...combo, price: 0, combo_legs: [legs[0], { ...legs[1], qty_ratio: -1 }] }, 400, 'combo_legs[1].qty_ratio: -1'],
    [
      { ...combo, price: 0, combo_legs: [legs[0], { ...legs[1], security: { market: 11, code: 'AAPL' } }] },
      400,
      'US is not traded in market HK',
    ],
  ])('%j is refused: %i', async (body, status, message) => {
    const answer = await daemon.as('desk').post('/api/combo-order', body);
    expect(answer.status).toBe(status);
    expect(answer.json.error).toContain(message);
  });
});

describe('limits hold an order of several legs', () => {
  let desk: Desk;
  afterEach(() => desk.close());
  const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
  const open = async (limits: LimitFlags, flags: LimitFlags = {}) => {
    desk = await openDesk({ keys: { desk: { scopes, limits } }, flags });
  };
  const c2s = { ...combo, header: { ...header, trd_env: 'simulate' }, price: 10 };
  const place = (changes: object = {}) => desk.call(trade.placeComboOrder, { c2s: { ...c2s, ...changes } });

  it('refuses an unknown side of a leg with those that are accepted, over the protocol too', async () => {
    await open({});
    const comboLegs = [leg('00700', BUY, 1), leg('00005', 9, 4)].map(({ security, side, qty_ratio }) => ({
      security,
      side,
      qtyRatio: qty_ratio,
    }));
    const c2s = create(ComboC2S, {
      ...{ header: { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: HK }, packetID: { connID: 0n, serialNo: 0 } },
      ...{ comboLegs, qty: 100, price: 10, orderType: NORMAL },
    });
    const message = 'combo_legs[1].side: unknown side 9, accepted: 1 (BUY), 2 (SELL), 3 (SELL_SHORT), 4 (BUY_BACK)';
    expect(await desk.call(trade.placeComboOrder, c2s)).toMatchObject({ code: 'request.invalid', message });
  });

  it('holds a combo order to the limits by each of its securities', async () => {
    await open({ allowedSymbols: 'HK.00700' });
    expect(await place()).toMatchObject({ code: 'limit.symbol', message: expect.stringContaining('HK.00005') });
  });

  it('holds a combo order to the limits by each of its sides', async () => {
    await open({ allowedTrdSides: 'BUY' });
    expect(await place()).toMatchObject({ code: 'limit.side' });
  });

  it('holds a combo order to the limits by the value of its legs, not by their net price', async () => {
    await open({ maxOrderValue: '1000' });
    expect(await place({ price: 0 })).toMatchObject({ code: 'limit.order_value' });
    // The price's allowance for the first leg counts, however far above the market.
    await desk.close();
    await open({ maxOrderValue: '1000000' });
    expect(await place({ price: 20_000 })).toMatchObject({ code: 'limit.order_value' });
    expect(await place({ price: -5_000 })).toMatchObject({ retType: 0 });
  });

  it('holds a growing combo order to the limits', async () => {
    await open({ maxOrderValue: '100000' });
    const { orderIDEx } = await desk.payload(trade.placeComboOrder, { c2s: { ...c2s, price: -5_000 } });
    const change = { c2s: { header: c2s.header, order_id_ex: orderIDEx, modify_order_op: 1, qty: 1_000, price: -5_000 } };
    expect(await desk.call(trade.modifyOrder, change)).toMatchObject({ code: 'limit.order_value' });
    const preview = await previewed(desk, 'modify', trade.modifyOrder, change);
    expect(preview).toMatchObject({ wouldPass: false, order: { symbol: 'BUY 1 HK.00700 + SELL_SHORT 4 HK.00005' } });
  });

  it('hides a combo order from a key that may not see one of its securities', async () => {
    await open({});
    await place({ price: -5_000 });
    const { orderList } = await desk.payload(account.getOrders, { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' });
    expect(orderList).toHaveLength(1);
    await desk.close();
    desk = await openDesk({ keys: { desk: { scopes }, narrow: { scopes, limits: { allowedSymbols: 'HK.00700' } } } });
    await place({ price: -5_000 });
    const narrow = await desk.payload(account.getOrders, { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' }, { as: 'narrow' });
    expect(narrow.orderList).toEqual([]);
  });

  it('foretells the limits of a combo order in its preview', async () => {
    await open({ maxOrderValue: '1000' });
    const preview = await previewed(desk, 'combo', trade.placeComboOrder, { c2s });
    expect(preview).toMatchObject({
      operation: 'place_combo_order',
      terms: {
        legs: [
          { symbol: 'HK.00700', name: 'TENCENT', side: 'BUY', qty: parseDecimal('100') },
          { symbol: 'HK.00005', side: 'SELL_SHORT', qty: parseDecimal('400') },
        ],
        qty: parseDecimal('100'),
        price: parseDecimal('10'),
      },
      currency: 'HKD',
      wouldPass: false,
      refusal: { code: 'limit.order_value' },
      capacity: { enough: true },
    });
    expect(preview.fees?.total).toBeGreaterThan(0n);
    expect(previewSentence(preview)).toMatch(
      /^Buy 100 HK\.00700 \(TENCENT\) and sell short 400 HK\.00005 .* together at a net 10 HKD for each of 100 units/,
    );
    expect(JSON.parse(previewText(preview))).toMatchObject({ preview: 'combo', legs: [{ symbol: 'HK.00700' }, { symbol: 'HK.00005' }] });
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('place_combo_order');
  });
});
