import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import { parseDecimal } from '@svc-gateway/contract/decimal';
import { C2SSchema as Halt } from '@svc-gateway/contract/generated/svc/admin_halt_pb';
import type { OrderGroup } from '@svc-gateway/contract/generated/svc/position_orders_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { C2SSchema as Unlock } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { BackendLost, previewSentence, previewText, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { REAL_ENV, REAL_FUTURES } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { type Answering, type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';
import { signal, until } from '../support/until.js';

/** Reversing and rolling positions: what must be so before two orders leave, and what must be shown before they count as placed. */

const SIMULATED_FUTURES = '281756478396547008';
const SETTLED_MS = 500;
/** After a start over lists that may lag, so long nothing relies on them. */
const START_MS = 10_000;
const scopes = ['qot:read', 'acc:read', 'trade:real', 'trade:simulate', 'trade:unlock'] as const;

const switches = new Set(['--enable-trading', '--enable-v18-position-writes']);
const header = { market: 'FUTURES', acc_id: REAL_FUTURES, env: 'real' };
const BUY = 1;
const SELL = 2;

let desk: Desk;
afterEach(() => desk?.close());

async function open(others: Partial<DeskOptions> = {}, limits: LimitFlags = {}): Promise<void> {
  const keys = {
    desk: { scopes },
    limited: { scopes, limits },
    blind: { scopes: ['trade:real'] as const },
    paper: { scopes: ['acc:read', 'trade:simulate'] as const },
    ops: { scopes: ['admin'] as const },
  };
  desk = await openDesk({ keys, switches, ...others });
  const pwdMD5 = createHash('md5').update('123456').digest('hex');
  await desk.call(trade.unlockTrade, create(Unlock, { unlock: true, pwdMD5 }), { iface: 'grpc' });
}

/** Holds contracts, short below 0; the position's id. */
async function hold(symbol: string, qty: number, account_ = header): Promise<bigint> {
  const side = qty > 0 ? 'BUY' : 'SELL';
  await desk.payload(trade.placeOrder, { ...account_, symbol, side, order_type: 'MARKET', qty: Math.abs(qty) });
  desk.clock.advance(SETTLED_MS);
  const { positionList } = await desk.payload(account.getPositions, account_);
  const held = positionList.find(({ code }) => `HK.${code}` === symbol);
  if (held === undefined) throw new Error(`${symbol} was not filled`);
  return held.positionID;
}

let keys = 0;
function reverse(position: bigint, others: object = {}, as = 'desk') {
  const body = { ...header, idempotency_key: `r${++keys}`, position_id: String(position), price_type: 1, extension_version: 1, ...others };
  return desk.call(trade.reversePosition, body, { as });
}
function roll(position: bigint, code: string, others: object = {}, as = 'desk') {
  const target = { target_code: code, target_sec_market: 1 };
  const body = { ...header, idempotency_key: `l${++keys}`, position_id: String(position), ...target, extension_version: 1, ...others };
  return desk.call(trade.rollPosition, body, { as });
}

function groupOf(answer: ResponseMessage | Rejection): OrderGroup {
  const { s2c } = answer as ResponseMessage & { s2c?: { group?: OrderGroup } };
  if (s2c?.group === undefined) throw new Error(answer instanceof Rejection ? answer.message : answer.retMsg);
  return s2c.group;
}
const sent = () => desk.calls.filter(({ operation }) => operation === 'reverse_position' || operation === 'roll_position').length;
const quantities = async () => {
  desk.clock.advance(SETTLED_MS);
  const { positionList } = await desk.payload(account.getPositions, header);
  return Object.fromEntries(positionList.filter(({ qty }) => qty !== 0).map(({ code, qty }) => [code, qty]));
};

