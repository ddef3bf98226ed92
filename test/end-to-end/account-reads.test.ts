import { replayClock } from '@svc-gateway/contract/clock';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, REAL, REAL_ENV, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

type Id = 'all' | 'hk' | 'us' | 'tencent' | 'account';
const scopes = ['acc:read', 'trade:simulate', 'trade:real'] as const;
const account = { acc_id: HK_MARGIN, env: SIMULATE };
const daemon = TestDaemon.forAll<Id>({
  simulationClock: replayClock(Date.UTC(2026, 10, 20, 2), 60),
  keys: {
    all: { scopes },
    hk: { scopes, limits: { allowedMarkets: 'HK' } },
    us: { scopes, limits: { allowedMarkets: 'US' } },
    tencent: { scopes, limits: { allowedSymbols: 'HK.00005' } },
    account: { scopes, limits: { allowedAccIds: HK_MARGIN } },
  },
  flags: ['--enable-trading', '--enable-v18-experimental-reads'],
});
beforeAll(async () => {
  const order = { ...account, market: HK, code: '00700', side: BUY, order_type: MARKET, qty: 100 };
  await daemon.as('all').s2c('/api/order', order);
  await until(async () => (await log({})).length > 2, 'the order to fill');
});

const as = (id: Id) => daemon.as(id);
/** Ids as text: they are beyond what a double holds. */
const exact = { 'x-svc-int64': 'string' };
const log = async (body: object, id: Id = 'all') => (await as(id).s2c('/api/cash-log', { ...account, ...body }, exact)).log_list;

describe('POST /api/cash-log', () => {
  it('shows exact amounts with their group, days and security', async () => {
    const [fee, trade, opening] = await log({});
    expect(fee).toMatchObject({ title: 'Fees', biz_group_id: 1, biz_sub_group_id: 102, in_out: 2, currency: 1, code: '00700' });
    expect(trade).toMatchObject({
      title: 'Trade',
      in_out: 2,
      trd_market: HK,
      sec_market: 1,
      amount: expect.stringMatching(/^-\d+(\.\d+)?$/),
    });
    expect(opening).toMatchObject({ title: 'Opening balance', in_out: 1, amount: '10000000' });
    expect(trade.clearing_date < trade.settlement_date).toBe(true);
  });

  it('shows limited keys the rows of the cash log that they may see', async () => {
    const titles = async (id: Id) => (await log({}, id)).map(({ title }: { title: string }) => title);
    expect(await titles('hk')).toEqual(['Fees', 'Trade']);
    expect(await titles('us')).toEqual([]);
    expect(await titles('tencent')).toEqual([]);
    expect(await titles('account')).toEqual(['Fees', 'Trade', 'Opening balance']);
    expect((await as('account').post('/api/cash-log', { acc_id: REAL, env: REAL_ENV })).json.code).toBe('auth.account');
    const [row] = await log({});
    expect((await as('us').s2c('/api/cash-detail', { ...account, log_id: row.log_id })).detail_list).toEqual([]);
    expect((await as('tencent').post('/api/cash-log', { ...account, symbol: 'HK.00700' })).json.code).toBe('limit.symbol');
    // A number narrows what is shown, and shows no more.
    expect(await log({ stock_id: row.stock_id }, 'hk')).toHaveLength(2);
    expect(await log({ stock_id: row.stock_id }, 'tencent')).toEqual([]);
  });
});

describe('flows of a day', () => {
  it('lists the same flows of a day under both names and in the log', async () => {
    const [fee, trade] = await log({});
    const body = { ...account, market: HK, clearing_date: trade.clearing_date };
    const flows = (await as('all').s2c('/api/flow-summary', body, exact)).flow_summary_info_list;
    expect(flows.map(({ cash_flow_id }: { cash_flow_id: string }) => cash_flow_id)).toEqual(
      expect.arrayContaining([fee.log_id, trade.log_id]),
    );
    expect((await as('all').s2c('/api/acc-cash-flow', body, exact)).flow_summary_info_list).toEqual(flows);
    const out = (await as('all').s2c('/api/flow-summary', { ...body, direction: 2 }, exact)).flow_summary_info_list;
    expect(out).toEqual(flows.filter(({ cash_flow_direction }: { cash_flow_direction: number }) => cash_flow_direction === 2));
  });
});

it('filters the cash log by the ids of its groups', async () => {
  const { group_list } = await as('all').s2c('/api/biz-group', account);
  for (const group of group_list) {
    const rows = await log({ biz_group_id: group.biz_group_id });
    const subs = group.sub_group_list.map(({ biz_sub_group_id }: { biz_sub_group_id: number }) => biz_sub_group_id);
    expect(rows.every((row: { biz_sub_group_id: number }) => subs.includes(row.biz_sub_group_id))).toBe(true);
  }
});

describe('returns', () => {
  const regular = { use_pre_market: false, use_after_hours: false, use_overnight: false };
  const calendar = {
    ...account,
    market: HK,
    query_type: 1,
    method: 1,
    time_location: 'Asia/Hong_Kong',
    price_context: regular,
    extension_version: 1,
  };
  const range = { query_type: 1, start_date: '2026-11-01', end_date: '2026-11-30', time_location: 'UTC', price_context: regular };
  const trend = { ...account, market: HK, range, method: 1, extension_version: 1 };

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

  it('the trend ends with the assets that the funds show', async () => {
    const { point_list } = await as('all').s2c('/api/trd/yield-trend', trend);
    const { funds } = await as('all').s2c('/api/funds', { ...account, market: HK });
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
});
