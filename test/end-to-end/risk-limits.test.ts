import { create } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import type { C2S as OrdersC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { C2SSchema as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, system, trade } from '@svc-gateway/contract/operations';
import type { Backend, ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, US_MARGIN } from '../support/accounts.js';
import { type Answering, type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';
import { until } from '../support/until.js';

/** `max_open_orders` and `max_daily_loss`: what adds risk is refused, what reduces a position is not. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
/** Longer than an order takes to the exchange, and a cancel back. */
const SETTLED_MS = 500;
const list = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
/** Far below the market: it stays open. */
const resting = { ...list, symbol: 'HK.00700', side: 'BUY', qty: 100, price: 1 };
const taking = { ...list, symbol: 'HK.00700', side: 'BUY', order_type: 'MARKET', qty: 100 };

let desk: Desk;
afterEach(() => desk.close());

async function open(limits: LimitFlags, others: Partial<DeskOptions> & { readonly flags?: LimitFlags } = {}): Promise<void> {
  desk = await openDesk({ keys: { desk: { scopes, limits }, free: { scopes }, blind: { scopes: ['trade:simulate'], limits } }, ...others });
}

/** The code of the gateway's refusal; undefined where it let the order pass. */
const refusal = (body: object, as = 'desk', operation: Operation = trade.placeOrder) => desk.code(operation, body, { as });

async function place(body: object, as = 'desk'): Promise<string> {
  const { orderIDEx } = await desk.payload(trade.placeOrder, body, { as });
  return orderIDEx;
}

async function cancel(id: string, as = 'desk'): Promise<void> {
  await desk.payload(trade.cancelOrder, { ...list, order_id_ex: id }, { as });
  desk.clock.advance(SETTLED_MS);
}

async function use(name: string, as = 'desk') {
  const { limitList } = await desk.payload(system.whoami, {}, { as });
  return limitList.filter((one) => one.name === name);
}

describe('max_open_orders', () => {
  it('refuses one more than may be open, and passes it once one has ended', async () => {
    await open({ maxOpenOrders: '2' });
    const first = await place(resting);
    await place(resting);
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(resting)).toBe('limit.open_orders');
    expect(await use('max_open_orders')).toMatchObject([{ holder: 'key', limit: '2', used: '2', left: '0' }]);
    expect(await refusal(resting, 'free')).toBeUndefined();
    await cancel(first);
    expect(await use('max_open_orders')).toMatchObject([{ used: '1', left: '1' }]);
    expect(await refusal(resting)).toBeUndefined();
    expect(await refusal(resting)).toBe('limit.open_orders');
  });

  it('an order of several legs is one of them', async () => {
    await open({ maxOpenOrders: '1' });
    const leg = (code: string, side: string) => ({ security: { market: 'HK', code }, side, qty_ratio: 1 });
    const header = { trd_env: 'simulate', acc_id: HK_MARGIN, trd_market: 'HK' };
    const pair = { header, combo_legs: [leg('00700', 'BUY'), leg('00005', 'BUY')], qty: 400, price: 1, order_type: 'NORMAL' };
    await desk.payload(trade.placeComboOrder, pair, { as: 'desk' });
    expect(await refusal(resting)).toBe('limit.open_orders');
    expect(await desk.call(trade.placeComboOrder, pair, { as: 'desk' })).toMatchObject({ code: 'limit.open_orders' });
  });

  it('0 allows none', async () => {
    await open({ maxOpenOrders: '0' });
    expect(await refusal(resting)).toBe('limit.open_orders');
  });

  it('orders at once pass no more than may be open', async () => {
    await open({ maxOpenOrders: '3' });
    const codes = await Promise.all(Array.from({ length: 10 }, () => refusal(resting)));
    expect(codes.filter((code) => code === undefined)).toHaveLength(3);
    expect(codes.filter((code) => code === 'limit.open_orders')).toHaveLength(7);
  });

  it('an order that comes back while the list of open ones is on its way goes on counting', async () => {
    let held: Promise<void> | undefined;
    const slow: Answering = async (operation, request, pass) => {
      const answer = await pass();
      if (operation === account.getOrders && (request as OrdersC2S).filterStatusList.length > 0) await held;
      return answer;
    };
    await open({ maxOpenOrders: '1' }, { answer: slow });
    const first = { ...list, order_id_ex: await place(resting) };
    desk.clock.advance(SETTLED_MS);
    await desk.payload(trade.modifyOrder, { ...first, op: 'disable' });
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    const another = refusal(resting);
    await until(() => desk.calls.some(({ request }) => (request as Partial<OrdersC2S>).filterStatusList?.length), 'the comparison');
    await desk.payload(trade.modifyOrder, { ...first, op: 'enable' });
    release();
    expect(await another).toBe('limit.open_orders');
    // Once it is taken back for good, it counts no more.
    await desk.payload(trade.modifyOrder, { ...first, op: 'disable' });
    expect(await refusal(resting)).toBeUndefined();
    expect(await refusal({ ...first, op: 'enable' }, 'desk', trade.modifyOrder)).toBe('limit.open_orders');
  });

  it('of the flags count for all keys together', async () => {
    await open({}, { flags: { maxOpenOrders: '2' } });
    await place(resting);
    await place(resting, 'free');
    expect(await refusal(resting)).toBe('limit.open_orders');
    expect(await refusal(resting, 'free')).toBe('limit.open_orders');
    expect(await use('max_open_orders')).toMatchObject([{ holder: 'daemon', limit: '2', used: '2' }]);
  });

  it('an order that filled, that was refused, or whose account there is not, is not open', async () => {
    await open({ maxOpenOrders: '1' });
    await place(taking);
    desk.clock.advance(SETTLED_MS);
    const nowhere = { ...resting, acc_id: '5' };
    expect(await desk.call(trade.placeOrder, nowhere)).toMatchObject({ retType: -1 });
    expect(await refusal(resting)).toBeUndefined();
    expect(await refusal(resting)).toBe('limit.open_orders');
  });

  it('is known again after a restart', async () => {
    const store: Store = new MemoryStore();
    await open({ maxOpenOrders: '1' }, { store, sharesStore: true });
    const id = await place(resting);
    await desk.close();
    await open({ maxOpenOrders: '1' }, { store, sharesStore: true });
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(resting)).toBe('limit.open_orders');
    await cancel(id);
    expect(await refusal(resting)).toBeUndefined();
  });

  it('an order whose answer was lost counts as long as an order works that nobody has placed', async () => {
    let lose = true;
    const losing: Answering = async (operation, _, pass) => {
      const answer = await pass();
      if (operation === trade.placeOrder && lose) throw new Error('the answer is lost');
      return answer;
    };
    await open({ maxOpenOrders: '1' }, { answer: losing });
    expect(await refusal(resting)).toBe('internal');
    lose = false;
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(resting)).toBe('limit.open_orders');
    const { orderList } = await desk.payload(account.getOrders, list);
    await cancel(orderList[0]?.orderIDEx ?? '');
    expect(await refusal(resting)).toBeUndefined();
  });

  it('refuses where the brokerage does not list the orders', async () => {
    await open({ maxOpenOrders: '1' }, { silent: new Set([account.getOrders]) });
    await place(resting);
    expect(await refusal(resting)).toBe('limit.open_orders');
  });

  it('does not keep a position from being closed, but from being closed twice', async () => {
    await open({ maxOpenOrders: '1' });
    await place({ ...taking, qty: 200 }, 'free');
    desk.clock.advance(SETTLED_MS);
    await place(resting);
    const sale = { ...taking, side: 'SELL', order_type: 'NORMAL', price: 9000, qty: 100 };
    expect(await refusal(resting)).toBe('limit.open_orders');
    expect(await Promise.all([refusal(sale), refusal(sale), refusal(sale)])).toEqual([undefined, undefined, 'limit.open_orders']);
    expect(await refusal({ ...sale, side: 'SELL_SHORT' })).toBe('limit.open_orders');
    expect(await refusal({ ...sale, symbol: 'HK.00005', price: 900, qty: 400 })).toBe('limit.open_orders');
  });

  it('lets the rest of a position be closed while a part of it is for sale', async () => {
    await open({ maxOpenOrders: '1' });
    await place({ ...taking, qty: 300 }, 'free');
    desk.clock.advance(SETTLED_MS);
    const sale = { ...taking, side: 'SELL', order_type: 'NORMAL', price: 9000 };
    await place({ ...sale, qty: 200 });
    desk.clock.advance(SETTLED_MS);
    expect(await refusal({ ...sale, qty: 200 })).toBe('limit.open_orders');
    expect(await refusal({ ...sale, qty: 100 })).toBeUndefined();
  });

  it('takes what every leg of a working order will sell off what may be closed', async () => {
    await open({ maxOpenOrders: '1' });
    const futures = { acc_id: '281756478396547008', market: 'FUTURES', env: 'simulate' };
    const long = { ...futures, symbol: 'HK.HSI2612', side: 'BUY', order_type: 'MARKET', qty: 1 };
    await place(long, 'free');
    desk.clock.advance(SETTLED_MS);
    await place(resting);
    const leg = (code: string, side: number) => ({ security: { market: 1, code }, side, qtyRatio: 1 });
    const header = { trdEnv: 0, accID: BigInt(futures.acc_id), trdMarket: 5 };
    // It asks for more than anybody gives, and so it stays.
    const combo = create(ComboC2S, { header, comboLegs: [leg('HSI2703', 1), leg('HSI2612', 2)], orderType: 1, qty: 1, price: -5000 });
    expect(await desk.call(trade.placeComboOrder, combo, { as: 'free', iface: 'grpc' })).toMatchObject({ retType: 0 });
    desk.clock.advance(SETTLED_MS);
    expect(await refusal({ ...long, side: 'SELL', order_type: 'NORMAL', price: 90000 })).toBe('limit.open_orders');
  });

  it('an order that is enabled counts again, and one that stands may be changed', async () => {
    await open({ maxOpenOrders: '1' });
    const id = await place(resting);
    desk.clock.advance(SETTLED_MS);
    const change = { ...list, order_id_ex: id };
    expect(await refusal({ ...change, op: 'normal', qty: 200, price: 1 }, 'desk', trade.modifyOrder)).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await refusal({ ...change, op: 'disable' }, 'desk', trade.modifyOrder)).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(resting)).toBeUndefined();
    expect(await refusal({ ...change, op: 'enable' }, 'desk', trade.modifyOrder)).toBe('limit.open_orders');
  });

  it('a preview says so and counts nothing', async () => {
    await open({ maxOpenOrders: '1' });
    const gate = () => previewed(desk, 'place', trade.placeOrder, resting);
    expect(await gate()).toMatchObject({ wouldPass: true });
    expect((await gate()).gates).toContainEqual({ gate: 'open_orders', holder: 'key', passes: true, limit: 1, after: 1 });
    await place(resting);
    expect(await gate()).toMatchObject({ wouldPass: false, refusal: { code: 'limit.open_orders' } });
  });
});

