import { refusalCode } from '@svc-gateway/contract/broker-codes';
import { account as accounts, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Answer, type Backend, BackendLost, BackendTimeout } from '@svc-gateway/gateway';
import { StorageFailure } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_CASH, HK_MARGIN, US_MARGIN } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { FullStore } from '../support/full-store.js';
import { until } from '../support/until.js';

/** "Why was it refused?": the orders of a key that were refused, and why, as far as the key may see that. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 350 };
const account = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
const HOUR_MS = 3_600_000;

let desk: Desk;
afterEach(() => desk.close());

async function open(backend: Partial<Backend> = {}, switches?: ReadonlySet<string>): Promise<void> {
  desk = await openDesk({
    keys: {
      desk: { scopes },
      other: { scopes },
      capped: { scopes, limits: { maxOrderValue: '1000' } },
      blind: { scopes: ['trade:simulate'] },
      narrow: { scopes, limits: { allowedSymbols: 'HK.00005' } },
      american: { scopes, limits: { allowedMarkets: 'US' } },
      cash: { scopes, limits: { allowedAccIds: HK_CASH } },
    },
    bounds: { refusalsPerSecond: 1_000_000 },
    backend,
    ...(switches === undefined ? {} : { switches }),
  });
}

async function refusals(as = 'desk', body: object = {}) {
  return (await desk.payload(trade.getRefusals, body, { as })).refusalList;
}

/** Code and text of an answer that refuses. */
function refused(answer: Answer): { code: string; text: string } {
  return answer instanceof Rejection ? { code: answer.code, text: answer.message } : { code: String(answer.errCode), text: answer.retMsg };
}

/** Places an order that rests; its id. */
async function rest(body: object = order): Promise<string> {
  const { orderIDEx } = await desk.payload(trade.placeOrder, { ...body, price: 300 });
  return orderIDEx;
}

