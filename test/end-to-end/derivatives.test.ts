import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

// A Friday afternoon in New York, with options expiring today.
const daemon = TestDaemon.forAll<'all' | 'markets'>({
  clock: new ManualClock(Date.UTC(2026, 10, 20, 15)),
  flags: ['--sim-clock', 'calendar'],
  keys: {
    all: { scopes: ['qot:read'] },
    markets: { scopes: ['qot:read'], limits: { allowedMarkets: 'US' } },
  },
});

interface Security {
  readonly market: number;
  readonly code: string;
}
interface Static {
  readonly basic: { readonly security: Security; readonly sec_type: number };
  readonly option_ex_data: { readonly strike_price: number; readonly strike_time: string; readonly type: number; readonly owner: Security };
}

const s2c = (path: string, body: object) => daemon.as('all').s2c(path, body);
const refusal = async (path: string, body: object) => (await daemon.as('all').post(path, body)).json;

async function chain(body: object): Promise<{ strike_time: string; option: { call?: Static; put?: Static }[] }[]> {
  return (await s2c('/api/option-chain', body)).option_chain ?? [];
}

// Listed five weeks before: its contracts have a short history.
const december = { owner_symbol: 'US.AAPL', begin_time: '2026-12-11', end_time: '2026-12-11' };
const code = (one: Static | undefined) => one?.basic.security.code ?? '';
const snapshots = async (codes: readonly string[]) =>
  (await s2c('/api/snapshot', { symbols: codes.map((each) => `US.${each}`) })).snapshot_list as readonly {
    readonly basic: {
      readonly security: Security;
      readonly cur_price: number;
      readonly volume: number;
      readonly bid_price?: number;
      readonly ask_price?: number;
    };
    readonly option_ex_data: Readonly<Record<string, number>>;
  }[];

