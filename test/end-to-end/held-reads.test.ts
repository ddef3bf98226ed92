import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, subscription, system, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { payloadOf } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HK_CASH, HK_MARGIN, REAL } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';

/** Longer than an order and a cancel take to the exchange. */
const SETTLED_MS = 1000;
const CANCELLED = 15;
const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:real', 'trade:unlock'] as const;
const header = { acc_id: REAL, env: 'real' };
/** An account that trades several markets. */
const hongKong = { ...header, market: 'HK' };
const america = { ...header, market: 'US' };

let desk: Desk;
/** Orders that work, by symbol. */
const working: Record<string, string> = {};

beforeAll(async () => {
  desk = await openDesk({
    keys: {
      desk: { scopes },
      hk: { scopes, limits: { allowedMarkets: 'HK' } },
      tencent: { scopes, limits: { allowedSymbols: 'HK.00700' } },
      account: { scopes, limits: { allowedAccIds: HK_MARGIN } },
      quotes: { scopes: ['qot:read'] },
    },
    tradePassword: async () => '123456',
  });
  await desk.payload(trade.unlockTrade, { unlock: true });
  for (const symbol of ['HK.00700', 'HK.00005', 'US.AAPL']) {
    await order(symbol, { order_type: 'MARKET' });
    const { orderBookBidList } = await desk.payload(quote.getOrderBook, { symbol, depth: 1 });
    working[symbol] = await order(symbol, { price: Math.floor((orderBookBidList[0]?.price ?? 0) * 0.9) });
  }
  desk.clock.advance(SETTLED_MS);
});
afterAll(() => desk.close());

async function order(symbol: string, terms: object): Promise<string> {
  const qty = symbol.startsWith('US') ? 10 : 400;
  const { orderIDEx } = await desk.payload(trade.placeOrder, { ...header, symbol, side: 'BUY', qty, ...terms });
  desk.clock.advance(SETTLED_MS);
  return orderIDEx;
}

async function codeOf(operation: Operation, body: object, as: string): Promise<string | number> {
  const answer = await desk.call(operation, body, { as });
  return answer instanceof Rejection ? answer.code : answer.retType;
}

const range = { begin_time: '2026-11-19', end_time: '2026-11-21' };
const lists = [
  [account.getOrders, 'orderList', {}],
  [account.getDeals, 'orderFillList', {}],
  [account.getHistoryOrders, 'orderList', range],
  [account.getHistoryDeals, 'orderFillList', range],
  [account.getPositions, 'positionList', {}],
] as const;

describe.each(lists.map((entry) => [entry[0].name, ...entry] as const))('%s', (_, operation, field, extra) => {
  const symbols = async (as: string, body: object = hongKong) => {
    const answer = await desk.call(operation, { ...body, ...extra }, { as });
    if (answer instanceof Rejection) return answer.code;
    const list =
      (payloadOf(operation as Operation, answer) as unknown as Record<string, { secMarket: number; code: string }[]>)[field] ?? [];
    return [...new Set(list.map(({ secMarket, code }) => `${secMarket === 1 ? 'HK' : 'US'}.${code}`))].sort();
  };

  it('lists what a key may see, of an account that has more', async () => {
    expect(await symbols('desk')).toEqual(['HK.00005', 'HK.00700', 'US.AAPL']);
    expect(await symbols('hk')).toEqual(['HK.00005', 'HK.00700']);
    expect(await symbols('tencent')).toEqual(['HK.00700']);
    expect(await symbols('tencent', america)).toEqual(['HK.00700']);
  });

  it('is refused in a market and of an account that the key may not use', async () => {
    expect(await symbols('hk', america)).toBe('limit.market');
    expect(await symbols('account')).toBe('auth.account');
  });

  it('leaves what the backend has as it was', async () => {
    expect(await symbols('desk')).toHaveLength(3);
  });
});