describe('get_refusals', () => {
  it('lists what limits and brokerage refused, newest first, an hour later too, and not a day later', async () => {
    await open();
    const answer = await desk.call(trade.placeOrder, { ...order, qty: 50 }, { as: 'capped' });
    await desk.call(trade.placeOrder, { ...order, qty: 1, price: 350.01 }, { as: 'capped' });
    await desk.call(trade.cancelOrder, { ...account, order_id_ex: 'none' }, { as: 'capped' });
    desk.clock.advance(HOUR_MS);
    const listed = await refusals('capped');
    expect(listed).toMatchObject([
      { operation: 'cancel_order', refusalCode: 'broker.unknown_order', orderId: 'none', accID: BigInt(HK_MARGIN) },
      {
        operation: 'place_order',
        refusalCode: 'broker.tick',
        qty: 1,
        price: 350.01,
        reason: expect.stringContaining('nearest: 350 and 350.2'),
      },
      {
        operation: 'place_order',
        refusalCode: 'limit.order_value',
        reason: (answer as Rejection).message,
        symbol: 'HK.00700',
        trdSide: 1,
        qty: 50,
        price: 350,
        requestId: expect.stringMatching(/^request \d+$/),
      },
    ]);
    expect(Number(listed[0]?.time)).toBe(desk.clock.now() - HOUR_MS);
    const since = async () => Number((await desk.payload(trade.getRefusals, {}, { as: 'capped' })).since);
    expect(await since()).toBeGreaterThan(0);
    expect(await since()).toBeLessThanOrEqual(Number(listed[2]?.time));
    desk.clock.advance(24 * HOUR_MS);
    expect(await refusals('capped')).toEqual([]);
    expect(await since()).toBe(desk.clock.now() - 24 * HOUR_MS);
  });

  it('lists no other key’s, and nothing that was accepted', async () => {
    await open();
    await desk.call(trade.placeOrder, { ...order, qty: 50 });
    await rest();
    expect(await refusals()).toHaveLength(1);
    expect(await refusals('other')).toEqual([]);
  });

  it('tells a key nothing of another that had its id before', async () => {
    await open();
    await desk.call(trade.placeOrder, { ...order, qty: 1 });
    expect(await refusals()).toHaveLength(1);
    await desk.replaceKey('desk', { scopes });
    expect(await refusals()).toEqual([]);
    await desk.call(trade.placeOrder, { ...order, qty: 2 });
    expect(await refusals()).toMatchObject([{ qty: 2 }]);
  });

  it('keeps the newest 200 of a key, and lists as many as are asked for', async () => {
    await open();
    for (let qty = 1; qty <= 250; qty++) await desk.call(trade.placeOrder, { ...order, qty: qty + 0.5 });
    expect((await refusals()).map(({ qty }) => qty)).toEqual(Array.from({ length: 20 }, (_, i) => 250.5 - i));
    expect((await refusals('desk', { num: 200 })).at(-1)?.qty).toBe(51.5);
    expect((await refusals('desk', { num: 1 })).map(({ qty }) => qty)).toEqual([250.5]);
    expect(refused(await desk.call(trade.getRefusals, { num: 201 }))).toMatchObject({ code: 'request.out_of_range' });
  });

  it('leaves out what the key’s lists no longer allow', async () => {
    await open();
    await desk.call(trade.placeOrder, { ...order, qty: 50 });
    await desk.call(trade.placeOrder, { ...order, acc_id: HK_CASH, symbol: 'HK.00005', qty: 50, price: 60 });
    desk.editKey('desk', { limits: { allowed_symbols: ['HK.00005'] } });
    expect((await refusals()).map(({ symbol }) => symbol)).toEqual(['HK.00005']);
    desk.editKey('desk', { limits: { allowed_symbols: ['HK.00005'], allowed_acc_ids: [HK_MARGIN] } });
    expect(await refusals()).toEqual([]);
  });

  it.each([
    ['narrow', 'limit.symbol'],
    ['american', 'limit.market'],
    ['cash', 'auth.account'],
  ])('lists what the lists of the key itself refused: %s', async (as, code) => {
    await open();
    const { text } = refused(await desk.call(trade.placeOrder, order, { as }));
    const own = { refusalCode: code, reason: text, symbol: 'HK.00700', accID: BigInt(HK_MARGIN), qty: 100 };
    expect(await refusals(as)).toMatchObject([own]);
  });

  it('leaves out what one list refused when another no longer allows it', async () => {
    await open();
    await desk.call(trade.placeOrder, order, { as: 'narrow' });
    desk.editKey('narrow', { limits: { allowed_symbols: ['HK.00005'], allowed_acc_ids: [HK_CASH] } });
    expect(await refusals('narrow')).toEqual([]);
  });

  it('shows no more than the answer did, even if the key may see more by now', async () => {
    await open();
    const { text } = refused(await desk.call(trade.placeOrder, { ...order, side: 'SELL' }, { as: 'blind' }));
    expect(text).toContain('may not see');
    desk.editKey('blind', { scopes: ['trade:simulate', 'acc:read'] });
    expect(await refusals('blind')).toMatchObject([{ refusalCode: 'broker.position', reason: text }]);
  });

  it('lists an order whose body cannot be read, or is not read, without terms', async () => {
    await open();
    await desk.call(trade.placeOrder, { ...order, side: 9 });
    await desk.call(trade.modifyOrder, { ...account, order_id_ex: '1', op: 1, quantity: 5 });
    await desk.call(trade.placeOrder, { ...order, qty: 0 });
    expect((await refusals()).map(({ operation, refusalCode, reason }) => [operation, refusalCode, reason])).toEqual([
      ['place_order', 'request.out_of_range', expect.stringContaining('qty')],
      ['modify_order', 'request.unknown_field', expect.stringContaining('"quantity"')],
      ['place_order', 'request.out_of_range', expect.stringContaining('side: expected one of')],
    ]);
    desk.editKey('other', { scopes: ['acc:read'] });
    await desk.call(trade.placeOrder, order, { as: 'other' });
    expect(await refusals('other')).toMatchObject([{ operation: 'place_order', refusalCode: 'auth.scope' }]);
  });

  it('lists a repetition under an idempotency key once', async () => {
    await open();
    const odd = { ...order, qty: 50 };
    for (let times = 0; times < 3; times++) await desk.call(trade.placeOrder, odd, { idempotencyKey: 'once' });
    expect(await refusals()).toHaveLength(1);
    expect(desk.audit.filter(({ reason }) => reason.endsWith('answered before; nothing was sent'))).toHaveLength(2);
  });

  it('does not list an order with an unknown outcome', async () => {
    await open({ call: () => Promise.reject(new BackendLost('gone')) });
    const { code } = refused(await desk.call(trade.placeOrder, order));
    expect(code).toBe('backend.disconnected');
    expect(await refusals()).toEqual([]);
  });

  it('lists an order that the disk refused before it was sent, as its preview foretold', async () => {
    const store = new FullStore();
    // A brokerage that cannot be asked beforehand.
    desk = await openDesk({ keys: { desk: { scopes } }, store, backend: { check: undefined as never } });
    store.full = true;
    await store.write(() => undefined).catch(() => undefined);
    await until(() => store.failure !== undefined, 'the disk to refuse a write');
    const { code, text } = refused(await desk.call(trade.placeOrder, order));
    expect([code, text]).toEqual(['storage.failed', expect.stringContaining('nothing was sent')]);
    expect(await desk.preview(trade.placeOrder, order)).toMatchObject({ code, message: text });
    expect(await refusals()).toMatchObject([{ refusalCode: code, reason: text, symbol: 'HK.00700', qty: 100 }]);
  });

  it.each([
    ['a failed read', () => Promise.reject(new StorageFailure('no space left')), 'storage.failed'],
    ['a question that takes too long', () => Promise.reject(new BackendTimeout('no answer')), 'backend.timeout'],
  ])('lists an order that was not sent because of %s', async (_, call, code) => {
    await open({ call });
    const { text } = refused(await desk.call(trade.placeOrder, { ...order, order_type: 'MARKET', price: undefined }));
    expect(text).toContain('nothing was sent');
    expect(await refusals()).toMatchObject([{ refusalCode: code, reason: text }]);
  });

  it('lists a write that needs more than it says, cut to a bounded length', async () => {
    await open();
    await desk.call(trade.cancelOrder, { ...account, order_id_ex: 'x'.repeat(100_000) });
    const [listed] = await refusals();
    expect(listed?.orderId.length).toBeLessThan(250);
    expect(listed?.reason.length).toBeLessThan(1_100);
  });
});

