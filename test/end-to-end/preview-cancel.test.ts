import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trade } from '../../src/contract/operations/index.js';
import { previewSentence, previewText } from '../../src/gateway/index.js';
import { HK_MARGIN } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';

const all = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
const buy = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 350 };
/** Longer than an order or a cancel takes to the exchange. */
const SETTLED_MS = 1000;

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } } });
});
afterEach(() => desk.close());

async function place(fields: object = {}): Promise<string> {
  const { orderIDEx } = await desk.payload(trade.placeOrder, { ...buy, ...fields });
  desk.clock.advance(SETTLED_MS);
  return orderIDEx;
}

describe('the preview of a cancel', () => {
  it('shows the order that would end, and meets no gate', async () => {
    const order = await place();
    const preview = await previewed(desk, 'cancel', trade.cancelOrder, { ...all, order_id_ex: order });
    expect(preview).toMatchObject({
      all: false,
      count: 1,
      orders: [{ orderIdEx: order, remainingQty: 100_000_000_000n }],
      gates: [],
      wouldPass: true,
    });
    expect(previewSentence(preview)).toBe(
      `Cancel order ${order} (Buy 100 HK.00700 (TENCENT) at limit 350) in the simulated account 2817…7002.`,
    );
    const text = JSON.parse(previewText(preview, 'string'));
    expect(text.orders[0]).toMatchObject({ order_id: String(preview.orders?.[0]?.orderId), order_id_ex: order, remaining_qty: 100 });
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('cancel_order');
    expect(await previewed(desk, 'cancel', trade.modifyOrder, { ...all, order_id_ex: order, modify_order_op: 'cancel' })).toEqual({
      ...preview,
      operation: 'modify_order',
    });
  });

  it('of an order that is over says that nothing would be cancelled', async () => {
    const order = await place();
    await desk.payload(trade.cancelOrder, { ...all, order_id_ex: order });
    desk.clock.advance(SETTLED_MS);
    const preview = await previewed(desk, 'cancel', trade.cancelOrder, { ...all, order_id_ex: order });
    expect(preview).toMatchObject({ count: 0, orders: [] });
    expect(previewSentence(preview)).toBe(
      'Nothing would be cancelled in the simulated account 2817…7002: the order is not working any more.',
    );
  });

  it('of an order that there is not is a failure', async () => {
    expect(await desk.preview(trade.cancelOrder, { ...all, order_id_ex: 'nothing' })).toMatchObject({ retType: -1 });
  });
});

describe('the preview of a cancel-all', () => {
  it('lists just the orders that then end', async () => {
    const gone = await place();
    await desk.payload(trade.cancelOrder, { ...all, order_id_ex: gone });
    const open = [await place(), await place({ price: 340 }), await place({ symbol: 'HK.00005', price: 50, qty: 400 })];
    const preview = await previewed(desk, 'cancel', trade.cancelAllOrder, all);
    expect(preview).toMatchObject({ all: true, count: 3, gates: [], wouldPass: true });
    expect(preview.orders?.map(({ orderIdEx }) => orderIdEx).sort()).toEqual([...open].sort());
    expect(previewSentence(preview)).toMatch(
      /^Cancel 3 orders in the simulated account 2817…7002: order \S+ \(Buy .*\); order .*; order .*\)\.$/,
    );
    await desk.payload(trade.cancelAllOrder, all);
    desk.clock.advance(SETTLED_MS);
    const after = await previewed(desk, 'cancel', trade.cancelAllOrder, all);
    expect(after).toMatchObject({ count: 0, orders: [] });
    expect(previewSentence(after)).toBe('Nothing would be cancelled in the simulated account 2817…7002: no order is working in market HK.');
  });

  it('lists the first hundred of many, and counts them all', async () => {
    for (let placed = 0; placed < 103; placed++) await desk.payload(trade.placeOrder, buy);
    const preview = await previewed(desk, 'cancel', trade.cancelAllOrder, all);
    expect([preview.count, preview.orders?.length]).toEqual([103, 100]);
    expect(previewSentence(preview)).toMatch(/^Cancel 103 orders .*; and 98 more\.$/);
  });

  it('of an account that there is not is what the cancel would be answered', async () => {
    const nobody = { ...all, acc_id: '281756478396547999' };
    const [preview, call] = [await desk.preview(trade.cancelAllOrder, nobody), await desk.call(trade.cancelAllOrder, nobody)];
    expect(preview).toMatchObject({ retType: -1, retMsg: (call as { retMsg: string }).retMsg });
  });
});