describe('options', () => {
  it('expire on the days that the chain lists, each with calls and puts at rising strikes', async () => {
    const { date_list } = await s2c('/api/option-expiration-date', { owner_symbol: 'US.AAPL' });
    const days = date_list.map(({ strike_time }: { strike_time: string }) => strike_time);
    expect(days).toEqual([...days].sort());
    expect(days.slice(0, 2)).toEqual(['2026-11-20', '2026-11-27']);
    expect(date_list[0]).toMatchObject({ option_expiry_date_distance: 0, cycle: 2 });
    expect(date_list[1]).toMatchObject({ option_expiry_date_distance: 7, cycle: 1 });
    const month = await chain({ ...december, begin_time: '2026-11-20', end_time: '2026-12-20' });
    expect(month.map(({ strike_time }) => strike_time)).toEqual(days.filter((day: string) => day <= '2026-12-20'));
    for (const { strike_time, option } of month) {
      const strikes = option.map(({ call }) => call?.option_ex_data.strike_price ?? 0);
      expect(strikes).toEqual([...strikes].sort((a, b) => a - b));
      expect(option.length).toBeGreaterThan(10);
      for (const { call, put } of option) {
        expect(call?.option_ex_data).toMatchObject({ type: 1, strike_time, owner: { market: 11, code: 'AAPL' }, option_standard_type: 1 });
        expect(put?.option_ex_data).toMatchObject({ type: 2, strike_price: call?.option_ex_data.strike_price });
      }
    }
  });

  it('lists normal index options unless the small ones are asked for', async () => {
    const days = (body: object) => s2c('/api/option-expiration-date', { owner_symbol: 'HK.800000', ...body });
    const chainOf = async (type: number) => {
      const list = await chain({ owner_symbol: 'HK.800000', begin_time: '2026-12-30', end_time: '2026-12-30', index_option_type: type });
      return new Set(list.flatMap(({ option }) => option.map(({ call }) => code(call).slice(0, 3))));
    };
    expect((await days({})).date_list.length).toBeGreaterThan((await days({ index_option_type: 2 })).date_list.length);
    expect(await chainOf(1)).toEqual(new Set(['HSI']));
    expect(await chainOf(2)).toEqual(new Set(['MHI']));
  });

  it('filters options by what their snapshots show', async () => {
    const all = (await chain(december)).flatMap(({ option }) => option.flatMap(({ call, put }) => [code(call), code(put)]));
    const shown = await snapshots(all);
    const wanted: readonly (readonly [filter: object, meets: (data: Readonly<Record<string, number>>) => boolean])[] = [
      [{ delta_min: 0.2, delta_max: 0.6 }, ({ delta = 0 }) => delta >= 0.2 && delta <= 0.6],
      [{ iv_max: 30 }, ({ implied_volatility = 0 }) => implied_volatility <= 30],
      [{ oi_min: 2000 }, ({ open_interest = 0 }) => open_interest >= 2000],
      [{ gamma_min: 0.01 }, ({ gamma = 0 }) => gamma >= 0.01],
      [{ vega_min: 0.1, vega_max: 0.2 }, ({ vega = 0 }) => vega >= 0.1 && vega <= 0.2],
      [{ theta_max: -0.1 }, ({ theta = 0 }) => theta <= -0.1],
      [{ rho_min: 0.05 }, ({ rho = 0 }) => rho >= 0.05],
      [{ option_type: 2 }, ({ type }) => type === 2],
    ];
    for (const [filter, meets] of wanted) {
      const found = (await chain({ ...december, ...filter })).flatMap(({ option }) => option.flatMap(({ call, put }) => [call, put]));
      const expected = shown.filter(({ option_ex_data }) => meets(option_ex_data)).map(({ basic }) => basic.security.code);
      expect(found.flatMap((one) => (one === undefined ? [] : [code(one)])).sort(), JSON.stringify(filter)).toEqual([...expected].sort());
      expect(expected.length, JSON.stringify(filter)).toBeGreaterThan(0);
      expect(expected.length, JSON.stringify(filter)).toBeLessThan(shown.length);
    }
    const { snapshot_list } = await s2c('/api/snapshot', { symbols: ['US.AAPL'] });
    const inMoney = (await chain({ ...december, condition: 1, option_type: 1 })).flatMap(({ option }) => option);
    for (const { call } of inMoney) expect(call?.option_ex_data.strike_price).toBeLessThan(snapshot_list[0].basic.cur_price + 1);
    const busy = (await chain({ ...december, volume_min: 100 })).flatMap(({ option }) => option.flatMap(({ call, put }) => [call, put]));
    const expected = shown.filter(({ basic }) => basic.volume >= 100).map(({ basic }) => basic.security.code);
    expect(busy.flatMap((one) => (one === undefined ? [] : [code(one)])).sort()).toEqual([...expected].sort());
  });

  it.each([
    [{ delta_min: 0.6, delta_max: 0.2 }, 400, 'delta_min: 0.6 exceeds delta_max, which is 0.2'],
    [{ iv_min: 40, iv_max: 39.9 }, 400, 'iv_min: 40 exceeds iv_max, which is 39.9'],
    [{ option_type: 3 }, 400, 'option_type: expected one of'],
    [{ owner_symbol: undefined }, 400, 'missing field "owner_symbol"'],
    [{ begin_time: '2026-13-01' }, 400, 'begin_time: expected a time'],
    [{ begin_time: '2026-12-12' }, 400, 'begin_time: 2026-12-12 exceeds end_time, which is 2026-12-11'],
    [{ begin_time: '2026-11-10' }, 200, 'begin_time to end_time: at most 31 days'],
    [{ owner_symbol: 'HK.HSImain' }, 200, 'owner: HK.HSImain is a future'],
  ])('refuse %j', async (change, status, message) => {
    const answer = await daemon.as('all').post('/api/option-chain', { ...december, ...change });
    expect([answer.status, answer.json.ret_msg]).toEqual([status, expect.stringContaining(message)]);
  });

  it('quotes options as their snapshot, book and legs have it', async () => {
    const list = (await chain(december)).flatMap(({ option }) => option);
    const { snapshot_list } = await s2c('/api/snapshot', { symbols: ['US.AAPL'] });
    const spot = snapshot_list[0].basic.cur_price;
    const middle = list.findIndex(({ call }) => (call?.option_ex_data.strike_price ?? 0) > spot);
    const near = list.slice(middle - 2, middle + 2).flatMap(({ call, put }) => [code(call), code(put)]);
    for (const { basic, option_ex_data: data } of await snapshots(near)) {
      const { option_quote_list } = await s2c('/api/option-quote', { multi_legs: [{ security: basic.security, side: 1 }] });
      const [quote] = option_quote_list;
      expect(quote).toMatchObject({
        price: basic.cur_price,
        vol: basic.volume,
        delta: data.delta,
        gamma: data.gamma,
        vega: data.vega,
        theta: data.theta,
        rho: data.rho,
        iv: data.implied_volatility,
        open_interest: data.open_interest,
        strike: data.strike_price,
        contract_multiplier: 100,
        exercise_type: 1,
        days_to_expiry: 21,
      });
      expect(quote.mid).toBeCloseTo(((basic.bid_price ?? 0) + (basic.ask_price ?? 0)) / 2, 6);
      // Quotes are up to two seconds old.
      expect(Math.abs(quote.mid - quote.mark_price)).toBeLessThan(1);
      expect(quote.intrinsic_value + quote.time_value).toBeCloseTo(quote.price, 6);
      expect(quote.breakeven_point).toHaveLength(1);
    }
  });

  it('analyses combinations of options as the quotes of their legs', async () => {
    const { strategy_list } = await s2c('/api/option-strategy', {
      owner_symbol: 'US.AAPL',
      option_strategy: 4,
      expire_time: '2026-12-18',
      spread: 5,
      option_type: 1,
    });
    expect(strategy_list.length).toBeGreaterThan(10);
    const spread = strategy_list[Math.floor(strategy_list.length / 2)];
    expect(spread).toMatchObject({
      option_strategy: 4,
      stock_owner: { market: 11, code: 'AAPL' },
      multi_legs: [
        { side: 1, qty_ratio: 1 },
        { side: 3, qty_ratio: 1 },
      ],
    });
    const { option_quote_list } = await s2c('/api/option-quote', { multi_legs: spread.multi_legs });
    const legs = await Promise.all(
      spread.multi_legs.map(
        async ({ security }: { security: Security }) =>
          (await s2c('/api/option-quote', { multi_legs: [{ security }] })).option_quote_list[0],
      ),
    );
    const [bought, sold] = legs;
    const [sum] = option_quote_list;
    for (const name of ['price', 'delta', 'gamma', 'vega', 'theta', 'rho', 'mark_price', 'mid'])
      expect(sum[name], name).toBeCloseTo(bought[name] - sold[name], 5);
    const analysis = await s2c('/api/option-strategy-analysis', { multi_legs: spread.multi_legs });
    expect(analysis).toMatchObject({ code: spread.code, name: spread.name, option_strategy: 4 });
    expect(analysis.delta).toBeCloseTo(sum.delta, 5);
    expect(analysis.max_profit + analysis.max_loss).toBeCloseTo(500, 3);
    expect(analysis.max_loss).toBeCloseTo(100 * sum.mark_price, 3);
    expect(analysis.breakeven_points).toHaveLength(1);
    expect(analysis.breakeven_points[0]).toBeCloseTo(bought.strike + sum.mark_price, 3);
    expect(analysis.bid1).toBeLessThan(analysis.ask1);
    const call = await s2c('/api/option-strategy-analysis', { multi_legs: [{ security: spread.multi_legs[0].security, side: 2 }] });
    expect(call).toMatchObject({ option_strategy: 1, max_loss: 9999999 });
  });

  it.each([1, 2, 4, 6, 7, 8, 9, 11, 13, 14, 15, 16])('recognises the legs of option strategy %i', async (strategy) => {
    const body = {
      owner_symbol: 'US.AAPL',
      option_strategy: strategy,
      expire_time: '2026-12-11',
      spread: 5,
      ...(strategy > 14 ? { far_expire_time: '2026-12-18' } : {}),
    };
    const { strategy_list } = await s2c('/api/option-strategy', body);
    expect(strategy_list.length).toBeGreaterThan(5);
    const { multi_legs, code: name } = strategy_list[Math.floor(strategy_list.length / 3)];
    expect(await s2c('/api/option-strategy-analysis', { multi_legs })).toMatchObject({ option_strategy: strategy, code: name });
  });

  it('says what is wrong with the legs of an option strategy', async () => {
    const call = { market: 11, code: code((await chain(december))[0]?.option[0]?.call) };
    const legs = async (multi_legs: readonly object[]) => (await refusal('/api/option-quote', { multi_legs })).ret_msg;
    expect(await legs([])).toContain('multi_legs');
    expect(await legs([{ security: { market: 11, code: 'AAPL' } }])).toBe('multi_legs: none of the legs is an option');
    expect(await legs([{ security: call }, { security: { market: 11, code: 'MSFT' } }])).toContain(
      'multi_legs[1]: US.MSFT is not on US.AAPL',
    );
    expect(await legs([{ security: call, side: 7 }])).toContain(
      'multi_legs[0].side: expected one of 1 (BUY), 2 (SELL), 3 (SELL_SHORT), 4 (BUY_BACK), found the number 7',
    );
    expect(await legs([{ security: call, qty_ratio: -1 }])).toContain('multi_legs[0].qty_ratio: -1 is out of range');
    expect(await legs(Array.from({ length: 11 }, () => ({ security: call })))).toContain('at most 10');
    expect(await legs([{ security: { market: 11, code: 'AAPL261113C280000' } }])).toContain('not listed any more');
  });

  it('unlists expired options and keeps their history', async () => {
    const list = await chain({ ...december, begin_time: '2026-11-10', end_time: '2026-11-19' });
    expect(list).toEqual([]);
    const { kl_list } = await s2c('/api/history-kline', {
      symbol: 'US.AAPL261113C280000',
      begin: '2026-11-09',
      end: '2026-11-19',
    });
    expect(kl_list.map(({ time }: { time: string }) => time.slice(0, 10))).toEqual([
      '2026-11-09',
      '2026-11-10',
      '2026-11-11',
      '2026-11-12',
      '2026-11-13',
    ]);
    const last = kl_list.at(-1).close_price;
    const { kl_list: days } = await s2c('/api/history-kline', { symbol: 'US.AAPL', begin: '2026-11-13', end: '2026-11-13' });
    expect(Math.abs(last - Math.max(0.01, days[0].close_price - 280))).toBeLessThan(0.03);
  });
});

