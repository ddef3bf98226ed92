import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { PushFrame } from '../support/push-client.js';

const FILL_PUSH = 2218;
const FILLED = 11;
const DAY_LINE = 2;
const NOT_ADJUSTED = 0;

/** Hong Kong is open at each start; of each, what only its time has. */
describe.each([
  {
    start: '2016-03-01T02:00:00Z',
    today: '2016-03-01',
    easter: ['2016-03-24', '2016-03-29', '2016-03-30', '2016-03-31'],
    front: ['HSI1603', '2016-03-30'],
    expired: 'HK.HSI1602',
    coming: 'HK.HSI1704',
    notYet: 'US.ARM',
    option: ['US.AAPL160318C270000', '2016-03-18'],
  },
  {
    start: '2036-03-03T02:00:00Z',
    today: '2036-03-03',
    easter: ['2036-03-24', '2036-03-25', '2036-03-26', '2036-03-27', '2036-03-28', '2036-03-31'],
    front: ['HSI3603', '2036-03-28'],
    expired: 'HK.HSI3602',
    coming: 'HK.HSI3704',
    notYet: undefined,
    option: ['US.AAPL360321P270000', '2036-03-21'],
  },
])('from $start', ({ start, today, easter, front, expired, coming, notYet, option }) => {
  const daemon = TestDaemon.forAll({
    keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } },
    flags: ['--enable-trading', '--enable-desktop-phase2-reads', '--sim-clock', `replay:${start}@20`],
  });

  const read = (path: string, body: object) => daemon.as('desk').s2c(path, body);
  const refused = async (path: string, body: object) => {
    const { json } = await daemon.as('desk').post(path, body);
    expect(json.ret_type).toBe(-1);
    return json.ret_msg as string;
  };
  const tenYears = (path: string, body: object) => {
    const year = Number(today.slice(0, 4));
    return read(path, { ...body, begin_time: `${year - 9}-03-02`, end_time: today });
  };

  it('lists a calendar of ten years with its holidays in any decade', async () => {
    const { trade_date_list } = await tenYears('/api/trading-days', { market: 1 });
    expect(trade_date_list.length).toBeGreaterThan(9 * 243);
    const days = await read('/api/trading-days', { market: 1, begin_time: easter[0], end_time: easter.at(-1) });
    expect(days.trade_date_list.map(({ time }: { time: string }) => time)).toEqual(easter);
  });

  it('lists the contracts of the day in any decade', async () => {
    const { static_info_list } = await read('/api/static-info', { market: 1, sec_type: 10 });
    const codes = static_info_list.map(({ basic }: { basic: { security: { code: string } } }) => basic.security.code);
    const hsi = codes.filter((code: string) => /^HSI\d/.test(code));
    expect(hsi[0]).toBe(front[0]);
    expect(hsi).toHaveLength(12);
    const [info] = (await read('/api/static-info', { symbols: [`HK.${front[0]}`] })).static_info_list;
    expect(info.future_ex_data).toMatchObject({ last_trade_time: front[1], is_main_contract: false });
    expect(info.basic.delisting).toBe(false);
    const [over] = (await read('/api/static-info', { symbols: [expired] })).static_info_list;
    expect(over.basic.delisting).toBe(true);
    expect(await refused('/api/snapshot', { symbols: [coming] })).toContain(`${coming} is not listed before`);
  });

  it('quotes options in any decade', async () => {
    const [symbol = '', expiry] = option;
    const [info] = (await read('/api/static-info', { symbols: [symbol] })).static_info_list;
    expect(info.basic).toMatchObject({ sec_type: 8, lot_size: 100, delisting: false });
    expect(info.option_ex_data).toMatchObject({ strike_time: expiry, strike_price: 270, owner: { market: 11, code: 'AAPL' } });
    const [{ basic }] = (await read('/api/snapshot', { symbols: [symbol] })).snapshot_list;
    expect(basic.cur_price).toBeGreaterThan(0);
    expect(await refused('/api/static-info', { symbols: [symbol.replace('270000', '271000')] })).toContain('unknown symbol');
  });

  it('answers bars of the past ten years and quotes in any decade', async () => {
    const day = { rehab_type: NOT_ADJUSTED, kl_type: DAY_LINE };
    const { kl_list } = await tenYears('/api/history-kline', { ...day, symbol: 'HK.00700', max_ack_kl_num: 1000 });
    expect(kl_list[0].time.slice(0, 4)).toBe(String(Number(today.slice(0, 4)) - 9));
    expect(kl_list.length).toBeGreaterThan(400);
    const { kl_list: recent } = await read('/api/history-kline', {
      ...day,
      symbol: 'HK.HSImain',
      begin_time: easter[0],
      end_time: easter[0],
    });
    expect(recent).toEqual([]);
    const { snapshot_list } = await read('/api/snapshot', {
      symbols: ['HK.00700', 'US.AAPL', `HK.${front[0]}`, 'SH.600519', 'JP.7203', 'FX.USDHKD'],
    });
    for (const { basic } of snapshot_list) expect(basic.cur_price).toBeGreaterThan(0);
    // Expired contracts stay as their last day left them.
    const [gone] = (await read('/api/snapshot', { symbols: [expired] })).snapshot_list;
    expect(gone.basic.update_time < today).toBe(true);
    if (notYet !== undefined) expect(await refused('/api/snapshot', { symbols: [notYet] })).toContain('is not listed before 2023-09-14');
  });

  it('fills an order in any decade', async () => {
    const push = await daemon.push('desk', '?int64=string');
    await read('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, order_type: MARKET, code: '00700', qty: 100 };
    const { order_id, order_id_ex } = await daemon.as('desk').s2c('/api/order', order, { 'x-svc-int64': 'string' });
    const isFill = (frame: PushFrame) => frame.proto_id === FILL_PUSH && frame.body.order_fill.order_id === order_id;
    const fill = await push.frame(isFill, 'the fill');
    expect(fill.body.order_fill.create_time.slice(0, 10)).toBe(today);
    const { order_list } = await daemon.as('desk').s2c('/api/orders', { market: HK, acc_id: HK_MARGIN, env: SIMULATE });
    expect(order_list).toContainEqual(expect.objectContaining({ order_id_ex, order_status: FILLED }));
  });
});