describe('what else an account has', () => {
  it('is told by market: funds', async () => {
    expect(await codeOf(account.getFunds, hongKong, 'hk')).toBe(0);
    expect(await codeOf(account.getFunds, america, 'hk')).toBe('limit.market');
    const markets = async (as: string) => {
      const answer = await desk.call(account.getFunds, hongKong, { as });
      const payload = answer instanceof Rejection ? undefined : payloadOf(account.getFunds, answer);
      return payload?.funds?.marketInfoList.map(({ trdMarket }) => trdMarket).sort();
    };
    expect(await markets('desk')).toEqual(expect.arrayContaining([1, 2]));
    expect(await markets('hk')).toEqual([1]);
  });

  it('is told by market and symbol: how much could be traded', async () => {
    const of = (symbol: string) => ({ ...header, symbol, price: 100 });
    expect(await codeOf(account.getMaxTrdQtys, of('HK.00005'), 'hk')).toBe(0);
    expect(await codeOf(account.getMaxTrdQtys, of('US.AAPL'), 'hk')).toBe('limit.market');
    expect(await codeOf(account.getMaxTrdQtys, of('HK.00700'), 'tencent')).toBe(0);
    expect(await codeOf(account.getMaxTrdQtys, of('HK.00005'), 'tencent')).toBe('limit.symbol');
    // By code and market apart, and by the low-level form.
    expect(await codeOf(account.getMaxTrdQtys, { ...hongKong, code: '00005', price: 100 }, 'tencent')).toBe('limit.symbol');
  });

  it('is told by the orders that are meant: fees', async () => {
    const of = (...symbols: string[]) => ({ ...header, order_id_ex_list: symbols.map((symbol) => working[symbol] ?? symbol) });
    expect(await codeOf(account.getOrderFee, of('HK.00700', 'HK.00005'), 'hk')).toBe(0);
    expect(await codeOf(account.getOrderFee, of('HK.00700', 'US.AAPL'), 'hk')).toBe('limit.market');
    expect(await codeOf(account.getOrderFee, { ...of('US.AAPL'), market: 'HK' }, 'hk')).toBe('limit.market');
    expect(await codeOf(account.getOrderFee, of('HK.00700'), 'tencent')).toBe(0);
    expect(await codeOf(account.getOrderFee, of('HK.00005'), 'tencent')).toBe('limit.symbol');
    expect(await codeOf(account.getOrderFee, of('nobody’s'), 'tencent')).toBe('limit.symbol');
    expect(await codeOf(account.getOrderFee, of('nobody’s'), 'hk')).toBe('limit.market');
  });
});

