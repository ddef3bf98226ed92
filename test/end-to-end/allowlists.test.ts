import { replayClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, MARKET, SIMULATE, US, US_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { PushFrame } from '../support/push-client.js';

type Id = 'all' | 'hk' | 'tencent' | 'account';
/** On the list of a key, and no account of the brokerage. */
const GONE = '281756478396549999';
const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const daemon = TestDaemon.forAll<Id>({
  simulationClock: replayClock(Date.now(), 60),
  keys: {
    all: { scopes },
    hk: { scopes, limits: { allowedMarkets: 'HK' } },
    tencent: { scopes, limits: { allowedSymbols: 'HK.00700' } },
    account: { scopes, limits: { allowedAccIds: `${HK_MARGIN},${GONE}` } },
  },
  flags: ['--enable-trading'],
});

describe('reads', () => {
  const one = (symbol: string): [string, object][] => [
    ['/api/quote', { symbol }],
    ['/api/snapshot', { symbol }],
    ['/api/kline', { symbol, kl_type: 1, rehab_type: 0 }],
    ['/api/history-kline', { symbol, kl_type: 1, rehab_type: 0, begin_time: '2026-01-05', end_time: '2026-01-09' }],
    ['/api/orderbook', { symbol }],
    ['/api/ticker', { symbol }],
    ['/api/rt', { symbol }],
    ['/api/broker', { symbol }],
    ['/api/static-info', { symbols: [symbol] }],
    ['/api/trading-days', { market: 1, symbol, begin_time: '2026-01-05', end_time: '2026-01-09' }],
    ['/api/market-state', { symbols: [symbol] }],
    ['/api/capital-flow', { symbol }],
    ['/api/capital-distribution', { symbol }],
    ['/api/subscribe', { symbols: [symbol], sub_types: [1] }],
  ];

  it.each(one('HK.00700'))('%s of what is allowed', async (path, body) => {
    for (const id of ['hk', 'tencent'] as const) expect([id, (await daemon.as(id).post(path, body)).status]).toEqual([id, 200]);
  });

  it.each(one('US.AAPL'))('%s of what is not is a 429, whichever other symbols are asked for', async (path, body) => {
    for (const [id, code] of [
      ['hk', 'limit.market'],
      ['tencent', 'limit.symbol'],
    ] as const) {
      const answer = await daemon.as(id).post(path, body);
      expect([id, answer.status, answer.json.code]).toEqual([id, 429, code]);
      if (!('symbols' in body)) continue;
      const mixed = await daemon.as(id).post(path, { ...body, symbols: ['HK.00700', 'US.AAPL'] });
      expect([id, mixed.status, mixed.json.code]).toEqual([id, 429, code]);
    }
    expect((await daemon.as('all').post(path, body)).status).toBe(200);
  });

  it('every other spelling of the same symbol is refused too', async () => {
    const bodies = [
      { code: 'US.AAPL' },
      { stocks: ['US.AAPL'] },
      { security_list: [{ market: 11, code: 'AAPL' }] },
      { c2s: { security_list: [{ market: 11, code: 'AAPL' }] } },
    ];
    for (const body of bodies) expect((await daemon.as('tencent').post('/api/quote', body)).json.code).toBe('limit.symbol');
  });
});

describe('whole markets', () => {
  const list = (id: Id, body: object) => daemon.as(id).post('/api/static-info', body);
  const days = (id: Id, market: number) =>
    daemon.as(id).post('/api/trading-days', { market, begin_time: '2026-01-05', end_time: '2026-01-09' });

  it('are listed to a key of their market, and to no key of symbols alone', async () => {
    expect((await list('hk', { market: 1, sec_type: 6 })).status).toBe(200);
    expect((await list('hk', { market: 11, sec_type: 6 })).json.code).toBe('limit.market');
    expect((await list('tencent', { market: 1, sec_type: 6 })).json.code).toBe('limit.symbol');
  });

  it('are not got round by naming none', async () => {
    const everywhere = await list('hk', { sec_type: 6 });
    expect(everywhere.json).toMatchObject({ code: 'limit.market', error: 'market every market is not allowed; allowed: HK' });
    expect((await list('tencent', { sec_type: 6 })).json.code).toBe('limit.symbol');
    expect((await list('all', { sec_type: 6 })).json.ret_type).toBe(0);
  });

  it('have days that any key of the market may know, by whichever calendar', async () => {
    const codes = async (id: Id) => {
      const answers = [];
      for (let market = 1; market <= 10; market++) answers.push((await days(id, market)).json.code ?? 'served');
      return answers;
    };
    const refused = 'limit.market';
    expect(await codes('hk')).toEqual(['served', refused, refused, refused, 'served', refused, refused, refused, refused, refused]);
    expect(await codes('tencent')).toEqual(Array(10).fill('served'));
  });
});

describe('accounts', () => {
  it('lists are filtered', async () => {
    const ids = async (id: Id) =>
      [...(await daemon.as(id).get('/api/list-accounts', { 'x-svc-int64': 'string' })).json.s2c.acc_list].map((entry) => entry.acc_id);
    expect(await ids('account')).toEqual([HK_MARGIN]);
    expect((await ids('all')).length).toBeGreaterThan(5);
    expect((await daemon.as('account').get('/api/accounts')).text).not.toContain(HK_CASH);
  });

  it('reads of others are a 403', async () => {
    for (const path of [
      '/api/funds',
      '/api/positions',
      '/api/orders',
      '/api/order-fills',
      '/api/history-orders',
      '/api/history-order-fills',
    ]) {
      const range = path.includes('history') ? { begin_time: '2026-01-01', end_time: '2026-01-02' } : {};
      const body = { market: HK, env: SIMULATE, ...range };
      expect([path, (await daemon.as('account').post(path, { ...body, acc_id: HK_MARGIN })).status]).toEqual([path, 200]);
      const other = await daemon.as('account').post(path, { ...body, acc_id: HK_CASH });
      expect([path, other.status, other.json.code]).toEqual([path, 403, 'auth.account']);
    }
  });
});

describe('a list with an account that the brokerage does not have', () => {
  it('reveals no other account in its message', async () => {
    const body = { market: HK, env: SIMULATE, acc_id: GONE };
    const order = { ...body, side: BUY, code: '00700', qty: 100, order_type: MARKET };
    for (const [path, request] of [
      ['/api/orders', body],
      ['/api/order', order],
      ['/api/token-state', { acc_id: GONE }],
      ['/api/sub-acc-push', { acc_id_list: [GONE] }],
    ] as const) {
      const { text } = await daemon.as('account').post(path, request);
      expect([path, text]).toEqual([path, expect.stringContaining(`unknown account ${GONE}`)]);
      expect([path, text]).toEqual([path, expect.not.stringContaining(HK_CASH)]);
    }
  });
});

describe('pushes', () => {
  const fill = (symbol: string) => (frame: PushFrame) => frame.proto_id === 2218 && frame.body.order_fill.code === symbol;

  it('of orders and fills follow accounts, markets and symbols', async () => {
    const everything = [HK_MARGIN, HK_CASH, US_MARGIN];
    const [all, hk, tencent, account] = [
      await daemon.push('all'),
      await daemon.push('hk'),
      await daemon.push('tencent'),
      await daemon.push('account'),
    ];
    for (const id of ['all', 'hk', 'tencent'] as const) await daemon.as(id).s2c('/api/sub-acc-push', { acc_id_list: everything });
    await daemon.as('account').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const base = { env: SIMULATE, side: BUY, order_type: MARKET };
    for (const order of [
      { ...base, market: HK, acc_id: HK_CASH, code: '00005', qty: 400 },
      { ...base, market: US, acc_id: US_MARGIN, code: 'AAPL', qty: 1 },
      { ...base, market: HK, acc_id: HK_CASH, code: '00700', qty: 100 },
      { ...base, market: HK, acc_id: HK_MARGIN, code: '00700', qty: 100 },
    ]) {
      const heard = all.frames.length;
      await daemon.as('all').s2c('/api/order', order);
      await all.frame(fill(order.code), `the fill of ${order.code}`, heard);
    }
    await Promise.all([all, hk, tencent, account].map((client) => client.settled()));
    const seen = (client: typeof all) => new Set(client.trades.map(({ body }) => (body.order ?? body.order_fill).code));
    expect([...seen(all)].sort()).toEqual(['00005', '00700', 'AAPL']);
    expect([...seen(hk)].sort()).toEqual(['00005', '00700']);
    expect([...seen(tencent)]).toEqual(['00700']);
    expect(account.trades.length).toBeGreaterThan(0);
    for (const text of account.texts.filter((each) => each.includes('"trade"'))) expect(text).toContain(`"acc_id":${HK_MARGIN}`);
  });
});