describe('a refusal by the brokerage speaks as its caller’s interface does', () => {
  const apple = { ...order, symbol: 'US.AAPL', acc_id: US_MARGIN, qty: 1, price: 200 };
  /** Orders of tools, with what their refusal says over each interface. */
  const cases: readonly (readonly [string, object, Readonly<Record<'mcp' | 'rest' | 'grpc', RegExp>>])[] = [
    [
      'order types',
      { ...order, order_type: 'TWAP_MARKET' },
      {
        mcp: /^order type TWAP_MARKET \(16\) is not .*accepted: NORMAL \(1\), MARKET \(2\), ABSOLUTE_LIMIT \(6\), AUCTION \(5\), AUCTION_LIMIT, SPECIAL_LIMIT \(7\), STOP \(10\)/,
        rest: /^order type 16 \(TWAP_MARKET\) is not .*accepted: 1 \(NORMAL\), 2 \(MARKET\), 5 \(ABSOLUTE_LIMIT\), 6 \(AUCTION\), 7 \(AUCTION_LIMIT\), 8 \(SPECIAL_LIMIT\), 10 \(STOP\)/,
        grpc: /^order type 16 \(twap_market\) is not .*8 \(special_limit\), 9 \(special_limit_all\), 10 \(stop\)/,
      },
    ],
    [
      'a trigger',
      { ...order, order_type: 'STOP', aux_price: 0 },
      { mcp: /^aux_price, .* STOP \(10\)$/, rest: /^aux_price, .* 10 \(STOP\)$/, grpc: /^auxPrice, / },
    ],
    [
      'a trail',
      { ...order, order_type: 'TRAILING_STOP', trail_type: 'RATIO', trail_value: 0 },
      {
        mcp: /^trail_type RATIO \(1\), in percent, or AMOUNT \(2\) and trail_value .* TRAILING_STOP \(14\)$/,
        rest: /^trail_type 1 \(RATIO\), in percent, or 2 \(AMOUNT\) and trail_value .* 14 \(TRAILING_STOP\)$/,
        grpc: /^trailType 1 \(ratio\)/,
      },
    ],
    [
      'a duration',
      { ...order, order_type: 'STOP', aux_price: 900, time_in_force: 'IOC' },
      { mcp: /^time_in_force IOC \(2\) is for .* NORMAL \(1\)/, rest: /^time_in_force 2 \(IOC\)/, grpc: /^timeInForce 2 \(ioc\)/ },
    ],
    [
      'an end',
      { ...order, time_in_force: 'GTD', expire_time: '2020-01-01' },
      { mcp: /^expire_time "2020-01-01" must/, rest: /^expire_time/, grpc: /^expireTime/ },
    ],
    [
      'a side',
      { ...order, side: 'SELL' },
      { mcp: /send side SELL_SHORT \(3\)$/, rest: /send side 3 \(SELL_SHORT\)$/, grpc: /send trdSide 3 \(sell_short\)$/ },
    ],
    [
      'hours',
      { ...apple, order_type: 'STOP', aux_price: 280, fill_outside_rth: true },
      { mcp: /^fill_outside_rth is/, rest: /^fill_outside_rth is/, grpc: /^fillOutsideRTH is/ },
    ],
    [
      'a session',
      { ...order, session: 'OVERNIGHT' },
      { mcp: /^session OVERNIGHT \(4\) is for/, rest: /^session 4 \(OVERNIGHT\) is for/, grpc: /^session 4 \(overnight\) is for/ },
    ],
    [
      'a session of a market order',
      { ...apple, order_type: 'STOP', aux_price: 280, session: 'ETH' },
      { mcp: /^session ETH \(2\) is for/, rest: /^session 2 \(ETH\) is for/, grpc: /^session 2 \(eth\) is for/ },
    ],
  ];

  it.each(cases)('of %s: in answer, preview and list', async (_, body, expected) => {
    await open();
    for (const iface of ['mcp', 'rest', 'grpc'] as const) {
      const { text } = refused(await desk.call(trade.placeOrder, body, { iface }));
      expect(text).toMatch(expected[iface]);
      const preview = await desk.preview(trade.placeOrder, body, { iface });
      if (preview instanceof Rejection || 'retType' in preview) throw new Error('it is the brokerage’s to refuse');
      expect(preview.refusal?.message).toBe(text);
      const { refusalList } = await desk.payload(trade.getRefusals, {}, { iface });
      expect(refusalList[0]?.reason).toBe(text);
    }
  });
});