it('an order is known by its market and symbol also where the clock was set back to days before its own', async () => {
  const store = new MemoryStore();
  const keys = { desk: { scopes }, tencent: { scopes, limits: { allowedSymbols: 'HK.00700' } } };
  const place = { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' };
  const first = await openDesk({ keys, store, sharesStore: true });
  const start = first.clock.now();
  first.clock.advance(3 * 86_400_000);
  const ids: string[] = [];
  for (const symbol of ['HK.00700', 'HK.00005']) {
    const { orderIDEx } = await first.payload(trade.placeOrder, { ...place, symbol, side: 'BUY', qty: 400, price: 1 });
    await first.payload(trade.cancelOrder, { ...place, order_id_ex: orderIDEx });
    ids.push(orderIDEx);
  }
  first.clock.advance(SETTLED_MS);
  await first.payload(account.getOrders, place);
  await first.close();

  const second = await openDesk({ keys, store, sharesStore: true, start });
  try {
    const [own, other] = ids.map((id) => ({ ...place, order_id_ex_list: [id] }));
    const answer = await second.call(account.getOrderFee, own!, { as: 'tencent' });
    expect(answer instanceof Rejection ? answer.message : answer.retType).toBe(0);
    expect(await second.call(account.getOrderFee, other!, { as: 'tencent' })).toMatchObject({
      code: 'limit.symbol',
      message: expect.not.stringContaining('HK.00005'),
    });
    expect(second.audit.at(-1)).toMatchObject({ outcome: 'reject', reason: expect.stringContaining('HK.00005') });
  } finally {
    await second.close();
  }
});

describe('lists that reach beyond the request', () => {
  it('of symbols: the history quota, and the subscriptions of the daemon', async () => {
    for (const symbol of ['HK.00700', 'US.AAPL']) {
      await desk.payload(quote.getHistoryKline, { symbol, begin: '2026-11-18', end: '2026-11-19' });
      await desk.payload(subscription.subscribe, { symbols: [symbol], sub_types: ['Basic'] });
    }
    const asked = [
      [quote.getHistoryKlQuota, { b_get_detail: true }],
      [subscription.querySubscription, { is_req_all_conn: true }],
    ] as const;
    for (const [operation, body] of asked) {
      const text = async (as: string) => {
        const answer = await desk.call(operation, body, { as });
        return JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      };
      for (const [as, codes] of [
        ['desk', ['00700', 'AAPL']],
        ['hk', ['00700']],
        ['tencent', ['00700']],
      ] as const) {
        const answer = await text(as);
        expect([operation.name, as, ['00700', 'AAPL'].filter((code) => answer.includes(`"${code}"`))]).toEqual([operation.name, as, codes]);
      }
    }
  });

  it('of accounts: who listens to which', async () => {
    await desk.payload(account.subAccPush, { acc_id_list: [HK_MARGIN, HK_CASH] });
    expect((await desk.payload(system.getPushSubscriberInfo, {})).accIdList).toEqual([BigInt(HK_MARGIN), BigInt(HK_CASH)]);
    expect((await desk.payload(system.getPushSubscriberInfo, {}, { as: 'account' })).accIdList).toEqual([BigInt(HK_MARGIN)]);
  });
});

describe('a cancel', () => {
  const statusOf = async (symbol: string) => {
    desk.clock.advance(SETTLED_MS);
    const { orderList } = await desk.payload(account.getOrders, hongKong);
    return orderList.find(({ orderIDEx }) => orderIDEx === working[symbol])?.orderStatus;
  };

  it('is held by the market of its order, not by the one that it writes', async () => {
    const orderId = (await desk.payload(account.getOrders, america)).orderList.find(({ code }) => code === 'AAPL')?.orderID;
    for (const named of [{ order_id_ex: working['US.AAPL'] }, { order_id: String(orderId) }]) {
      const body = { ...hongKong, ...named };
      const attempts = [
        [trade.cancelOrder, body],
        ...['cancel', 'disable', 'delete', 'enable'].map((op) => [trade.modifyOrder, { ...body, modify_order_op: op }] as const),
        [trade.modifyOrder, { ...body, modify_order_op: 'normal', qty: 1, price: 100 }],
      ] as const;
      for (const [operation, attempt] of attempts) {
        expect(await codeOf(operation, attempt, 'hk')).toBe('limit.market');
        expect(await desk.preview(operation, attempt, { as: 'hk' })).toMatchObject({ code: 'limit.market' });
      }
    }
    expect(await statusOf('US.AAPL')).not.toBe(CANCELLED);
  });

  it('gets out of an allowed market, whichever it writes, and whatever the symbol', async () => {
    expect(await codeOf(trade.cancelOrder, { ...america, order_id_ex: working['HK.00700'] }, 'hk')).toBe(0);
    expect(await statusOf('HK.00700')).toBe(CANCELLED);
    expect(await codeOf(trade.cancelOrder, { ...hongKong, order_id_ex: working['HK.00005'] }, 'tencent')).toBe(0);
    expect(await statusOf('HK.00005')).toBe(CANCELLED);
  });

  it('of an order that there is not is answered as it was, in the market that it writes', async () => {
    expect(await codeOf(trade.cancelOrder, { ...hongKong, order_id_ex: 'nobody’s' }, 'hk')).toBe(-1);
    expect(await codeOf(trade.cancelOrder, { ...america, order_id_ex: 'nobody’s' }, 'hk')).toBe('limit.market');
  });
});

it('the delay statistics tell of the orders that a key could list, and of no others', async () => {
  const told = async (as: string) => {
    const { placeOrderStatisticsList } = await desk.payload(system.getDelayStatistics, {}, { as });
    return placeOrderStatisticsList.map(({ orderID }) => orderID);
  };
  const all = await told('desk');
  expect(all).toEqual(expect.arrayContaining(Object.values(working)));
  const { orderList } = await desk.payload(account.getOrders, hongKong, { as: 'tencent' });
  const tencent = new Set(orderList.map(({ orderIDEx }) => orderIDEx));
  expect(await told('tencent')).toEqual(all.filter((id) => tencent.has(id)));
  expect(await told('tencent')).toContain(working['HK.00700']);
  expect(await told('hk')).not.toContain(working['US.AAPL']);
  expect([await told('account'), await told('quotes')]).toEqual([[], []]);
});
