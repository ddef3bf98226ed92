import type { Operation } from '@svc-gateway/contract/operation';
import { account as accounts, admin, operations, quote, system, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Backend, BackendLost, previewSentence } from '@svc-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, REAL } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';

/** A simulated account for futures. */
const FUTURES = '281756478396547008';
const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 350 };
const account = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };

let desk: Desk;
async function open(backend: Partial<Backend> = {}): Promise<void> {
  desk = await openDesk({
    keys: {
      desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate', 'trade:unlock'] },
      trader: { scopes: ['trade:simulate'] },
      reader: { scopes: ['qot:read', 'acc:read'] },
      narrow: { scopes: ['acc:read', 'trade:simulate'], limits: { allowedSymbols: 'HK.00005' } },
      confined: { scopes: ['trade:simulate'], limits: { allowedAccIds: REAL } },
    },
    backend,
  });
}
beforeEach(() => open());
afterEach(() => desk.close());

describe('a preview comes in as its write does', () => {
  it.each([
    ['without a key', order, 'nobody', 'auth.missing'],
    ['without the scope', order, 'reader', 'auth.scope'],
    ['of the other environment', { ...order, env: 'real', acc_id: REAL }, 'desk', 'auth.scope'],
    ['for an account that the key may not use', order, 'confined', 'auth.account'],
    ['with a field too many', { ...order, color: 'red' }, 'desk', 'request.unknown_field'],
  ])('%s', async (_, body, as, code) => {
    const [preview, call] = [await desk.preview(trade.placeOrder, body, { as }), await desk.call(trade.placeOrder, body, { as })];
    expect(preview).toMatchObject({ code });
    expect(preview).toEqual(call);
    expect(desk.calls).toEqual([]);
  });

  it('is there for what changes orders, and for nothing else', async () => {
    const covered = [
      'place_order',
      'place_combo_order',
      'place_bracket_order',
      'reconfirm_order',
      'modify_order',
      'cancel_order',
      'cancel_all_order',
    ];
    // Operations that only reduce risk, or depend on the position at the time of sending.
    const uncovered = ['reverse_position', 'roll_position', 'cancel_bracket'];
    const bracket = { ...account, bracket_id: 'none' };
    for (const operation of [trade.unlockTrade, quote.getQuote, trade.cancelBracket]) {
      const body = { unlock_trade: { unlock: true }, get_quote: { symbol: 'HK.00700' } }[operation.name] ?? bracket;
      expect(await desk.preview(operation, body)).toMatchObject({ code: 'request.invalid' });
    }
    const orders = operations.filter(({ effect, scope }) => effect === 'order' || (effect === 'write' && scope.kind === 'byEnv'));
    expect(new Set(orders.map(({ name }) => name))).toEqual(new Set([...covered, ...uncovered]));
    expect(desk.calls).toEqual([]);
  });
});

it('a preview shows of the account what the key may read of it', async () => {
  const resting = { ...order, price: 300 };
  await desk.call(trade.placeOrder, resting);
  await desk.call(trade.placeOrder, { ...resting, symbol: 'HK.00005', qty: 400, price: 20 });
  const all = await previewed(desk, 'cancel', trade.cancelAllOrder, account, { as: 'narrow' });
  expect(all.count).toBeNull();
  expect(all.orders?.map(({ symbol }) => symbol)).toEqual(['HK.00005']);
  expect(previewSentence(all)).toMatch(/^Cancel all working orders in market HK .*HK\.00005.*; and any that this key may not see\.$/);
  expect((await previewed(desk, 'cancel', trade.cancelAllOrder, account)).count).toBe(2);
  const other = await previewed(desk, 'place', trade.placeOrder, order, { as: 'narrow' });
  expect([other.capacity, other.refusal?.code]).toEqual([null, 'limit.symbol']);
  expect((await previewed(desk, 'place', trade.placeOrder, order)).capacity).not.toBeNull();
});

