import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../support/accounts.js';
import { backendName } from '../support/backend-behind.js';
import { TestDaemon } from '../support/daemon.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const daemon = TestDaemon.forAll({
  keys: { desk: { scopes }, capped: { scopes, limits: { maxOrderValue: '1000' } }, reader: { scopes: ['qot:read', 'acc:read'] } },
  flags: ['--enable-trading'],
});

/** The simulated brokerage decides beforehand; others decide when the order comes. */
const decided = backendName === 'sim';
const passes = decided || null;
const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const order = { ...account, side: BUY, code: '00700', qty: 100, order_type: NORMAL, price: 300 };
const text = { 'x-svc-int64': 'string' };
const preview = (body: object, as: 'desk' | 'capped' | 'reader' = 'desk', headers = {}) =>
  daemon.as(as).post('/api/preview', body, headers);
const orders = async () => (await daemon.as('desk').s2c('/api/orders', account, text)).order_list as { order_id_ex: string }[];

describe('POST /api/preview', () => {
  it('says of an order what it would be worth, cost and meet, and sends nothing', async () => {
    const answer = await preview(order, 'desk', text);
    expect(answer).toMatchObject({ status: 200, json: { ret_type: 0, ret_msg: null, err_code: null } });
    expect(answer.json.s2c).toMatchObject({
      ...{ preview: 'place', operation: 'place_order', acc_id: HK_MARGIN, env: 'simulate', symbol: 'HK.00700' },
      ...{ value: 30_000, currency: 'HKD', would_pass: passes, brokerage_decided: decided },
      reason: decided ? null : expect.stringContaining('decides only on the order itself'),
    });
    expect(await orders()).toEqual([]);
  });

  it('says of each “no” why, and what would be accepted', async () => {
    const { s2c } = (await preview({ ...order, qty: 150 }, 'capped')).json;
    expect(s2c).toMatchObject({ would_pass: false, code: 'limit.order_value' });
    if (!decided) return;
    expect(s2c.reasons).toMatchObject([
      { code: 'limit.order_value', reason: s2c.reason },
      { code: 'broker.lot_size', reason: expect.stringContaining('nearest: 100 and 200') },
    ]);
  });

  it('takes the name of any write that has a preview', async () => {
    const placed = await daemon.as('desk').s2c('/api/order', order, text);
    const { order_id_ex } = placed;
    for (const [operation, body, kind] of [
      ['modify_order', { ...account, order_id_ex, op: 1, qty: 100, price: 310 }, 'modify'],
      ['cancel_order', { ...account, order_id_ex }, 'cancel'],
      ['cancel_all_order', account, 'cancel'],
      ['place_bracket_order', { ...order, take_profit_price: 400, stop_loss_price: 200 }, 'place'],
    ] as const) {
      expect((await preview({ operation, ...body })).json.s2c, operation).toMatchObject({ preview: kind, operation, would_pass: passes });
    }
    expect((await orders()).map((one) => one.order_id_ex)).toEqual([order_id_ex]);
  });

  it('repeats the remark of an order, of several legs too, and of one that is there', async () => {
    const remark = 'pair "1"';
    const noted = { ...order, remark };
    expect((await preview(noted)).json.s2c).toMatchObject({ remark });
    expect((await preview(order)).json.s2c).not.toHaveProperty('remark');
    const bracket = { operation: 'place_bracket_order', ...noted, take_profit_price: 400, stop_loss_price: 200 };
    expect((await preview(bracket)).json.s2c).toMatchObject({ remark });
    const leg = { security: { market: HK, code: '00700' }, side: BUY, qty_ratio: 1 };
    const legs = { combo_legs: [leg, { ...leg, security: { market: HK, code: '00005' } }], price: 1, remark };
    expect((await preview({ operation: 'place_combo_order', ...account, qty: 100, order_type: NORMAL, ...legs })).json.s2c).toMatchObject({
      remark,
    });
    const { order_id_ex } = await daemon.as('desk').s2c('/api/order', noted, text);
    const { orders: named } = (await preview({ operation: 'cancel_order', ...account, order_id_ex })).json.s2c;
    expect(named).toMatchObject([{ order_id_ex, remark }]);
    await daemon.as('desk').s2c('/api/cancel-order', { ...account, order_id_ex });
  });

  it('values the leg that the price of an order allows most for exactly, where it divides evenly', async () => {
    const leg = (code: string, side: number) => ({ security: { market: HK, code }, side, qty_ratio: 1 });
    const legs = { combo_legs: [leg('00700', BUY), leg('00005', BUY)], price: 100_000 };
    const { s2c } = (await preview({ operation: 'place_combo_order', ...account, qty: 100, order_type: NORMAL, ...legs })).json;
    const prices = s2c.legs.map((one: { valued_at: { price: number } }) => one.valued_at.price);
    // Both prices of the market have five places at most: two, and three of the 5 % on top.
    expect(s2c.legs[0].valued_at.basis).toBe('net_price');
    for (const price of prices) expect(String(price)).toMatch(/^\d+(\.\d{1,5})?$/);
  });

  it('answers as the write would where there is nothing to preview', async () => {
    const unknown = await preview({ operation: 'cancel_order', ...account, order_id_ex: 'none' });
    expect([unknown.status, unknown.json.ret_type, unknown.json.code]).toEqual([200, -1, 'broker.unknown_order']);
  });

  it('needs the scopes of the write, and tells others nothing of the body', async () => {
    for (const body of [order, { operation: 'nothing' }, { operation: 'place_order', color: 'red' }]) {
      expect([(await preview(body, 'reader')).status, (await preview(body, 'reader')).json.code]).toEqual([403, 'auth.scope']);
    }
    expect((await daemon.as().post('/api/preview', order)).status).toBe(401);
  });

  it('names what it does not understand', async () => {
    for (const [body, code, says] of [
      [{ operation: 'get_quote', symbol: 'HK.00700' }, 'request.invalid', '; found the string "get_quote"'],
      [{ operation: 7 }, 'request.invalid', '; found the number 7'],
      [{ ...order, color: 'red' }, 'request.unknown_field', 'color'],
      [{ ...order, operatoin: 'cancel_order' }, 'request.unknown_field', 'operatoin'],
      [{ ...order, code: undefined }, 'request.missing_field', 'code'],
    ] as const) {
      const { status, json } = await preview(body);
      expect([status, json.code]).toEqual([400, code]);
      expect(json.error).toContain(says);
    }
    expect((await daemon.as('desk').post('/api/preview', '{')).json).toMatchObject({ code: 'request.malformed_json' });
    const get = await daemon.as('desk').get('/api/preview');
    expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
  });

  it('names its own field among those that it takes', async () => {
    expect((await preview({ ...order, color: 'red' })).json.error).toMatch(/^unknown field "color"; accepted: operation, /);
    expect((await preview({ ...order, operatoin: 'x' })).json.error).toBe('unknown field "operatoin"; did you mean "operation"?');
  });

  it('is in the trail by its own path, as allowed', async () => {
    await preview(order);
    const line = (await daemon.audit()).filter(({ endpoint }) => endpoint === 'POST /api/preview').at(-1);
    expect(line).toMatchObject({
      outcome: 'allow',
      reason: decided ? 'preview: would pass' : expect.stringMatching(/^preview: the limits would let it pass;/),
      key_id: 'desk',
    });
  });
});

it('refused orders are listed over REST, for the key that sent them', async () => {
  const odd = await daemon.as('desk').post('/api/order', { ...order, qty: 50 });
  expect(odd.json).toMatchObject({ ret_type: -1, code: 'broker.lot_size', err_code: 'broker.lot_size' });
  const { refusal_list } = await daemon.as('desk').s2c('/api/refusals', { num: 1 }, text);
  expect(refusal_list).toMatchObject([
    {
      operation: 'place_order',
      refusal_code: 'broker.lot_size',
      reason: odd.json.ret_msg,
      symbol: 'HK.00700',
      qty: 50,
      request_id: odd.headers['x-request-id'],
    },
  ]);
  const got = await daemon.as('desk').get('/api/refusals?num=1');
  expect(got.json.s2c.refusal_list).toHaveLength(1);
  expect((await daemon.as('capped').s2c('/api/refusals', {}, text)).refusal_list).toEqual([]);
});