describe('a refusal by the brokerage tells nothing of an order that the key may not see', () => {
  /** Changes of an order, with the code of their refusal. */
  const changes = [
    ['tick', trade.modifyOrder, { op: 1, qty: 100, price: 300.01 }, 'broker.tick'],
    ['lot', trade.modifyOrder, { op: 1, qty: 150, price: 300 }, 'broker.lot_size'],
    ['state', trade.modifyOrder, { op: 5 }, 'broker.order_state'],
    ['confirmation', trade.reconfirmOrder, { reconfirm_reason: 2 }, 'broker.order_state'],
  ] as const;

  it.each(changes)('by its %s, in preview, answer and list', async (_, operation, change, code) => {
    await open();
    const id = await rest();
    const { orderList } = await desk.payload(accounts.getOrders, account);
    const named =
      operation === trade.reconfirmOrder
        ? { acc_id: HK_MARGIN, market: 'HK', order_id: String(orderList[0]?.orderID) }
        : { ...account, order_id_ex: id };
    const body = { ...named, ...change };
    for (const as of ['desk', 'blind']) {
      const preview = await desk.preview(operation, body, { as });
      const answer = await desk.call(operation, body, { as });
      const [listed] = await refusals(as);
      if (preview instanceof Rejection || 'retType' in preview || answer instanceof Rejection)
        throw new Error('it is the brokerage’s to refuse');
      const texts = [...preview.refusals.map(({ message }) => message), answer.retMsg, listed?.reason ?? ''];
      // A preview costs nothing: to a key that may not see the order it does not even say whether there is a reason.
      expect([preview.wouldPass, preview.refusal?.code]).toEqual(as === 'desk' ? [false, code] : [null, undefined]);
      expect(listed?.refusalCode).toBe(code);
      for (const text of texts) {
        if (as === 'desk') expect(text).toMatch(/00700|\d{3}/);
        else expect(text).toMatch(/^refused \(broker\.\w+\): the reason describes an order/);
      }
    }
    // The trail has the whole reason.
    expect(desk.audit.at(-2)?.reason).not.toContain('may not see');
  });

  it('nor to a key with a list of other symbols, by a cancel', async () => {
    await open();
    const id = await rest();
    await desk.payload(trade.cancelOrder, { ...account, order_id_ex: id });
    desk.clock.advance(1_000);
    const cancel = { ...account, order_id_ex: id };
    const texts = async (as: string) => {
      const preview = await desk.preview(trade.cancelOrder, cancel, { as });
      const answer = await desk.call(trade.cancelOrder, cancel, { as });
      const shown = preview instanceof Rejection || 'retType' in preview ? refused(preview).text : preview.refusal?.message;
      return [shown, refused(answer).text, (await refusals(as))[0]?.reason];
    };
    for (const text of await texts('desk')) expect(text).toContain(id);
    const [shown, ...others] = await texts('narrow');
    expect(shown).toBeUndefined();
    for (const text of others) expect(text).toContain('may not see');
  });

  it('nor later, where the key could see it at the time', async () => {
    await open();
    const id = await rest();
    await desk.call(trade.modifyOrder, { ...account, order_id_ex: id, op: 1, qty: 100, price: 300.01 });
    expect((await refusals())[0]?.reason).toContain('nearest');
    desk.editKey('desk', { limits: { allowed_symbols: ['HK.00005'] } });
    expect(await refusals()).toMatchObject([{ refusalCode: 'broker.tick', reason: expect.stringContaining('may not see') }]);
  });

  it.each([
    ['symbols', { allowed_symbols: ['HK.00005'] }],
    ['markets', { allowed_markets: ['US'] }],
  ])('nor under the idempotency key that it came with, once the key has a list of other %s', async (_, limits) => {
    await open();
    const writes = [
      [trade.placeOrder, { ...order, side: 'SELL', qty: 50_000 }, 'insufficient position'],
      [trade.placeOrder, { ...order, qty: 300_000 }, 'is free'],
      [trade.placeBracketOrder, { ...order, qty: 300_000, stop_loss_price: 300 }, 'is free'],
    ] as const;
    const texts = async () => {
      const answers: string[] = [];
      for (const [i, [operation, body]] of writes.entries())
        answers.push(refused(await desk.call(operation, body, { idempotencyKey: `write-${i}` })).text);
      return answers;
    };
    for (const [i, text] of (await texts()).entries()) expect(text).toContain(writes[i]?.[2]);
    desk.editKey('desk', { limits });
    for (const text of await texts()) expect(text).toContain('may not see');
    expect(desk.audit.at(-1)?.reason).toContain('answered before');
  });

  it('nor of what the account holds', async () => {
    await open();
    const dear = { ...order, qty: 10_000_000 };
    const short = { ...order, side: 'SELL' };
    for (const [body, code] of [
      [dear, 'broker.buying_power'],
      [short, 'broker.position'],
    ] as const) {
      const answer = await desk.call(trade.placeOrder, body, { as: 'blind' });
      expect(refused(answer).text).toContain('may not see');
      expect((await refusals('blind'))[0]).toMatchObject({ refusalCode: code, reason: expect.stringContaining('may not see') });
    }
  });
});