describe('a preview is audited and counted once', () => {
  it('as allowed, with what it found', async () => {
    await previewed(desk, 'place', trade.placeOrder, order);
    expect(desk.audit).toEqual([
      {
        iface: 'mcp',
        endpoint: 'test',
        keyId: 'desk',
        outcome: 'allow',
        reason: 'preview: would pass',
        requestId: 'request 1',
        trade: undefined,
      },
    ]);
  });

  it('in figures apart from orders that are placed', async () => {
    await previewed(desk, 'place', trade.placeOrder, order);
    await desk.preview(trade.cancelOrder, { ...order, order_id_ex: 'none' });
    const counted = desk.gateway.meter
      .metrics()
      .split('\n')
      .filter((line) => line.startsWith('svc_requests_total{'));
    expect(counted).toEqual([
      'svc_requests_total{interface="mcp",operation="preview_place_order",result="ok"} 1',
      expect.stringContaining('operation="preview_cancel_order"'),
    ]);
    const statistics = await desk.payload(system.getDelayStatistics, { type_list: [2] });
    expect(statistics.reqReplyStatisticsList).toEqual([]);
  });

  it('as rejected, with the reason', async () => {
    await desk.preview(trade.placeOrder, order, { as: 'reader' });
    expect(desk.audit).toMatchObject([
      { keyId: 'reader', outcome: 'reject', reason: expect.stringMatching(/^preview: auth: scope insufficient/) },
    ]);
    expect(await desk.gateway.meter.metrics()).toContain('result="auth.scope"} 1');
  });

  it('as allowed, when the order that it shows would be refused', async () => {
    await desk.close();
    desk = await openDesk({ keys: { desk: { scopes: ['trade:simulate'], limits: { maxOrderValue: '1' } } } });
    await previewed(desk, 'place', trade.placeOrder, order);
    expect(desk.audit).toMatchObject([
      { outcome: 'allow', reason: 'preview: would be refused: limit: order value 35000 HKD exceeds the cap of 1 per order' },
    ]);
  });
});

describe('a key that may trade but not read the account', () => {
  it('receives the gates’ verdict, and nothing about the account’s holdings', async () => {
    const { orderIDEx } = await desk.payload(trade.placeOrder, order);
    const as = { as: 'trader' };
    const place = await previewed(desk, 'place', trade.placeOrder, order, as);
    expect(place).toMatchObject({ value: 35_000n * 1_000_000_000n, capacity: null, wouldPass: null });
    const modify = { ...account, order_id_ex: orderIDEx, modify_order_op: 'normal', qty: 200, price: 350 };
    const modified = await previewed(desk, 'modify', trade.modifyOrder, modify, as);
    expect(modified).toMatchObject({ order: null, capacity: null });
    // Neither what the order has, nor whether it is what was given.
    const stop = { ...order, order_type: 'STOP', price: undefined, aux_price: 900 };
    const { orderIDEx: waiting } = await desk.payload(trade.placeOrder, stop);
    for (const aux_price of [900, 901]) {
      const moved = { ...account, order_id_ex: waiting, modify_order_op: 'normal', qty: 100, aux_price };
      const asked = await previewed(desk, 'modify', trade.modifyOrder, moved, as);
      expect(previewSentence(asked)).toContain(`: quantity to 100, trigger to ${aux_price}`);
    }
    const unsaid = { ...account, order_id_ex: orderIDEx, modify_order_op: 'normal', qty: 100, price: 0 };
    expect((await previewed(desk, 'modify', trade.modifyOrder, unsaid, as)).newPrice).toBe(0n);
    const cancelled = await previewed(desk, 'cancel', trade.cancelOrder, { ...account, order_id_ex: orderIDEx }, as);
    const cancelledAll = await previewed(desk, 'cancel', trade.cancelAllOrder, account, as);
    for (const preview of [cancelled, cancelledAll]) expect(preview).toMatchObject({ count: null, orders: null });
    const sentences = [modified, cancelled, cancelledAll].map((preview) => previewSentence(preview));
    for (const sentence of sentences) expect(sentence).toContain('acc:read');
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('get_max_trd_qtys');
  });
});