describe('warrants', () => {
  interface Row {
    readonly stock: Security;
    readonly type: number;
    readonly cur_price: number;
    readonly strike_price: number;
    readonly delta?: number;
    readonly recovery_price?: number;
    readonly maturity_time: string;
    readonly volume: number;
  }
  const rows = async (body: object): Promise<Row[]> =>
    (await s2c('/api/warrant', { owner_symbol: 'HK.800000', num: 200, ...body })).warrant_data_list ?? [];

  it('lists all warrants of an underlying in order of code, in pages', async () => {
    const all = await s2c('/api/warrant', { owner_symbol: 'HK.800000', num: 200 });
    expect(all.last_page).toBe(all.all_count <= 200);
    const codes = all.warrant_data_list.map(({ stock }: Row) => stock.code);
    expect(codes).toEqual([...codes].sort());
    const first = await s2c('/api/warrant', { owner_symbol: 'HK.800000' });
    expect(first.warrant_data_list).toHaveLength(20);
    const second = await s2c('/api/warrant', { owner_symbol: 'HK.800000', begin: 20, num: 5 });
    expect([...first.warrant_data_list, ...second.warrant_data_list].map(({ stock }: Row) => stock.code)).toEqual(codes.slice(0, 25));
    const reference = await s2c('/api/reference', { symbol: 'HK.800000' });
    expect(reference.static_info_list.map(({ basic }: Static) => basic.security.code).slice(0, 200)).toEqual(codes);
    expect(await s2c('/api/warrant', { owner_symbol: 'HK.800000', num: 0 })).toMatchObject({ all_count: all.all_count, last_page: false });
  });

  it('sorts and filters warrants by what their snapshots show', async () => {
    const all = [...(await rows({})), ...(await rows({ begin: 200 }))];
    for (const [sort_field, of] of [
      [2, ({ cur_price }: Row) => cur_price],
      [18, ({ strike_price }: Row) => strike_price],
      [10, ({ volume }: Row) => volume],
    ] as const) {
      const sorted = (await rows({ sort_field, ascend: false })).map(of);
      expect(sorted, String(sort_field)).toEqual([...sorted].sort((a, b) => b - a));
    }
    const same = (found: readonly Row[], meets: (row: Row) => boolean) => {
      expect(found.map(({ stock }) => stock.code)).toEqual(all.filter(meets).map(({ stock }) => stock.code));
      expect(found.length).toBeGreaterThan(0);
    };
    same(await rows({ type_list: [1, 3] }), ({ type }) => type === 1 || type === 3);
    same(await rows({ cur_price_min: 0.1, cur_price_max: 0.3 }), ({ cur_price }) => cur_price >= 0.1 && cur_price <= 0.3);
    same(await rows({ delta_min: 0.3 }), ({ delta }) => delta !== undefined && delta >= 0.3);
    same(await rows({ recovery_price_min: 1 }), ({ recovery_price }) => recovery_price !== undefined);
    same(
      await rows({ maturity_time_min: '2027-03-01', maturity_time_max: '2027-08-31' }),
      ({ maturity_time }) => maturity_time >= '2027-03-01' && maturity_time <= '2027-08-31',
    );
    const { snapshot_list } = await s2c('/api/snapshot', { symbols: all.slice(0, 10).map(({ stock }) => `HK.${stock.code}`) });
    for (const [i, { basic, warrant_ex_data }] of snapshot_list.entries()) {
      expect(all[i]).toMatchObject({
        cur_price: basic.cur_price,
        strike_price: warrant_ex_data.strike_price,
        premium: warrant_ex_data.premium,
        leverage: warrant_ex_data.leverage,
      });
    }
  });

  it.each([
    [{ num: 201 }, 'num: 201 is out of range, accepted: 0 to 200'],
    [{ num: -1 }, 'num: -1 is out of range'],
    [{ begin: -1 }, 'begin: -1 is out of range'],
    [{ cur_price_min: 2, cur_price_max: 1 }, 'cur_price_min: 2 exceeds cur_price_max, which is 1'],
    [{ maturity_time_min: '2027-02-01', maturity_time_max: '2027-01-01' }, 'maturity_time_min: 2027-02-01 exceeds maturity_time_max'],
    [{ sort_field: 99 }, 'sort_field: expected one of'],
    [{ type_list: [6] }, 'type_list[0]'],
  ])('refuse %j', async (change, message) => {
    const answer = await daemon.as('all').post('/api/warrant', { owner_symbol: 'HK.00700', ...change });
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('futures', () => {
  it('describes futures by their terms', async () => {
    const { future_info_list } = await s2c('/api/future-info', { symbols: ['HK.HSImain', 'US.CL2701'] });
    expect(future_info_list[0]).toMatchObject({
      security: { market: 1, code: 'HSImain' },
      owner: { market: 1, code: '800000' },
      contract_size: 50,
      quote_currency: 'HKD',
      min_var: 1,
      time_zone: 'UTC+8',
      origin: { market: 1, code: 'HSI2611' },
      trade_time: [
        { begin: 1035, end: 1620 },
        { begin: 555, end: 720 },
        { begin: 780, end: 990 },
      ],
    });
    expect(future_info_list[1]).toMatchObject({
      contract_size: 1000,
      contract_size_unit: 'barrel',
      last_trade_time: '2026-12-21',
      time_zone: 'UTC-5',
    });
    expect(await refusal('/api/future-info', { symbols: ['HK.00700'] })).toMatchObject({ ret_msg: 'HK.00700 is a stock, no future' });
  });

  it('finds futures by their continuous contract and by their index', async () => {
    const codes = async (symbol: string) =>
      (await s2c('/api/reference', { symbol, reference_type: 2 })).static_info_list.map(({ basic }: Static) => basic.security.code);
    const contracts = await codes('HK.HSImain');
    expect(contracts).toHaveLength(12);
    expect(contracts[0]).toBe('HSI2611');
    expect(await codes('HK.800000')).toEqual(expect.arrayContaining(contracts));
    const answer = await daemon.as('all').post('/api/reference', { symbol: 'HK.00700', reference_type: 3 });
    expect([answer.status, answer.json.error]).toEqual([
      400,
      expect.stringContaining('reference_type: expected one of 1 (warrant), 2 (future)'),
    ]);
  });
});

it('shows a key of one market its options and no other market', async () => {
  const { json } = await daemon.as('markets').post('/api/option-chain', december);
  expect(json.s2c).toEqual(await s2c('/api/option-chain', december));
  expect((await daemon.as('markets').post('/api/warrant', { owner_symbol: 'HK.800000' })).status).toBe(429);
  expect((await daemon.as('markets').post('/api/warrant', {})).json.s2c.warrant_data_list).toEqual([]);
});
