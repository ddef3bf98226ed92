import { replayClock } from '@svc-gateway/contract/clock';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, REAL, REAL_ENV, SIMULATE, US } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

type Id = 'all' | 'hk' | 'us' | 'tencent' | 'account' | 'quotes';
const scopes = ['acc:read', 'trade:simulate', 'trade:real'] as const;
const account = { acc_id: HK_MARGIN, env: SIMULATE };
const daemon = TestDaemon.forAll<Id>({
  simulationClock: replayClock(Date.now(), 60),
  keys: {
    all: { scopes },
    hk: { scopes, limits: { allowedMarkets: 'HK' } },
    us: { scopes, limits: { allowedMarkets: 'US' } },
    tencent: { scopes, limits: { allowedSymbols: 'HK.00005' } },
    account: { scopes, limits: { allowedAccIds: HK_MARGIN } },
    quotes: { scopes: ['qot:read'] },
  },
  flags: ['--enable-trading'],
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

  it('pages the cash log by next_log_id', async () => {
    const all = await log({});
    const first = await as('all').s2c('/api/cash-log', { ...account, max_cnt: 2 }, exact);
    expect(first.log_list).toEqual(all.slice(0, 2));
    expect(first.next_log_id).toBe(all[1].log_id);
    const second = await as('all').s2c('/api/cash-log', { ...account, max_cnt: 2, log_id: first.next_log_id }, exact);
    expect(second.log_list).toEqual(all.slice(2));
    expect(second.next_log_id).toBeUndefined();
  });

  it.each([
    [{ max_cnt: 0 }, 'max_cnt'],
    [{ max_cnt: 501 }, 'max_cnt'],
    [{ in_out: 3 }, 'in_out'],
    [{ currency: 8 }, 'currency'],
    [{ begin_time: '2026-11-20' }, 'begin_time'],
    [{ acc_id: undefined }, 'acc_id'],
  ])('refuses %j', async (body, field) => {
    const answer = await as('all').post('/api/cash-log', { ...account, ...body });
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining(field)]);
  });

  it('takes every bound of the cash log', async () => {
    for (const max_cnt of [1, 500]) expect((await log({ max_cnt })).length).toBe(Math.min(max_cnt, 3));
    for (const in_out of [0, 1, 2]) expect((await log({ in_out })).length).toBe([3, 1, 2][in_out]);
    for (const currency of [1, 2, 3, 4, 5]) expect((await log({ currency })).length).toBe(currency === 1 ? 3 : 0);
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

  it('refuses flows to keys of markets or symbols, as a flow names no security', async () => {
    const body = { ...account, market: HK, clearing_date: '2026-11-20' };
    for (const path of ['/api/flow-summary', '/api/acc-cash-flow']) {
      expect((await as('hk').post(path, body)).status).toBe(429);
      expect((await as('tencent').post(path, body)).status).toBe(429);
      expect((await as('account').post(path, body)).status).toBe(200);
      expect((await as('quotes').post(path, body)).status).toBe(403);
      expect((await as('all').post(path, { ...body, direction: 3 })).status).toBe(400);
      expect((await as('all').post(path, { ...body, clearing_date: undefined })).json.code).toBe('request.missing_field');
      expect((await as('all').post(path, { ...body, market: US })).json.ret_type).toBe(-1);
    }
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