describe('reverse_position', () => {
  it.each([
    [2, SELL],
    [-3, BUY],
  ])('turns %i contracts round, by two orders in one group', async (qty, side) => {
    await open();
    const id = await hold('HK.HSI2612', qty);
    const group = groupOf(await reverse(id));
    expect(group).toMatchObject({ relationType: 1, linkageId: expect.any(BigInt) });
    expect(group.linkageId).toBeGreaterThan(0n);
    const each = { code: 'HSI2612', secMarket: 1, trdSide: side, qty: Math.abs(qty) };
    expect(group.orderList).toMatchObject([
      { role: 'close', ...each },
      { role: 'open', ...each },
    ]);
    expect(group.orderList[0]?.orderId).not.toBe(group.orderList[1]?.orderId);
    expect(desk.audit.at(-1)).toMatchObject({
      outcome: 'trade',
      trade: {
        accId: BigInt(REAL_FUTURES),
        symbol: 'HK.HSI2612',
        side: side === SELL ? 'SELL' : 'BUY',
        qty: parseDecimal(String(Math.abs(qty))),
        orderId: group.orderList.map(({ orderIdEx }) => orderIdEx).join(' + '),
      },
    });
    expect(await quantities()).toEqual({ HSI2612: -qty });
  });

  it('with limit orders at the last price', async () => {
    await open();
    const { orderList } = groupOf(await reverse(await hold('HK.HSI2612', 1), { price_type: 2 }));
    expect(orderList[0]?.price).toBeGreaterThan(0);
    expect(orderList[1]?.price).toBe(orderList[0]?.price);
  });

  it('is not sent once trading is halted, also while the brokerage is asked for the position', async () => {
    let asked = 0;
    let halted: unknown;
    await open({
      async answer(operation, _, pass) {
        const isLast = operation === account.getPositions && ++asked === 4;
        if (isLast) halted = desk.gateway.call(admin.adminHalt, desk.callerOf({ as: 'ops' }), () => create(Halt));
        await halted;
        return pass();
      },
    });
    const id = await hold('HK.HSI2612', 1);
    expect(await reverse(id)).toMatchObject({ code: 'trading.halted' });
    expect(asked).toBe(4);
    expect(sent()).toBe(0);
  });

  it('sent before a halt has both of its orders cancelled once they are named', async () => {
    const { promise: released, resolve: release } = signal();
    await open({
      backend: { listsCurrent: undefined as never },
      async answer(operation, _, pass) {
        const answer = await pass();
        if (operation === trade.reversePosition) await released;
        return answer;
      },
    });
    desk.clock.advance(START_MS);
    const reversing = reverse(await hold('HK.HSI2612', 1));
    await until(() => sent() === 1, 'the reversal to be sent');
    const halting = desk.payload(admin.adminHalt, { cancel_all: true }, { as: 'ops', iface: 'grpc' });
    await until(() => {
      desk.clock.advance(1_000);
      return desk.gateway.halts().length > 0;
    }, 'the halt');
    release();
    const names = groupOf(await reversing).orderList.map(({ orderId }) => orderId);
    const cancelled = () =>
      desk.calls.filter(({ operation }) => operation === 'cancel_order').map(({ request }) => (request as ModifyC2S).orderID);
    await until(() => {
      desk.clock.advance(1_000);
      return names.every((name) => cancelled().includes(name));
    }, 'the cancels');
    await until(async () => {
      desk.clock.advance(3_000);
      return (await Promise.race([halting, Promise.resolve(undefined)])) !== undefined;
    }, 'the answer of the halt');
  });

  it('is refused beside another one or a roll at the same time: together they would close too much', async () => {
    await open();
    const id = await hold('HK.HSI2612', 1);
    const answers = await Promise.all([reverse(id), reverse(id), roll(id, 'HSI2703')]);
    const refused = answers.filter((answer) => answer instanceof Rejection);
    for (const { code, message } of refused)
      expect([code, message]).toEqual([
        'request.invalid',
        expect.stringMatching(/^position_id: orders .* close some of the position in HK.HSI2612/),
      ]);
    expect(refused).toHaveLength(2);
    expect(sent()).toBe(1);
  });

  it('is refused while an order works that closes the position, in its preview too', async () => {
    await open();
    const id = await hold('HK.HSI2612', 2);
    const { orderIDEx } = await desk.payload(trade.placeOrder, { ...header, symbol: 'HK.HSI2612', side: 'SELL', qty: 1, price: 40_000 });
    desk.clock.advance(SETTLED_MS);
    const message = expect.stringMatching(/^position_id: orders that work or are on their way/);
    expect(await reverse(id)).toMatchObject({ message });
    const body = { ...header, idempotency_key: 'p', position_id: String(id), price_type: 1, extension_version: 1 };
    expect(await desk.preview(trade.reversePosition, body)).toMatchObject({ wouldPass: false, refusal: { message } });
    await desk.payload(trade.cancelOrder, { ...header, order_id_ex: orderIDEx });
    desk.clock.advance(SETTLED_MS);
    expect(groupOf(await reverse(id)).orderList).toHaveLength(2);
  });

  it.each<[string, object, RegExp]>([
    ['no such position', { position_id: '7' }, /^position_id: account \d+ has no position 7$/],
    ['a simulated account', { env: 'simulate', acc_id: SIMULATED_FUTURES }, /^env: reverse_position is for real accounts only/],
    ['no key', { idempotency_key: '' }, /^idempotency_key: expected 1 to 255/],
    ['another version', { extension_version: 2 }, /extension_version: 2 is out of range/],
    ['another price type', { price_type: 3 }, /price_type: expected one of MARKET \(1\), LIMIT \(2\), found the number 3/],
  ])('refuses %s', async (_, change, message) => {
    await open();
    expect(await reverse(await hold('HK.HSI2612', 1), change)).toMatchObject({ message: expect.stringMatching(message) });
    expect(sent()).toBe(0);
  });

  it('refuses the continuous contract, and a position that is closed', async () => {
    await open();
    const main = await hold('HK.HSImain', 1);
    const answer = await reverse(main);
    const code = (await desk.payload(account.getPositions, header)).positionList[0]?.code;
    if (code === 'HSImain')
      expect(answer).toMatchObject({ message: expect.stringMatching(/^position_id: HSImain is no ordinary monthly/) });
    const id = await hold('HK.MHI2612', 1);
    await desk.payload(trade.placeOrder, { ...header, symbol: 'HK.MHI2612', side: 'SELL', order_type: 'MARKET', qty: 1 });
    desk.clock.advance(SETTLED_MS);
    expect(await reverse(id)).toMatchObject({ message: `position_id: position ${id} in MHI2612 is closed` });
    for (const told of [await reverse(id, {}, 'blind'), await reverse(main, {}, 'blind')])
      expect(told).toMatchObject({ code: 'request.invalid', message: expect.not.stringMatching(/MHI|HSI/) });
  });

  it('is refused to keys that may not: by scope, by value limits, by lists and by a halt', async () => {
    await open({}, { maxDailyValue: '100000000' });
    const id = await hold('HK.HSI2612', 1);
    expect(await reverse(id, {}, 'paper')).toMatchObject({ code: 'auth.scope' });
    const refused = await reverse(id, {}, 'limited');
    expect(refused).toMatchObject({ code: 'limit.price_unknown', message: expect.stringContaining('max_order_value or max_daily_value') });
    expect(sent()).toBe(0);
    await desk.gateway.halt({ keyId: undefined, cancelAll: false, reason: '', by: 'test' });
    expect(await reverse(id)).toMatchObject({ code: 'trading.halted' });
  });

  it('counts as two open orders', async () => {
    await open({}, { maxOpenOrders: '1' });
    expect(await reverse(await hold('HK.HSI2612', 1), {}, 'limited')).toMatchObject({ code: 'limit.open_orders' });
  });

  it('takes two slots of the rate', async () => {
    await open({}, { maxOrdersPerMinute: '1' });
    expect(await reverse(await hold('HK.HSI2612', 1), {}, 'limited')).toMatchObject({ code: 'limit.rate' });
    await desk.close();
    await open({}, { maxOrdersPerMinute: '3' });
    expect(await reverse(await hold('HK.HSI2612', 1), {}, 'limited')).toMatchObject({ retType: 0 });
    desk.clock.advance(2_000);
    expect(await reverse(await hold('HK.HSI2703', 1), {}, 'limited')).toMatchObject({ code: 'limit.rate' });
  });

  it('is switched off by default', async () => {
    await open({ switches: new Set(['--enable-trading']) });
    expect(await reverse(1n)).toMatchObject({ code: 'feature_disabled' });
  });

  it('places neither order where the account cannot pay for both', async () => {
    await open();
    const id = await hold('HK.HSI2612', 20);
    const many = await reverse(id);
    if (!(many instanceof Rejection) && many.retType === 0) return;
    const { orderList } = await desk.payload(account.getOrders, header);
    expect(orderList).toHaveLength(1);
  });
});