describe('an order that a key may not see', () => {
  /** Trades what it may not see: without acc:read, or with lists that lack the order. */
  const blind = { scopes: ['trade:simulate'] } as const;
  const elsewhere = { scopes: ['acc:read', 'trade:simulate'], limits: { allowedSymbols: 'HK.00005' } } as const;
  const secrets = /00700|TENCENT|BUY|HKD|353|35[,]?300|72[,]?000|allowed:/;
  const reopen = async (limits: object) => {
    await desk.close();
    desk = await openDesk({
      keys: { desk: { scopes: ['acc:read', 'trade:simulate'] }, blind: { ...blind, limits }, elsewhere },
    });
    return (await desk.payload(trade.placeOrder, { ...order, price: 353 })).orderIDEx;
  };
  const told = (value: unknown) =>
    JSON.stringify(value, (name, each) => (name === 'about' ? undefined : typeof each === 'bigint' ? String(each) : each));

  it.each([
    ['another symbol', { allowedSymbols: 'HK.00005' }, 'limit.symbol'],
    ['the other side', { allowedTrdSides: 'SELL' }, 'limit.side'],
    ['a low value', { maxOrderValue: '1' }, 'limit.order_value'],
    ['a low value a day', { maxDailyValue: '1' }, 'limit.daily_value'],
  ])('is shown by neither preview nor refusal of a change to a key for %s', async (_, limits, code) => {
    const id = await reopen(limits);
    const change = { ...account, order_id_ex: id, modify_order_op: 'normal', qty: 200, price: 360 };
    const preview = await previewed(desk, 'modify', trade.modifyOrder, change, { as: 'blind' });
    // Nor by whether it would pass, which tells it bit by bit.
    expect(preview).toMatchObject({ wouldPass: null, refusal: null, value: null, currency: null, increase: null, fees: null });
    expect(desk.audit.at(-1)).toMatchObject({
      outcome: 'allow',
      reason: 'preview: undecided: a limit depends on what the key may not see',
    });
    const passes = (preview.gates as readonly { limit: unknown }[]).filter(({ limit }) => limit !== null);
    expect(passes).toMatchObject([{ passes: null }]);
    expect(told({ ...preview, gates: preview.gates.map(({ limit: _limit, ...gate }) => gate) })).not.toMatch(secrets);
    const refused = await desk.call(trade.modifyOrder, change, { as: 'blind' });
    expect(refused).toMatchObject({ code });
    expect(told(refused)).not.toMatch(secrets);
    // The trail has it all.
    expect(desk.audit.at(-1)).toMatchObject({ outcome: 'reject', reason: expect.stringMatching(secrets) });
  });

  it('is shown to no key whose lists lack it, in changes, cancels and reads of it', async () => {
    const id = await reopen({ allowedMarkets: 'US' });
    const change = { ...account, order_id_ex: id, modify_order_op: 'normal', qty: 200, price: 360 };
    const hidden = await previewed(desk, 'modify', trade.modifyOrder, change, { as: 'elsewhere' });
    expect(hidden).toMatchObject({ wouldPass: null, refusals: [], order: null });
    expect(told({ ...hidden, gates: undefined })).not.toMatch(secrets);
    const answers = [
      await desk.call(trade.modifyOrder, change, { as: 'elsewhere' }),
      await desk.preview(trade.modifyOrder, change, { as: 'blind' }),
      await desk.call(trade.modifyOrder, change, { as: 'blind' }),
      await desk.call(trade.cancelOrder, { ...account, order_id_ex: id }, { as: 'blind' }),
      await desk.call(accounts.getOrderFee, { ...account, order_id_ex_list: [id] }, { as: 'elsewhere' }),
    ];
    for (const answer of answers) {
      expect(told(answer)).toMatch(/limit.(symbol|market)/);
      expect(told({ ...answer, gates: undefined })).not.toMatch(secrets);
    }
    const seen = await desk.preview(trade.modifyOrder, change);
    expect(told(seen)).toMatch(secrets);
  });
});

