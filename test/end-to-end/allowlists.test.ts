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
  it.each([
    ['/api/static-info', {}],
    ['/api/market-state', {}],
    ['/api/subscribe', { sub_types: [1] }],
  ])('%s answers 429 for a symbol that is not on the list, whichever others are asked for', async (path, body) => {
    for (const [id, code] of [
      ['hk', 'limit.market'],
      ['tencent', 'limit.symbol'],
    ] as const) {
      const mixed = await daemon.as(id).post(path, { ...body, symbols: ['HK.00700', 'US.AAPL'] });
      expect([id, mixed.status, mixed.json.code]).toEqual([id, 429, code]);
    }
  });
});

describe('whole markets', () => {
  const list = (id: Id, body: object) => daemon.as(id).post('/api/static-info', body);
  const days = (id: Id, market: number) =>
    daemon.as(id).post('/api/trading-days', { market, begin_time: '2026-01-05', end_time: '2026-01-09' });

  it('lists whole markets to a key of their market, and to no key of symbols alone', async () => {
    expect((await list('hk', { market: 1, sec_type: 6 })).status).toBe(200);
    expect((await list('hk', { market: 11, sec_type: 6 })).json.code).toBe('limit.market');
    expect((await list('tencent', { market: 1, sec_type: 6 })).json.code).toBe('limit.symbol');
  });

  it('refuses limited keys a read that names no market', async () => {
    const everywhere = await list('hk', { sec_type: 6 });
    expect(everywhere.json).toMatchObject({ code: 'limit.market', error: 'market every market is not allowed; allowed: HK' });
    expect((await list('tencent', { sec_type: 6 })).json.code).toBe('limit.symbol');
    expect((await list('all', { sec_type: 6 })).json.ret_type).toBe(0);
  });

  it('tells any key of a market its trading days, by whichever calendar', async () => {
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
  it('lists only the accounts of a key', async () => {
    const ids = async (id: Id) =>
      [...(await daemon.as(id).get('/api/list-accounts', { 'x-svc-int64': 'string' })).json.s2c.acc_list].map((entry) => entry.acc_id);
    expect(await ids('account')).toEqual([HK_MARGIN]);
    expect((await ids('all')).length).toBeGreaterThan(5);
    expect((await daemon.as('account').get('/api/accounts')).text).not.toContain(HK_CASH);
  });
});

describe('a list with an account that the brokerage does not have', () => {
  it('reveals no account in the refusal of one that the brokerage does not have', async () => {
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

  it('pushes orders and fills by the key’s accounts, markets and symbols', async () => {
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