describe('max_daily_loss', () => {
  type Made = { readonly tdPlVal?: number; readonly currency?: number } | 'refused';

  /** The brokerage, whose positions have made this today. */
  function made(...profits: readonly Made[]) {
    return (simulated: Backend): Partial<Backend> => ({
      async call(operation, request, context): Promise<ResponseMessage> {
        const answer = await simulated.call(operation, request, context);
        if (operation !== account.getPositions) return answer;
        if (profits.includes('refused')) return Object.assign(answer, { retType: -1, retMsg: 'not now', s2c: undefined });
        const { s2c } = answer as ResponseMessage & { s2c?: { positionList: object[] } };
        for (const [index, position] of (s2c?.positionList ?? []).entries()) {
          const profit = profits[index] as { tdPlVal?: number; currency?: number } | undefined;
          const settable = position as { tdPlVal?: number; currency?: number };
          if (profit?.tdPlVal === undefined) delete settable.tdPlVal;
          else settable.tdPlVal = profit.tdPlVal;
          if (profit?.currency !== undefined) settable.currency = profit.currency;
        }
        return answer;
      },
    });
  }

  async function hold(...codes: readonly string[]): Promise<void> {
    for (const symbol of codes) await place({ ...taking, symbol, qty: symbol === 'HK.00005' ? 400 : 100 }, 'free');
    desk.clock.advance(SETTLED_MS);
  }

  const USD = 2;

  const days: readonly [string, LimitFlags, Made[], string | undefined][] = [
    ['below the cap', { maxDailyLoss: '1000' }, [{ tdPlVal: -999.99 }], undefined],
    ['at the cap', { maxDailyLoss: '1000' }, [{ tdPlVal: -1000 }], 'limit.daily_loss'],
    ['above it', { maxDailyLoss: '1000' }, [{ tdPlVal: -1000.01 }], 'limit.daily_loss'],
    ['a gain', { maxDailyLoss: '1000' }, [{ tdPlVal: 5000 }], undefined],
    ['with 0, any loss', { maxDailyLoss: '0' }, [{ tdPlVal: -0.01 }], 'limit.daily_loss'],
    ['with 0, no loss', { maxDailyLoss: '0' }, [{ tdPlVal: 0 }], undefined],
    ['not known', { maxDailyLoss: '1000' }, [{}], 'limit.loss_unknown'],
    ['not listed', { maxDailyLoss: '1000' }, ['refused'], 'limit.loss_unknown'],
    ['exact to the cent', { maxDailyLoss: '0.3' }, [{ tdPlVal: -0.1 }, { tdPlVal: -0.2 }], 'limit.daily_loss'],
    ['gains beside it', { maxDailyLoss: '1000' }, [{ tdPlVal: -1500 }, { tdPlVal: 600 }], undefined],
    [
      'gains in another currency do not count',
      { maxDailyLoss: '1000' },
      [{ tdPlVal: -1500 }, { tdPlVal: 9000, currency: USD }],
      'limit.daily_loss',
    ],
    [
      'unless limits are in one',
      { maxDailyLoss: '1000', limitsCurrency: 'HKD' },
      [{ tdPlVal: -1500 }, { tdPlVal: 9000, currency: USD }],
      undefined,
    ],
    [
      'where a loss is converted',
      { maxDailyLoss: '1000', limitsCurrency: 'HKD' },
      [{ tdPlVal: 0 }, { tdPlVal: -130, currency: USD }],
      'limit.daily_loss',
    ],
  ];
  it('shows a loss to no key without acc:read, in refusals, previews and whoami', async () => {
    await open({ maxDailyLoss: '1000' }, { backend: made({ tdPlVal: -1234 }) });
    await hold('HK.00700');
    const ask = async (as: string) => [
      await desk.call(trade.placeOrder, resting, { as }),
      await desk.preview(trade.placeOrder, resting, { as }),
      (await desk.payload(system.whoami, {}, { as })).limitList,
    ];
    const text = (answers: unknown) => JSON.stringify(answers, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(text(await ask('desk'))).toContain('1234');
    const blind = await ask('blind');
    expect(blind[0]).toMatchObject({ code: 'limit.daily_loss', message: expect.stringContaining('acc:read') });
    expect(text(blind)).not.toContain('1234');
    expect(text(blind[2])).not.toContain('accId');
  });

  it.each(days)('takes no more risk, or as much as before: %s', async (_, limits, profits, code) => {
    await open(limits, { backend: made(...profits) });
    await hold(...['HK.00700', 'HK.00005'].slice(0, profits.length));
    expect(await refusal(resting)).toBe(code);
    expect(await refusal(resting, 'free')).toBeUndefined();
  });

  it('of the flags holds for every key', async () => {
    await open({}, { flags: { maxDailyLoss: '1000' }, backend: made({ tdPlVal: -1000 }) });
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(resting, 'free')).toBeUndefined();
    await hold('HK.00700');
    expect(await refusal(resting, 'free')).toBe('limit.daily_loss');
  });

  it('does not keep a position from being closed, an order from being cancelled or made smaller', async () => {
    await open({ maxDailyLoss: '1000' }, { backend: made({ tdPlVal: -1000 }) });
    await hold('HK.00700');
    const id = await place({ ...resting, qty: 200 }, 'free');
    desk.clock.advance(SETTLED_MS);
    const change = { ...list, order_id_ex: id, op: 'normal' };
    expect(await refusal({ ...change, qty: 300, price: 1 }, 'desk', trade.modifyOrder)).toBe('limit.daily_loss');
    expect(await refusal({ ...change, qty: 100, price: 1 }, 'desk', trade.modifyOrder)).toBeUndefined();
    await cancel(id);
    expect(await refusal({ ...taking, side: 'SELL', qty: 200 })).toBe('limit.daily_loss');
    expect(await refusal({ ...taking, side: 'SELL' })).toBeUndefined();
  });

  it('is what the brokerage shows, realised and not', async () => {
    await open({ maxDailyLoss: '1' });
    const { orderBookBidList, orderBookAskList } = await desk.payload(quote.getOrderBook, { symbol: 'HK.00700', depth: 1 });
    expect(orderBookAskList[0]?.price).toBeGreaterThan(orderBookBidList[0]?.price ?? Number.NaN);
    await hold('HK.00700');
    await place({ ...taking, side: 'SELL' }, 'free');
    desk.clock.advance(SETTLED_MS);
    const { positionList } = await desk.payload(account.getPositions, list);
    const lost = -(positionList[0]?.tdPlVal ?? 0);
    expect(positionList).toMatchObject([{ qty: 0 }]);
    expect(lost).toBeGreaterThan(1);
    expect(await refusal(resting)).toBe('limit.daily_loss');
    expect(await use('max_daily_loss')).toContainEqual(
      expect.objectContaining({ holder: 'key', limit: '1', accId: BigInt(HK_MARGIN), currency: 'HKD', used: String(lost), left: '0' }),
    );
    const elsewhere = { market: 'US', acc_id: US_MARGIN, env: 'simulate', symbol: 'US.AAPL', side: 'BUY', qty: 1, price: 1 };
    expect(await refusal(elsewhere)).toBeUndefined();
  });

  it('a preview says so', async () => {
    await open({ maxDailyLoss: '1000' }, { backend: made({ tdPlVal: -1234.5 }) });
    await hold('HK.00700');
    const preview = await previewed(desk, 'place', trade.placeOrder, resting);
    expect(preview).toMatchObject({ wouldPass: false, refusal: { code: 'limit.daily_loss' } });
    const gate = {
      gate: 'daily_loss',
      holder: 'key',
      passes: false,
      limit: 1_000_000_000_000n,
      after: 1_234_500_000_000n,
      currency: 'HKD',
    };
    expect(preview.gates).toContainEqual(gate);
  });
});