describe('the trail and the list tell what a write is about', () => {
  const change = { ...account, op: 1, qty: 200, price: 299 };
  const terms = { symbol: 'HK.00700', side: 'BUY' };
  const traded = () => desk.audit.at(-1)?.trade;

  it('of a change that is accepted, and of one that the brokerage refuses', async () => {
    await open();
    const id = await rest();
    await desk.payload(trade.modifyOrder, { ...change, order_id_ex: id });
    expect(traded()).toMatchObject({ ...terms, orderId: id, accId: BigInt(HK_MARGIN), qty: 200_000_000_000n, price: 299_000_000_000n });
    for (const as of ['desk', 'blind', 'narrow']) {
      refused(await desk.call(trade.modifyOrder, { ...change, order_id_ex: id, price: 299.01 }, { as }));
      expect(traded()).toMatchObject(terms);
      const [listed] = await refusals(as);
      // A key is told the order that it may see.
      expect([listed?.orderId, listed?.symbol, listed?.trdSide]).toEqual(as === 'desk' ? [id, 'HK.00700', 1] : [id, '', 0]);
    }
    desk.editKey('desk', { limits: { allowed_symbols: ['HK.00005'] } });
    expect((await refusals()).map(({ symbol }) => symbol)).toEqual(['']);
  });

  it('of a bracket that is cancelled', async () => {
    await open();
    const placed = await desk.payload(trade.placeBracketOrder, { ...order, price: 300, stop_loss_price: 250 });
    const { bracketId, orderIDEx: orderId } = placed;
    expect(traded()).toMatchObject({ bracketId, orderId, ...terms });
    desk.clock.advance(1_000);
    await desk.payload(trade.cancelBracket, { ...account, bracket_id: bracketId });
    expect(traded()).toMatchObject({ bracketId, orderId, symbol: 'HK.00700' });
  });
});

