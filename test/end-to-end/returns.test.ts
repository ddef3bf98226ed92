import { replayClock } from '@svc-gateway/contract/clock';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, MARKET, REAL, REAL_ENV, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

type Id = 'all' | 'hk' | 'tencent' | 'account';
const scopes = ['acc:read', 'trade:simulate'] as const;
const header = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
const regular = { use_pre_market: false, use_after_hours: false, use_overnight: false };
const calendar = { ...header, query_type: 1, method: 1, time_location: 'Asia/Hong_Kong', price_context: regular, extension_version: 1 };
const range = { query_type: 1, start_date: '2026-11-01', end_date: '2026-11-30', time_location: 'UTC', price_context: regular };
const trend = { ...header, range, method: 1, extension_version: 1 };
const actions = { ...header, extension_version: 1 };
const daemon = TestDaemon.forAll<Id>({
  simulationClock: replayClock(Date.UTC(2026, 10, 20, 2), 60),
  keys: {
    all: { scopes },
    hk: { scopes, limits: { allowedMarkets: 'HK' } },
    tencent: { scopes, limits: { allowedSymbols: 'HK.00005' } },
    account: { scopes, limits: { allowedAccIds: HK_MARGIN } },
  },
  flags: ['--enable-trading', '--enable-v18-experimental-reads'],
});
beforeAll(async () => {
  await as('all').s2c('/api/order', { ...header, code: '00700', side: BUY, order_type: MARKET, qty: 100 });
  await until(async () => (await as('all').s2c('/api/positions', header)).position_list.length > 0, 'the order to fill');
});

const as = (id: Id) => daemon.as(id);

const routes = [
  ['/api/trd/return-calendar', calendar],
  ['/api/trd/yield-trend', trend],
  ['/api/trd/position-corporate-actions', actions],
] as const;

it.each(routes)('%s answers, for keys of the account too', async (path, body) => {
  for (const id of ['all', 'account'] as const) expect((await as(id).s2c(path, body)).header.acc_id).toBeDefined();
  expect((await as('account').post(path, { ...body, acc_id: HK_CASH })).json.code).toBe('auth.account');
});

it.each(routes)('%s takes the low-level form', async (path, { acc_id, env, market, ...rest }) => {
  const c2s = { header: { trd_env: env, acc_id, trd_market: market }, ...rest };
  expect((await as('all').post(path, { c2s })).json.ret_type).toBe(0);
});

it.each([
  ['/api/trd/return-calendar', { ...calendar, price_context: { use_pre_market: false, use_after_hours: false } }, 'use_overnight'],
  ['/api/trd/return-calendar', { ...calendar, price_context: undefined }, 'use_overnight'],
  ['/api/trd/return-calendar', { ...calendar, time_location: undefined }, 'time_location'],
  ['/api/trd/return-calendar', { ...calendar, query_type: 4 }, 'query_type'],
  ['/api/trd/return-calendar', { ...calendar, method: 0 }, 'method'],
  ['/api/trd/return-calendar', { ...calendar, calendar_date: '20261120' }, 'calendar_date'],
  ['/api/trd/yield-trend', { ...trend, range: { ...range, start_date: undefined } }, 'start_date'],
  ['/api/trd/yield-trend', { ...trend, range: { ...range, price_context: { ...regular, use_overnight: 1 } } }, 'use_overnight'],
  ['/api/trd/yield-trend', { ...trend, range: undefined }, 'missing field'],
])('%s refuses %j', async (path, body, field) => {
  const answer = await as('all').post(path, body);
  expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining(field)]);
});

describe('limited keys', () => {
  it('shows limited keys the corporate actions of positions that they may see', async () => {
    const codes = async (id: Id) =>
      (await as(id).s2c('/api/trd/position-corporate-actions', actions)).position_list.map(({ code }: { code: string }) => code);
    expect([await codes('all'), await codes('hk'), await codes('tencent')]).toEqual([['00700'], ['00700'], []]);
  });
});

it('the trend ends with the assets that the funds show', async () => {
  const { point_list } = await as('all').s2c('/api/trd/yield-trend', trend);
  const { funds } = await as('all').s2c('/api/funds', header);
  // Prices move between the two.
  expect(Number(point_list.at(-1).assets) / funds.total_assets).toBeCloseTo(1, 3);
  expect(point_list.at(-1)).toMatchObject({ period: '2026-11-20', net_inflow: '10000000' });
});

it('counts returns in any currency of the account', async () => {
  const real = { ...calendar, acc_id: REAL, env: REAL_ENV };
  const assets = async (currency: number) =>
    Number((await as('all').s2c('/api/trd/return-calendar', { ...real, currency })).total.end_assets);
  expect((await assets(1)) / (await assets(2))).toBeCloseTo(7.8, 0);
});
