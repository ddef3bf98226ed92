import { account, admin, quote, trade } from '@svc-gateway/contract/operations';
import { previewSentence, previewText, type ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, REAL } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { foretold, previewed, refusalOf } from '../support/previews.js';
import { until } from '../support/until.js';

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
      `Nothing would be cancelled in the simulated account 2817…7002: the order is not working any more. By the brokerage it would be refused: order ${order} is cancelled and cannot be cancelled.`,
    );
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
});

describe('the preview of a request for all orders', () => {
  const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:real'] as const;
  const keys = {
    desk: { scopes },
    halted: { scopes },
    elsewhere: { scopes, limits: { allowedSymbols: 'HK.00005' } },
    blind: { scopes: ['trade:simulate', 'trade:real'] },
    ops: { scopes: ['admin'] },
  } as const;
  const callers = ['desk', 'halted', 'elsewhere', 'blind'] as const;
  const changes = (op: string) => [trade.modifyOrder, { ...all, op, for_all: true, qty: 100, price: 300 }] as const;
  const requests = [
    [trade.cancelAllOrder, all],
    [trade.cancelAllOrder, { ...all, including_exits: true }],
    [trade.cancelAllOrder, { ...all, market: 'US' }],
    [trade.cancelAllOrder, { ...all, acc_id: '1' }],
    // Locked: there is no trade password here.
    [trade.cancelAllOrder, { ...all, acc_id: REAL, env: 'real' }],
    ...['normal', 'cancel', 'disable', 'enable', 'delete'].map(changes),
  ] as const;

  async function open(): Promise<void> {
    await desk.close();
    desk = await openDesk({ keys });
    await desk.payload(admin.adminHalt, { key: 'halted' }, { as: 'ops', iface: 'grpc' });
  }

  /** An order, and a stop-loss in the market that is the exit of a bracket. */
  async function guarded(): Promise<void> {
    const { basicQotList } = await desk.payload(quote.getQuote, { symbols: ['HK.00700'] });
    const stop = Math.round((basicQotList[0]?.curPrice ?? 0) * 0.8);
    const bracket = { ...buy, order_type: 'MARKET', price: undefined, stop_loss_price: stop };
    const { bracketId } = await desk.payload(trade.placeBracketOrder, bracket);
    await until(async () => {
      desk.clock.advance(500);
      const { bracketList } = await desk.payload(trade.getBrackets, { ...all, bracket_id: bracketId });
      return bracketList[0]?.exitOrderIdEx || undefined;
    }, 'the exit');
    await place();
  }

  const openOrders = async () => {
    const { orderList } = await desk.payload(account.getOrders, { ...all, filter_status_list: [1, 2, 5, 10] });
    return orderList.length;
  };

  const named = requests.map(([operation, body]) => [`${operation.name} ${JSON.stringify(body)}`, operation, body] as const);
  it.each(named)('%s: says what it then comes to, for every key, with and without exits in the account', async (_, operation, body) => {
    for (const as of callers) {
      await open();
      for (const prepare of [place, guarded]) {
        await prepare();
        const before = await openOrders();
        const preview = await desk.preview(operation, body, { as });
        expect(await openOrders()).toBe(before);
        const answer = await desk.call(operation, body, { as });
        const what = `${as}, ${prepare.name}: ${JSON.stringify(body)}`;
        expect([what, foretold(preview)]).toEqual([what, refusalOf(answer)]);
        if ('retType' in preview || !('note' in preview) || preview.refusal !== null) continue;
        expect([what, preview.note ?? '']).toEqual([what, (answer as ResponseMessage).retMsg]);
        desk.clock.advance(SETTLED_MS);
        if (operation === trade.cancelAllOrder && 'count' in preview && preview.count !== null)
          expect([what, before - (await openOrders())]).toEqual([what, preview.count]);
      }
    }
  });

  it('names what it does to them, and the note that the write has', async () => {
    await open();
    await guarded();
    const cancel = await previewed(desk, 'cancel', ...changes('cancel'));
    expect(cancel).toMatchObject({ op: 'cancel', count: 1, note: '1 order that guards a position stays' });
    expect(previewSentence(cancel)).toMatch(/^Cancel order .*\. Note: 1 order that guards a position stays\.$/);
    expect(JSON.parse(previewText(cancel))).toMatchObject({ op: 'cancel', note: '1 order that guards a position stays' });
    const halted = await previewed(desk, 'cancel', trade.cancelAllOrder, { ...all, including_exits: true }, { as: 'halted' });
    expect(halted).toMatchObject({ wouldPass: false });
    expect(previewSentence(halted)).toContain('would be refused: order ');
  });
});