describe('what all keys together have sent', () => {
  const flags = { maxDailyValue: '900000', maxOrdersPerMinute: '40', maxOpenOrders: '30' };
  const all = { scopes: ['acc:read', 'trade:simulate'] } as const;
  const keys = {
    desk: all,
    blind: { scopes: ['trade:simulate'] },
    symbols: { ...all, limits: { allowedSymbols: 'HK.00005' } },
    markets: { ...all, limits: { allowedMarkets: 'HK' } },
    accounts: { ...all, limits: { allowedAccIds: HK_MARGIN } },
  } as const;
  const reopen = async (others: object) => {
    await desk.close();
    desk = await openDesk({ keys, ...others });
    await desk.payload(trade.placeOrder, { ...order, qty: 1700 });
  };
  const small = { ...order, symbol: 'HK.00005', qty: 400, price: 50 };
  const totals = async (as: string) => {
    const { gates } = await previewed(desk, 'place', trade.placeOrder, small, { as });
    const counted = ['rate', 'daily_value', 'open_orders'];
    return gates.filter(({ gate, holder }) => holder === 'flags' && counted.includes(gate)).map(({ after }) => after);
  };

  it.each(['blind', 'symbols', 'markets', 'accounts'])('is told by no preview to a key that does not see all: %s', async (as) => {
    await reopen({});
    expect(await totals('desk')).toContain(615_000n * 1_000_000_000n);
    expect(new Set(await totals(as))).toEqual(new Set([null]));
    await reopen({ flags });
    expect(await totals('desk')).toEqual([2, 615_000n * 1_000_000_000n, 2]);
    expect(new Set(await totals(as))).toEqual(new Set([null]));
  });

  it.each([
    ['the value of a day', { maxDailyValue: '600000' }, 'limit.daily_value', /595000/],
    ['the rate', { maxOrdersPerMinute: '1' }, 'limit.rate', /: 1 orders/],
    ['open orders', { maxOpenOrders: '1' }, 'limit.open_orders', /: 1 are open/],
  ])('is told by no refusal for %s either, and whether it is one is', async (_, own, code, sum) => {
    await reopen({ flags: own });
    expect(await desk.call(trade.placeOrder, small)).toMatchObject({ code, message: expect.stringMatching(sum) });
    for (const as of ['symbols', 'accounts']) {
      const refused = await desk.call(trade.placeOrder, small, { as });
      const preview = await previewed(desk, 'place', trade.placeOrder, small, { as });
      for (const refusal of [refused, preview.refusal]) {
        expect(refusal).toMatchObject({ code, message: expect.stringContaining('a limit of the daemon on what all keys send together') });
        expect(refusal).not.toMatchObject({ message: expect.stringMatching(sum) });
      }
      expect(preview.wouldPass).toBe(false);
    }
  });
});

describe('a limit that only an order that opens meets', () => {
  it.each([
    ['a halt', {}, true],
    ['open orders', { maxOpenOrders: '0' }, false],
    ['a loss', { maxDailyLoss: '1' }, false],
  ])('tells a key without acc:read nothing of the position: %s', async (_, limits, isHalted) => {
    await desk.close();
    const sees = ['acc:read', 'trade:simulate'] as const;
    desk = await openDesk({
      keys: {
        desk: { scopes: sees },
        seeing: { scopes: sees, limits },
        blind: { scopes: ['trade:simulate'], limits },
        ops: { scopes: ['admin'] },
      },
    });
    await desk.payload(trade.placeOrder, { ...order, order_type: 'MARKET', price: undefined, qty: 300 });
    desk.clock.advance(2_000);
    if (isHalted) await desk.payload(admin.adminHalt, {}, { as: 'ops', iface: 'grpc' });
    const sale = { ...order, side: 'SELL' };
    const passes = async (as: string) =>
      Promise.all([300, 400].map(async (qty) => (await previewed(desk, 'place', trade.placeOrder, { ...sale, qty }, { as })).wouldPass));
    expect(await passes('seeing')).toEqual([true, false]);
    expect(await passes('blind')).toEqual([null, null]);
    const { gates, undecidedBy } = await previewed(desk, 'place', trade.placeOrder, sale, { as: 'blind' });
    expect(gates.filter(({ passes: verdict }) => verdict === null)).toHaveLength(1);
    if (isHalted) expect(undecidedBy[0]).toContain('trading is halted');
  });
});

