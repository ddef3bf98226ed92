import { parseDecimal } from '@svc-gateway/contract/decimal';
import { account, trade } from '@svc-gateway/contract/operations';
import { previewSentence, previewText } from '@svc-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { foretold, previewed, refusalOf } from '../support/previews.js';

const account_ = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
const buy = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 350 };
/** Longer than an order takes to the exchange. */
const SETTLED_MS = 200;

const d = (text: string) => parseDecimal(text);

let desk: Desk;
/** A working order of 100 at 350. */
let order: string;

beforeEach(async () => {
  desk = await openDesk({ keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { maxDailyValue: '100000' } } } });
  order = (await desk.payload(trade.placeOrder, buy)).orderIDEx;
  desk.clock.advance(SETTLED_MS);
});
afterEach(() => desk.close());

const change = (fields: object) => ({ ...account_, order_id_ex: order, modify_order_op: 'normal', ...fields });

describe('the preview of a modify', () => {
  it('shows the order, what changes, and the increase that counts', async () => {
    const preview = await previewed(desk, 'modify', trade.modifyOrder, change({ qty: 200, price: 360 }));
    expect(preview).toMatchObject({
      op: 'normal',
      order: { orderIdEx: order, symbol: 'HK.00700', side: 'BUY', status: 'Submitted', qty: d('100'), price: d('350'), filledQty: 0n },
      newQty: d('200'),
      newPrice: d('360'),
      value: d('72000'),
      increase: d('37000'),
      currency: 'HKD',
      fees: { currency: 'HKD' },
      capacity: { enough: true },
      wouldPass: true,
    });
    expect(preview.gates).toContainEqual({
      gate: 'daily_value',
      holder: 'key',
      passes: true,
      limit: d('100000'),
      after: d('72000'),
      currency: 'HKD',
    });
    expect(previewSentence(preview)).toMatch(
      /^Change order \S+ \(Buy 100 HK\.00700 \(TENCENT\) at limit 350 HKD\) in the simulated account 2817…7002: quantity 100 to 200, price 350 to 360; value 72,000 HKD, 37,000 of it new for the day, fees about [\d.]+ HKD, day total afterwards 72,000 of 100,000\.$/,
    );
    expect(JSON.parse(previewText(preview))).toMatchObject({ preview: 'modify', new_qty: 200, new_price: 360, increase: 37000 });
  });

  it('counts nothing for less, and says what a rise would be refused with', async () => {
    const less = await previewed(desk, 'modify', trade.modifyOrder, change({ qty: 100, price: 300 }));
    expect(less).toMatchObject({ increase: 0n, value: d('30000'), wouldPass: true });
    const more = change({ qty: 1000, price: 350 });
    const rise = await previewed(desk, 'modify', trade.modifyOrder, more);
    expect(rise).toMatchObject({ increase: d('315000'), wouldPass: false });
    expect(rise.refusal?.code).toBe('limit.daily_value');
    expect(refusalOf(await desk.call(trade.modifyOrder, more))).toEqual(foretold(rise));
  });

  it('changes nothing', async () => {
    const before = await desk.payload(account.getOrders, account_);
    await previewed(desk, 'modify', trade.modifyOrder, change({ qty: 200, price: 360 }));
    await previewed(desk, 'modify', trade.modifyOrder, change({ modify_order_op: 'disable' }));
    desk.clock.advance(SETTLED_MS);
    expect(await desk.payload(account.getOrders, account_)).toEqual(before);
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('modify_order');
  });

  it('of a disabling meets no gate and has no value', async () => {
    const preview = await previewed(desk, 'modify', trade.modifyOrder, change({ modify_order_op: 'disable' }));
    expect(preview).toMatchObject({ op: 'disable', value: null, fees: null, increase: null, gates: [], wouldPass: true });
    expect(previewSentence(preview)).toMatch(/^Disable order \S+ \(Buy 100 HK\.00700 .*\) in the simulated account 2817…7002\.$/);
    expect(JSON.parse(previewText(preview))).toMatchObject({ currency: null, value: null, gates: [] });
  });

  it('of an unknown order equals the answer to the modify', async () => {
    const missing = change({ order_id_ex: 'nothing', qty: 100, price: 300 });
    const outcome = await desk.preview(trade.modifyOrder, missing);
    expect(outcome).toMatchObject({ retType: -1, retMsg: `no order nothing in account ${HK_MARGIN}` });
    expect(outcome).toEqual(await desk.call(trade.modifyOrder, missing));
  });
});
