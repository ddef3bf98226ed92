import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

const daemon = TestDaemon.forAll<string>({ clock: new ManualClock(Date.UTC(2026, 10, 20, 2, 30)), flags: ['--sim-clock', 'calendar'] });

describe('POST /api/trading-days', () => {
  const december = { begin_time: '2026-12-23', end_time: '2026-12-28' };

  it('lists whole and half days of a market', async () => {
    const { trade_date_list } = await daemon.as().s2c('/api/trading-days', { market: 1, ...december });
    expect(trade_date_list).toEqual([
      { time: '2026-12-23', timestamp: Date.UTC(2026, 11, 22, 16) / 1000, trade_date_type: 0 },
      { time: '2026-12-24', timestamp: Date.UTC(2026, 11, 23, 16) / 1000, trade_date_type: 1 },
      { time: '2026-12-28', timestamp: Date.UTC(2026, 11, 27, 16) / 1000, trade_date_type: 0 },
    ]);
  });

  it('asks by symbol, whatever the market', async () => {
    const { trade_date_list } = await daemon.as().s2c('/api/trading-days', { market: 1, symbol: 'SH.600519', ...december });
    expect(trade_date_list.map(({ time }: { time: string }) => time)).toEqual(['2026-12-23', '2026-12-24', '2026-12-25', '2026-12-28']);
  });

  it.each([
    [{ market: 11 }, 'request.out_of_range', 'market: expected one of 1 (HK), 2 (US), 3 (CN), 4 (NT), 5 (ST), 6 (JP_FUTURE)'],
    [{ market: 'HK' }, 'request.wrong_type', 'market: expected one of 1 (HK)'],
    [{ market: null }, 'request.missing_field', 'missing field "market"'],
    [{ begin_time: '2026-12-23 25:30:00' }, 'request.invalid', 'begin_time: expected a time as yyyy-MM-dd'],
    [{ end_time: undefined }, 'request.missing_field', 'missing field "end_time"'],
  ])('refuses %j', async (change, code, message) => {
    const answer = await daemon.as().post('/api/trading-days', { market: 1, ...december, ...change });
    expect([answer.status, answer.json.code]).toEqual([400, code]);
    expect(answer.json.error).toContain(message);
  });

  it('refuses a range that ends before it begins', async () => {
    const { status, json } = await daemon.as().post('/api/trading-days', { market: 1, ...december, end_time: '2026-12-01' });
    expect([status, json]).toMatchObject([400, { code: 'request.out_of_range', field: 'begin_time' }]);
  });
});

describe('POST /api/static-info', () => {
  const list = async (body: object): Promise<{ basic: { security: { market: number; code: string }; sec_type: number } }[]> =>
    (await daemon.as().s2c('/api/static-info', body)).static_info_list;

  it('lists a market, or one type of it', async () => {
    const everything = await list({ market: 1 });
    expect(new Set(everything.map(({ basic }) => basic.security.market))).toEqual(new Set([1]));
    expect(new Set(everything.map(({ basic }) => basic.sec_type))).toEqual(new Set([1, 3, 4, 6, 7, 10]));
    const indices = await list({ market: 1, sec_type: 6 });
    expect(indices).toEqual(everything.filter(({ basic }) => basic.sec_type === 6));
    expect(indices.length).toBeGreaterThan(0);
  });

  it('passes both over where symbols are named', async () => {
    const named = await list({ symbols: ['US.AAPL'], market: 1, sec_type: 6 });
    expect(named.map(({ basic }) => basic.security)).toEqual([{ market: 11, code: 'AAPL' }]);
  });

  it('knows the types by their numbers', async () => {
    const answer = await daemon.as().post('/api/static-info', { market: 1, sec_type: 13 });
    expect([answer.status, answer.json.code]).toEqual([400, 'request.out_of_range']);
    expect(answer.json.error).toContain('sec_type: expected one of 1 (BOND), 2 (BASKET_WARRANT), 3 (STOCK), 4 (ETF)');
  });
});

it('GET /api/global-state has the state of every market', async () => {
  const { json } = await daemon.as().get('/api/global-state');
  // 10:30 on a Friday in Hong Kong, 21:30 the evening before in New York.
  expect(json.s2c).toMatchObject({
    market_hk: 3,
    market_us: 11,
    market_sh: 3,
    market_sz: 3,
    market_hk_future: expect.any(Number),
    market_us_future: expect.any(Number),
    market_sg_future: expect.any(Number),
    market_jp_future: expect.any(Number),
    market_sg: 3,
    market_my: 3,
    // Half past eleven in Tokyo: lunch.
    market_jp: 4,
    qot_logined: true,
    trd_logined: true,
    time: 1_795_141_800,
    local_time: 1_795_141_800,
    program_status: { type: 10 },
  });
});