describe('roll_position', () => {
  it.each([2, -1])('moves %i contracts to another month', async (qty) => {
    await open();
    const group = groupOf(await roll(await hold('HK.HSI2611', qty), 'HSI2612'));
    expect(group).toMatchObject({ relationType: 2 });
    const [closing, opening] = qty > 0 ? [SELL, BUY] : [BUY, SELL];
    expect(group.orderList).toMatchObject([
      { role: 'close', code: 'HSI2611', trdSide: closing, qty: Math.abs(qty) },
      { role: 'open', code: 'HSI2612', trdSide: opening, qty: Math.abs(qty) },
    ]);
    expect(await quantities()).toEqual({ HSI2612: qty });
  });

  it.each<[string, string, RegExp]>([
    ['the same contract', 'HSI2612', /^target_code: HSI2612 is the contract that the position is in$/],
    ['a share', '00700', /^target_code: 00700 is no future$/],
    ['the continuous contract', 'HSImain', /^target_code: HSImain is no ordinary monthly future$/],
    ['a contract that there is not', 'NOSUCH', /^target_code: NOSUCH is not in the brokerage's list/],
  ])('refuses %s', async (_, code, message) => {
    await open();
    expect(await roll(await hold('HK.HSI2612', 1), code)).toMatchObject({ message: expect.stringMatching(message) });
    expect(sent()).toBe(0);
  });

  it('refuses a month of another contract: they share no linkage id', async () => {
    await open();
    const answer = await roll(await hold('HK.HSI2612', 1), 'MHI2612');
    expect(answer).toMatchObject({
      code: 'request.invalid',
      message: expect.stringMatching(/^target_code: MHI2612 is no month of the contract of HSI2612: its \w+ is .+ in place of /),
    });
    expect(sent()).toBe(0);
    expect(await quantities()).toEqual({ HSI2612: 1 });
  });
});

describe('a preview', () => {
  const body = (id: bigint) => ({ ...header, idempotency_key: 'seen', position_id: String(id), extension_version: 1 });
  const rollTo = (code: string) => ({ target_code: code, target_sec_market: 1 });

  it('of a reversal shows both orders and the gates, sends nothing and uses up no key', async () => {
    await open();
    const id = await hold('HK.HSI2612', -2);
    const preview = await previewed(desk, 'position', trade.reversePosition, { ...body(id), price_type: 2 });
    const each = { symbol: 'HK.HSI2612', side: 'BUY', qty: parseDecimal('2'), orderType: 'NORMAL' };
    expect(preview).toMatchObject({
      env: 'real',
      wouldPass: true,
      orders: [
        { ...each, role: 'close' },
        { ...each, role: 'open' },
      ],
    });
    expect(previewSentence(preview)).toMatch(
      /^Buy 2 HK\.HSI2612 \(.+\) to close and buy 2 HK\.HSI2612 \(.+\) to open, at the last price, as one group in the REAL account 2817…5391: value unknown/,
    );
    expect(JSON.parse(previewText(preview))).toMatchObject({
      preview: 'position',
      operation: 'reverse_position',
      orders: [{ role: 'close', side: 'BUY', qty: 2 }, { role: 'open' }],
      would_pass: true,
    });
    expect(sent()).toBe(0);
    expect(groupOf(await reverse(id, { idempotency_key: 'seen' })).orderList).toHaveLength(2);
  });

  it('of a roll names the other month, and shows a key without acc:read no position', async () => {
    await open();
    const id = await hold('HK.HSI2612', 1);
    const preview = await previewed(desk, 'position', trade.rollPosition, { ...body(id), ...rollTo('HSI2703') });
    expect(preview.orders).toMatchObject([
      { role: 'close', symbol: 'HK.HSI2612', side: 'SELL', orderType: 'MARKET' },
      { role: 'open', symbol: 'HK.HSI2703', side: 'BUY' },
    ]);
    const blind = await previewed(desk, 'position', trade.rollPosition, { ...body(id), ...rollTo('HSI2703') }, { as: 'blind' });
    expect(blind).toMatchObject({ orders: null, wouldPass: null, refusals: [] });
    expect(previewSentence(blind)).toMatch(/^Roll a position in the REAL account .+ \(details need acc:read\)\.$/);
    expect(previewText(blind)).not.toContain('HSI2612');
  });

  it('of a reversal that is refused tells a key without acc:read nothing, and the refusal no word of the position', async () => {
    await open();
    const id = await hold('HK.HSI2612', 1);
    await desk.payload(trade.placeOrder, { ...header, symbol: 'HK.HSI2612', side: 'SELL', qty: 1, price: 40_000 });
    desk.clock.advance(SETTLED_MS);
    const preview = await previewed(desk, 'position', trade.reversePosition, { ...body(id), price_type: 1 }, { as: 'blind' });
    expect(preview).toMatchObject({ orders: null, wouldPass: null, refusals: [] });
    const refused = await reverse(id, {}, 'blind');
    expect(refused).toMatchObject({ code: 'request.invalid', details: { field: 'position_id' } });
    expect((refused as Rejection).message).toMatch(/acc:read/);
    expect((refused as Rejection).message).not.toContain('HSI2612');
    expect(await reverse(id)).toMatchObject({ message: expect.stringContaining('HK.HSI2612') });
  });

  const refusing: readonly [string, LimitFlags, string][] = [
    ['a cap on values', { maxOrderValue: '100000000' }, 'limit.price_unknown'],
    ['a cap on open orders', { maxOpenOrders: '1' }, 'limit.open_orders'],
    ['other sides', { allowedTrdSides: 'BUY' }, 'limit.side'],
  ];
  it.each(refusing)('of a key with %s is refused as the write is', async (_, limits, code) => {
    await open({}, limits);
    const request = { ...body(await hold('HK.HSI2612', 1)), ...rollTo('HSI2703') };
    const preview = await previewed(desk, 'position', trade.rollPosition, request, { as: 'limited' });
    const refused = await desk.call(trade.rollPosition, request, { as: 'limited' });
    expect(refused).toMatchObject({ code });
    expect(preview.refusal).toMatchObject({ code, message: (refused as Rejection).message });
    expect(preview.wouldPass).toBe(false);
  });

  it.each(['HSI2703', 'HSI2612', 'MHI2703'])('of a roll to %s tells keys that may not see the position nothing of it', async (target) => {
    await open({}, { allowedSymbols: 'HK.HSI2703,HK.MHI2703' });
    const request = { ...body(await hold('HK.HSI2612', 1)), ...rollTo(target) };
    for (const as of target === 'HSI2612' ? ['blind'] : ['blind', 'limited']) {
      const preview = await previewed(desk, 'position', trade.rollPosition, request, { as });
      expect(preview).toMatchObject({ orders: null, wouldPass: null, refusals: [] });
      expect(previewText(preview)).not.toContain('HSI2612');
      // Nor by its shape, which is that of a roll that fits.
      const fitting = await previewed(desk, 'position', trade.rollPosition, { ...request, ...rollTo('HSI2703') }, { as });
      expect(preview).toEqual(fitting);
    }
  });

  it('of what cannot be done says what the write would be told', async () => {
    await open();
    const id = await hold('HK.HSI2612', 1);
    const refused = await desk.call(trade.rollPosition, { ...body(id), ...rollTo('00700') });
    expect(await desk.preview(trade.rollPosition, { ...body(id), ...rollTo('00700') })).toMatchObject({
      code: 'request.invalid',
      message: (refused as Rejection).message,
    });
  });
});

describe('over REST, on whatever backend', () => {
  const key = { desk: { scopes } } as const;
  const exact = { 'x-svc-int64': 'string' };
  const account_ = { trd_env: REAL_ENV, acc_id: REAL_FUTURES, trd_market: 5 };

  it('a position is reversed and then rolled, once for each key', async () => {
    const daemon = await TestDaemon.start({ keys: key, flags: [...switches] });
    try {
      const post = (path: string, body: object) => daemon.as('desk').s2c(path, body, exact);
      await post('/api/unlock-trade', { unlock: true, pwd_md5: createHash('md5').update('123456').digest('hex') });
      const place = { acc_id: REAL_FUTURES, env: REAL_ENV, market: 5, sec_market: 1, side: BUY, order_type: 2, qty: 1 };
      const { future_info_list } = await post('/api/future-info', { symbols: ['HK.HSImain'] });
      const month: string = future_info_list[0].origin.code;
      await post('/api/order', { ...place, code: month });
      const held = async () => {
        const { position_list = [] } = await post('/api/positions', {
          acc_id: REAL_FUTURES,
          env: REAL_ENV,
          market: 5,
          refresh_cache: true,
        });
        return (position_list as { code: string; qty: number; position_id: string }[]).filter(({ qty }) => qty !== 0);
      };
      const position = await until(async () => (await held())[0], 'the position');
      const initial = { idempotency_key: 'round', position_id: position.position_id, price_type: 1 };
      const body = { header: account_, initial, extension_version: 1 };
      const reversed = await post('/api/trd/reverse-position', body);
      expect(reversed.group).toMatchObject({
        relation_type: 1,
        order_list: [
          { role: 'close', code: month },
          { role: 'open', code: month },
        ],
      });
      expect(await post('/api/trd/reverse-position', body)).toEqual(reversed);
      const short = await until(async () => (await held()).find(({ code, qty }) => code === month && qty === -1), 'the other side');
      const target = `${month.slice(0, -4)}${nextMonth(month.slice(-4))}`;
      const moved = { idempotency_key: 'on', position_id: short.position_id, target_code: target, target_sec_market: 1 };
      const rolled = await post('/api/trd/roll-position', { ...body, initial: moved });
      expect(rolled.group).toMatchObject({
        relation_type: 2,
        order_list: [
          { code: month, trd_side: BUY },
          { code: target, trd_side: SELL },
        ],
      });
      await until(async () => (await held()).every(({ code, qty }) => code === target && qty === -1), 'the other month');
    } finally {
      await daemon.stop();
    }
  });
});

/** "2612" to "2701". */
function nextMonth(month: string): string {
  const [year, of] = [Number(month.slice(0, 2)), Number(month.slice(2))];
  return of === 12 ? `${year + 1}01` : `${year}${String(of + 1).padStart(2, '0')}`;
}

describe('an idempotency key of its own', () => {
  it('gets the first outcome again, whatever key its caller carries, and no other request', async () => {
    await open();
    const id = await hold('HK.HSI2612', 1);
    const first = groupOf(await reverse(id, { idempotency_key: 'mine' }));
    expect(groupOf(await reverse(id, { idempotency_key: 'mine' }))).toEqual(first);
    expect(await reverse(id, { idempotency_key: 'mine', price_type: 2 })).toMatchObject({ code: 'idempotency.mismatch' });
    expect(sent()).toBe(1);
    expect(await quantities()).toEqual({ HSI2612: -1 });
  });

  it('also after a restart', async () => {
    const store: Store = new MemoryStore();
    await open({ store, sharesStore: true });
    const id = await hold('HK.HSI2612', 1);
    const first = groupOf(await reverse(id, { idempotency_key: 'kept' }));
    desk.clock.advance(SETTLED_MS);
    await desk.close();
    await open({ store, sharesStore: true });
    expect(groupOf(await reverse(id, { idempotency_key: 'kept' }))).toEqual(first);
    expect(sent()).toBe(0);
  });

  it('is not sent again when the outcome is not known', async () => {
    await open({
      async answer(operation, _, pass) {
        const answer = await pass();
        if (operation === trade.reversePosition) throw new BackendLost('the connection broke');
        return answer;
      },
    });
    const id = await hold('HK.HSI2612', 1);
    expect(await reverse(id, { idempotency_key: 'lost' })).toMatchObject({ code: 'backend.disconnected' });
    expect(await reverse(id, { idempotency_key: 'lost' })).toMatchObject({ code: 'idempotency.unknown_outcome' });
    expect(sent()).toBe(1);
    expect(await quantities()).toEqual({ HSI2612: -1 });
  });
});

describe('a success', () => {
  type Answered = ResponseMessage & { s2c?: { group?: OrderGroup; orderList?: { orderID: bigint; qty: number }[] } };
  const changed =
    (of: Operation, change: (answer: Answered) => void): Answering =>
    async (operation, request, pass) => {
      const answer = (await pass()) as Answered;
      const isProof = (request as { filterConditions?: { idList: bigint[] } }).filterConditions?.idList.length === 2;
      if (operation === of && (of !== account.getOrders || isProof)) change(answer);
      return answer;
    };

  const ways: readonly [string, Operation, (id: bigint, more: object) => ReturnType<typeof reverse>][] = [
    ['a reversal', trade.reversePosition, (id, more) => reverse(id, more)],
    ['a roll', trade.rollPosition, (id, more) => roll(id, 'HSI2703', more)],
  ];
  const unshown: readonly [string, 'its own' | 'the list', (answer: Answered) => void][] = [
    ['no group', 'its own', ({ s2c }) => delete s2c?.group],
    ['another relation', 'its own', ({ s2c }) => Object.assign(s2c?.group ?? {}, { relationType: 3 - (s2c?.group?.relationType ?? 0) })],
    ['no linkage id', 'its own', ({ s2c }) => Object.assign(s2c?.group ?? {}, { linkageId: 0n })],
    ['one order', 'its own', ({ s2c }) => s2c?.group?.orderList.pop()],
    ['one order twice', 'its own', ({ s2c }) => s2c?.group?.orderList.splice(1, 1, ...s2c.group.orderList.slice(0, 1))],
    ['an order that is not listed', 'the list', ({ s2c }) => s2c?.orderList?.pop()],
    ['another quantity', 'the list', ({ s2c }) => Object.assign(s2c?.orderList?.[0] ?? {}, { qty: 9 })],
    ['no list', 'the list', (answer) => Object.assign(answer, { retType: -1, retMsg: 'not now' })],
  ];
  describe.each(ways)('of %s', (_way, operation, send) => {
    it.each(unshown)('that cannot be shown is an unknown outcome: %s', async (_, of, change) => {
      await open({ answer: changed(of === 'its own' ? operation : account.getOrders, change) });
      const id = await hold('HK.HSI2612', 1);
      expect(await send(id, { idempotency_key: 'unshown' })).toMatchObject({
        code: 'backend.disconnected',
        message: expect.stringContaining('the brokerage accepted it, but'),
      });
      expect(await send(id, { idempotency_key: 'unshown' })).toMatchObject({ code: 'idempotency.unknown_outcome' });
      expect(sent()).toBe(1);
    });
  });
});

describe('refusals by limits are in the trail with what would have been changed', () => {
  const last = () => desk.audit.at(-1);

  it('and so is the refusal of a contract to roll into', async () => {
    await open();
    const id = await hold('HK.HSI2612', 2);
    expect(await roll(id, 'NOPE')).toBeInstanceOf(Rejection);
    expect(last()).toMatchObject({ outcome: 'reject', trade: { symbol: 'HK.HSI2612 + HK.NOPE', side: 'SELL', qty: parseDecimal('2') } });
  });

  it.each([
    ['limit.market', { allowedMarkets: 'HK' }],
    ['limit.symbol', { allowedSymbols: 'HK.HSI2609' }],
    ['limit.side', { allowedTrdSides: 'BUY' }],
    ['limit.order_value', { maxOrderValue: '1' }],
  ] as const)('by %s, of reversals and rolls', async (code, limits) => {
    await open({}, limits);
    const id = await hold('HK.HSI2612', 2);
    const qty = parseDecimal('2');
    const isUnpriced = code === 'limit.order_value';
    for (const [answer, symbol] of [
      [() => reverse(id, {}, 'limited'), 'HK.HSI2612'],
      [() => roll(id, 'HSI2703', {}, 'limited'), 'HK.HSI2612 + HK.HSI2703'],
    ] as const) {
      const refused = await answer();
      expect(refused).toMatchObject({ code: isUnpriced ? 'limit.price_unknown' : code });
      expect(last()).toMatchObject({ outcome: 'reject', trade: { accId: BigInt(REAL_FUTURES), symbol, side: 'SELL', qty } });
    }
  });
});