describe('the refusal that a preview names first is that of the write', () => {
  const sees = ['acc:read', 'trade:simulate'] as const;
  const keys = {
    desk: { scopes: sees },
    markets: { scopes: sees, limits: { allowedMarkets: 'US' } },
    symbols: { scopes: sees, limits: { allowedSymbols: 'HK.00005' } },
    blind: { scopes: ['trade:simulate'], limits: { maxOrderValue: '10' } },
    seeing: { scopes: sees, limits: { maxOrderValue: '10' } },
    buyer: { scopes: ['trade:simulate'], limits: { allowedTrdSides: 'BUY', maxOrderValue: '10' } },
    ops: { scopes: ['admin'] },
  } as const;
  const reopen = async (flags: object = {}, backend: Partial<Backend> = {}) => {
    await desk.close();
    desk = await openDesk({ keys, flags, backend });
  };
  const halt = () => desk.payload(admin.adminHalt, {}, { as: 'ops', iface: 'grpc' });
  const bothNames = async (operation: Operation, body: object, as: string) => {
    const preview = (await desk.preview(operation, body, { as })) as { refusal?: { code: string } };
    return [preview.refusal?.code, ((await desk.call(operation, body, { as })) as { code?: string }).code];
  };

  it.each([
    ['a market that its list lacks', 'markets', 'limit.market'],
    ['a symbol that its list lacks', 'symbols', 'limit.symbol'],
    ['a value too high, without acc:read', 'blind', 'limit.order_value'],
    ['a value too high, of an account that it reads', 'seeing', 'trading.halted'],
  ])('of a halted key: %s', async (_, as, code) => {
    await reopen();
    await halt();
    expect(await bothNames(trade.placeOrder, order, as)).toEqual([code, code]);
  });

  it("of a halted key: a market that the daemon's list lacks", async () => {
    await reopen({ allowedMarkets: 'US' });
    await halt();
    expect(await bothNames(trade.placeOrder, order, 'desk')).toEqual(['limit.market', 'limit.market']);
  });

  it('of a halted key that would close what it may not see, while it is not known how much of that is left', async () => {
    await reopen({}, { listsCurrent: undefined as never });
    await desk.payload(trade.placeOrder, { ...order, order_type: 'MARKET', price: undefined });
    desk.clock.advance(2_000);
    await halt();
    expect(await bothNames(trade.placeOrder, { ...order, side: 'SELL' }, 'symbols')).toEqual(['limit.symbol', 'limit.symbol']);
  });

  it('of a change of an order that the key may not see, the rate being used up', async () => {
    await reopen({ maxOrdersPerMinute: '1' });
    const { orderIDEx } = await desk.payload(trade.placeOrder, { ...order, price: 300 });
    const change = { ...account, order_id_ex: orderIDEx, modify_order_op: 'normal', qty: 200, price: 301 };
    expect(await bothNames(trade.modifyOrder, change, 'symbols')).toEqual(['limit.rate', 'limit.rate']);
  });

  it('of a bracket whose exits could open a position that the key may not see', async () => {
    await reopen();
    const contract = { symbol: 'HK.HSI2612', acc_id: FUTURES, market: 'FUTURES', env: 'simulate', qty: 1, order_type: 'MARKET' };
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    desk.clock.advance(2_000);
    const bracket = { ...contract, side: 'BUY', stop_loss_price: 10_000 };
    expect(await bothNames(trade.placeBracketOrder, bracket, 'buyer')).toEqual(['limit.order_value', 'limit.order_value']);
  });
});

describe('when the backend fails', () => {
  it('says that nothing was sent', async () => {
    await desk.close();
    await open({
      call: () => {
        throw new BackendLost('the connection to the platform was lost');
      },
    });
    const outcome = await desk.preview(trade.placeOrder, order);
    expect(outcome).toMatchObject({ code: 'backend.not_sent', message: 'the connection to the platform was lost; nothing was sent' });
  });

  it('is refused while the backend is not ready', async () => {
    await desk.close();
    const waiting = {
      lifecycleState: 'connecting',
      lifecycleGeneration: 1,
      reconnectAttempts: 0,
      reconnectSuccesses: 0,
      reconnectFailures: 0,
    } as const;
    await open({ status: () => ({ platform: waiting, brokers: [] }), readiness: () => waiting });
    const [preview, call] = [await desk.preview(trade.placeOrder, order), await desk.call(trade.placeOrder, order)];
    expect(preview).toMatchObject({ code: 'backend.not_ready' });
    expect(preview).toEqual(call);
    expect(preview).toBeInstanceOf(Rejection);
  });
});