describe('a request for what is not there has the code of that', () => {
  const nobody = { ...account, acc_id: '1' };

  it.each([
    ['a bracket', trade.cancelBracket, { ...account, bracket_id: 'x' }, 'broker.unknown_order'],
    ['a bracket of an account', trade.cancelBracket, { ...nobody, bracket_id: 'x' }, 'broker.account'],
    ['an account with brackets', trade.getBrackets, nobody, 'broker.account'],
    ['an account of the other environment', trade.getBrackets, { ...account, env: 'real' }, 'broker.account'],
    ['an account to follow', accounts.subAccPush, { acc_id_list: ['1'] }, 'broker.account'],
    ['an order with fees', accounts.getOrderFee, { ...account, order_id_ex_list: ['x'] }, 'broker.unknown_order'],
    [
      'an order to be changed',
      accounts.getMaxTrdQtys,
      { ...account, symbol: 'HK.00700', price: 300, order_id: '7' },
      'broker.unknown_order',
    ],
  ])('%s', async (_, operation, body, code) => {
    await open();
    const answer = await desk.call(operation, body);
    if (answer instanceof Rejection) throw new Error(answer.message);
    expect([answer.retType, refusalCode(answer).code]).toEqual([-1, code]);
  });

  it('while an account without brackets has none', async () => {
    await open();
    expect((await desk.payload(trade.getBrackets, account)).bracketList).toEqual([]);
  });
});
