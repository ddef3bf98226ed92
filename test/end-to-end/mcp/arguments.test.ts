import { beforeAll, describe, expect, it } from 'vitest';
import { HK_CASH, REAL } from '../../support/accounts.js';
import { TestDaemon } from '../../support/daemon.js';
import type { McpClient } from '../../support/mcp-client.js';

type Id = 'all' | 'one' | 'quotes' | 'oneMarket';

const FUTURES_REAL = '281756479345015391';
const CARD = '1001100580031477';
const range = { begin: '2026-01-05', end: '2026-03-31' };

const clients = new Map<Id, McpClient>();

const daemon = TestDaemon.forAll<Id>({
  keys: {
    all: { scopes: ['qot:read', 'qot:state', 'acc:read', 'trade:simulate', 'trade:real', 'trade:unlock'] },
    one: { scopes: ['acc:read'], limits: { allowedAccIds: FUTURES_REAL } },
    quotes: { scopes: ['qot:read'] },
    oneMarket: { scopes: ['qot:read'], limits: { allowedMarkets: 'HK' } },
  },
  flags: ['--enable-trading', '--mcp-confirm', 'never'],
  variables: { SVC_TRADE_PWD: '123456' },
});
beforeAll(async () => {
  for (const id of ['all', 'one', 'quotes', 'oneMarket'] as const) {
    clients.set(id, await daemon.mcp(id));
  }
});

/** The answer of a tool, which must be one. */
async function ask(name: string, args: Record<string, unknown>, id: Id = 'all'): Promise<Record<string, unknown>> {
  const { isError, text, json } = await clients.get(id)!.call(name, args);
  expect(isError, text).toBe(false);
  return json;
}

/** Why a tool refuses. */
async function refusal(name: string, args: Record<string, unknown>, id: Id = 'all'): Promise<Record<string, unknown>> {
  const { isError, text, json } = await clients.get(id)!.call(name, args);
  expect(isError, text).toBe(true);
  return json;
}

type Bars = { columns: string[]; rows: (string | number)[][] };
const barsOf = ({ kl_list }: Record<string, unknown>) => kl_list as Bars;
const days = (answer: Record<string, unknown>) => barsOf(answer).rows.map(([time]) => String(time).slice(0, 10));

describe('svc_get_kline', () => {
  it('reads day bars and 100 of them, where nothing is said', async () => {
    expect(days(await ask('svc_get_kline', { symbol: 'HK.00700' }))).toHaveLength(100);
    expect(days(await ask('svc_get_kline', { code: 'HK.00700', count: 5, kl_type: 'quarter' }))).toHaveLength(5);
  });

  it('reads the bars of dates from history, and spends its quota', async () => {
    const before = await ask('svc_get_used_quota', {});
    const bars = await ask('svc_get_kline', { symbol: 'HK.00005', ...range });
    const history = await ask('svc_get_history_kline', { symbol: 'HK.00005', ...range, max_count: 100 });
    expect(bars).toEqual(history);
    expect(days(bars)[0]).toBe('2026-01-05');
    expect((await ask('svc_get_used_quota', {})).used_k_line_quota).toBe((before.used_k_line_quota as number) + 1);
    const recorded = (await daemon.audit()).filter(({ endpoint }) => endpoint === 'svc_get_history_kline');
    expect(recorded).toMatchObject([{ outcome: 'allow' }, { outcome: 'allow' }]);
  });

  it('goes on where it stopped', async () => {
    const whole = days(await ask('svc_get_kline', { symbol: 'HK.00700', ...range }));
    const first = await ask('svc_get_kline', { symbol: 'HK.00700', ...range, count: 20 });
    const { next_req_key } = first;
    const second = await ask('svc_get_kline', { symbol: 'HK.00700', ...range, count: 1000, next_req_key });
    expect([...days(first), ...days(second)]).toEqual(whole);
    expect(second).not.toHaveProperty('next_req_key');
  });

  it('hands out what a long answer has left', async () => {
    const long = { symbol: 'HK.00700', begin: '2020-01-01', end: '2026-03-31', count: 1000 };
    let answer = await ask('svc_get_kline', long);
    const got = days(answer);
    while ((answer.page as { next: string | null } | undefined)?.next) {
      answer = await ask('svc_get_kline', { cursor: (answer.page as { next: string }).next });
      got.push(...days(answer));
    }
    expect(got).toHaveLength(1000);
    expect(new Set(got).size).toBe(1000);
  });

  it('is refused for what history is refused', async () => {
    expect(await refusal('svc_get_kline', { symbol: 'US.AAPL', ...range }, 'oneMarket')).toMatchObject({ code: 'limit.market' });
    expect(await refusal('svc_get_kline', { symbol: 'HK.00700', begin: '2026-01-05' })).toMatchObject({
      error: expect.stringMatching(/^missing field "end"; for example: \{"symbol":"HK\.00700",/),
    });
  });
});

describe('svc_get_history_kline', () => {
  const query = { symbol: 'US.AAPL', ...range };

  it('holds pages to max_count, 0 to no limit', async () => {
    const minutes = { ...query, begin: '2026-03-02', end: '2026-03-06', kl_type: '1min' };
    const count = async (max_count?: number) => {
      let answer = await ask('svc_get_history_kline', { ...minutes, ...(max_count === undefined ? {} : { max_count }) });
      let bars = days(answer).length;
      const hasMore = 'next_req_key' in answer;
      while ((answer.page as { next: string | null } | undefined)?.next) {
        answer = await ask('svc_get_history_kline', { cursor: (answer.page as { next: string }).next });
        bars += days(answer).length;
      }
      return { bars, hasMore };
    };
    expect(await count()).toEqual({ bars: 1000, hasMore: true });
    expect(await count(7)).toEqual({ bars: 7, hasMore: true });
    const all = await count(0);
    expect(all.hasMore).toBe(false);
    expect(all.bars).toBeGreaterThan(1500);
    expect(await refusal('svc_get_history_kline', { ...minutes, max_count: 1001 })).toMatchObject({ code: 'request.out_of_range' });
  });

  it('leaves out the fields that are not wanted', async () => {
    const { columns } = barsOf(await ask('svc_get_history_kline', { ...query, max_count: 1, need_kl_fields_flag: 8 }));
    expect(columns).toContain('close_price');
    expect(columns).not.toContain('volume');
  });

  it('tells sessions apart, where markets keep hours', async () => {
    const calendar = await TestDaemon.start({ flags: ['--sim-clock', 'calendar'] });
    const client = await calendar.mcp();
    try {
      const day = { symbol: 'US.AAPL', begin: '2026-03-02', end: '2026-03-02', kl_type: '60min' };
      const count = async (args: object) => days((await client.call('svc_get_history_kline', { ...day, ...args })).json).length;
      const regular = await count({});
      expect(regular).toBeGreaterThan(0);
      expect(await count({ session: 'RTH' })).toBe(regular);
      for (const more of [{ session: 3 }, { session: 'ALL' }, { extended_time: true }]) expect(await count(more)).toBeGreaterThan(regular);
    } finally {
      await calendar.stop();
    }
  });
});

describe('svc_get_orderbook', () => {
  it('shows ten levels, where no depth is said, and 1 to 40', async () => {
    const levels = async (depth?: number) =>
      ((await ask('svc_get_orderbook', { symbol: 'HK.00700', ...(depth === undefined ? {} : { depth }) })).order_book_ask_list as [])
        .length;
    expect(await levels()).toBe(10);
    expect(await levels(40)).toBe(40);
    for (const depth of [0, 41]) {
      expect(await refusal('svc_get_orderbook', { symbol: 'HK.00700', depth })).toMatchObject({ code: 'request.out_of_range' });
    }
  });

  it('shows the book of odd lots where there is one', async () => {
    const { lot_size } = ((await ask('svc_get_snapshot', { symbol: 'HK.00700' })).snapshot_list as { basic: { lot_size: number } }[])[0]!
      .basic;
    const odd = await ask('svc_get_orderbook', { symbol: 'HK.00700', odd_lot: true });
    const volumes = (odd.order_book_bid_list as { volume: number }[]).map(({ volume }) => volume);
    expect(volumes.length).toBeGreaterThan(0);
    expect(Math.max(...volumes)).toBeLessThan(lot_size);
    expect(await ask('svc_get_orderbook', { symbol: 'HK.00700', odd_lot: false })).toMatchObject({ order_book_type: 'NORMAL' });
    expect((await refusal('svc_get_orderbook', { symbol: 'US.AAPL', odd_lot: true })).error).toMatch(
      /US\.AAPL (has no odd-lot book|does not serve sub_type 22)/,
    );
  });
});

describe('lists', () => {
  it('of screens are asked for by one object', async () => {
    const { data_list: stocks } = await ask('svc_stock_screen', { c2s: { page_count: 3 } });
    expect(stocks).toHaveLength(3);
    const { warrants } = await ask('svc_warrant_screen', { c2s: { market_type: 1, page_count: 5 } });
    expect(warrants).toHaveLength(5);
    expect(await refusal('svc_stock_screen', { c2s: [] })).toMatchObject({ code: 'request.wrong_type', field: 'c2s' });
    for (const args of [{}, { c2s: {} }, { c2s_json: '{}' }])
      expect(await refusal('svc_get_option_quote', args)).toMatchObject({ code: 'request.missing_field', field: 'c2s.multi_legs' });
    const depth = { c2s_json: '{"security":{"market":"HK","code":"00700"},"num":4.10e1}' };
    const { error } = await refusal('svc_get_orderbook', depth);
    expect(error).toBe('c2s.num: 4.10e1 is out of range, accepted: 1 to 40');
  });

  it('of offerings are of events by name, on days without dashes', async () => {
    const year = { market: 'HK', begin_date: '20260101', end_date: '20261231' };
    const { event_list } = await ask('svc_get_ipo_calendar', { ...year, event_types: ['list', 'winning'] });
    const events = event_list as { event_type: string; date: string }[];
    expect(new Set(events.map(({ event_type }) => event_type))).toEqual(new Set(['list', 'winning']));
    for (const { date } of events) expect(date).toMatch(/^2026\d{4}$/);
    expect((await refusal('svc_get_ipo_calendar', { ...year, begin_date: '2026-01-01' })).error).toContain('expected a date as yyyyMMdd');
  });
});

describe('subscriptions', () => {
  it.each(['symbols', 'stocks', 'code_list', 'symbol_list', 'security_list'])('take their symbols as %s', async (name) => {
    await ask('svc_subscribe', {
      [name]: ['US.AAPL'],
      sub_types: ['Basic', 2, 'KL_1Min'],
      is_first_push: false,
      is_reg_push: false,
      extended_time: true,
      session: 3,
      is_sub_order_book_detail: false,
    });
    const subscribed = JSON.stringify(await ask('svc_query_subscription', { is_req_all_conn: false }));
    for (const type of ['Basic', 'OrderBook', 'KL_1Min']) expect(subscribed).toContain(type);
    await ask('svc_unsubscribe', { [name]: ['US.AAPL'], sub_types: ['Basic'] });
    await ask('svc_unsubscribe', { unsub_all: true });
    // The callers' own: a server behind may keep its quota for a while.
    expect(daemon.daemon.gateway.push.subscriptions.usedQuota).toBe(0);
    expect(await ask('svc_get_used_quota', {})).toMatchObject({ used_sub_quota: expect.any(Number) });
  });
});

describe('an account named by its card', () => {
  const header = (answer: Record<string, unknown>) => answer.header as { acc_id: unknown; trd_env: string };

  it.each(['svc_get_orders', 'svc_get_deals'])('is that of %s, real where no environment is named', async (tool) => {
    for (const card_num of [CARD, '1477', '1599']) {
      const { structured } = await clients.get('all')!.call(tool, { market: 'HK', card_num });
      expect(structured?.header).toMatchObject({ acc_id: REAL, trd_env: 'real' });
    }
    const { structured } = await clients.get('all')!.call(tool, { market: 'FUTURES', card_num: '1599' });
    expect(structured?.header).toMatchObject({ acc_id: FUTURES_REAL });
    expect(header(await ask(tool, { market: 'HK', acc_id: REAL })).trd_env).toBe('real');
    expect(header(await ask(tool, { market: 'HK', acc_id: HK_CASH, env: 'simulate' })).trd_env).toBe('simulate');
    expect(await refusal(tool, { market: 'HK' })).toMatchObject({
      code: 'request.missing_field',
      error: expect.stringMatching(/^missing field "acc_id"; for example: \{/),
    });
  });

  it('has a card of its own, by which it is found', async () => {
    const { acc_list } = await ask('svc_list_accounts', {});
    const list = acc_list as { card_num: string; trd_env: string; trd_market_auth_list: string[] }[];
    expect(new Set(list.map(({ card_num }) => card_num)).size).toBe(list.length);
    for (const { card_num, trd_env, trd_market_auth_list } of list) {
      expect(card_num).toMatch(/^\d{16}$/);
      await ask('svc_get_orders', {
        card_num: card_num.slice(-4),
        env: trd_env,
        market: trd_market_auth_list[0]!.replace(/_SIMULATE.*/, ''),
      });
    }
  });

  it('must be the account that is named as well', async () => {
    await ask('svc_get_orders', { market: 'HK', card_num: '1477', acc_id: REAL });
    const { error } = await refusal('svc_get_orders', { market: 'HK', card_num: '1477', acc_id: FUTURES_REAL });
    expect(error).toMatch(/^card_num: acc_id 281756479345015391 is not an account of card 1477; its accounts: 281756479345015383 /);
  });

  it('must be one account', async () => {
    const { error } = await refusal('svc_get_deals', { market: 'CN', card_num: '1599' });
    expect(error).toMatch(/has several accounts: 281756479345015383 .*, 281756479345015391 /);
  });

  it('must be one that the key may use, and no other is spoken of', async () => {
    const { error } = await refusal('svc_get_orders', { market: 'HK', card_num: '1477' }, 'one');
    expect(error).toMatch(
      /^card_num: no real account has card 1477; accounts for real: 281756479345015391 \(card 1001200580031485, FUTURES\)$/,
    );
    await ask('svc_get_orders', { market: 'FUTURES', card_num: '1599' }, 'one');
    // The key of the call counts, not the session's.
    const own = { market: 'HK', card_num: '1477', api_key: daemon.keys.one };
    expect(await refusal('svc_get_orders', own)).toMatchObject({ error });
    const unscoped = await refusal('svc_get_orders', { market: 'HK', card_num: '1477' }, 'quotes');
    expect(unscoped).toMatchObject({ code: 'auth.scope' });
    expect(JSON.stringify(unscoped)).not.toContain('28175');
  });
});

describe('orders and fills', () => {
  it('are narrowed to a currency', async () => {
    await ask('svc_unlock_trade', { unlock: true });
    const order = { acc_id: REAL, env: 'real', side: 'BUY', order_type: 'MARKET', price: 0 };
    await ask('svc_place_order', { ...order, symbol: 'HK.00700', qty: 100 });
    await ask('svc_place_order', { ...order, symbol: 'US.AAPL', qty: 1 });
    for (const [tool, list] of [
      ['svc_get_orders', 'order_list'],
      ['svc_get_deals', 'order_fill_list'],
    ] as const) {
      const codes = async (currency?: string) => {
        const both = await Promise.all(
          ['HK', 'US'].map((market) => ask(tool, { market, acc_id: REAL, ...(currency === undefined ? {} : { currency }) })),
        );
        return new Set(both.flatMap((answer) => (answer[list] as { code: string }[]).map(({ code }) => code)));
      };
      await expect.poll(() => codes()).toEqual(new Set(['00700', 'AAPL']));
      expect(await codes('USD')).toEqual(new Set(['AAPL']));
      expect(await codes('HKD')).toEqual(new Set(['00700']));
      expect(await codes('USDT')).toEqual(new Set());
    }
  });

  it('have fees that need no market, in either form', async () => {
    const { order_list } = await ask('svc_get_orders', { market: 'US', acc_id: REAL });
    const order_id_ex_list = (order_list as { order_id_ex: string }[]).map(({ order_id_ex }) => order_id_ex);
    const friendly = await ask('svc_get_order_fee', { acc_id: REAL, env: 'real', order_id_ex_list });
    const c2s_json = `{"header":{"trd_env":"real","acc_id":${REAL}},"order_id_ex_list":${JSON.stringify(order_id_ex_list)}}`;
    expect(await ask('svc_get_order_fee', { c2s_json })).toEqual(friendly);
  });
});

it('svc_get_funds is asked in every currency of the specification', async () => {
  for (const currency of ['HKD', 'USD', 'CNH', 'JPY', 'SGD', 'MYR']) {
    const answer = await ask('svc_get_funds', { market: 'HK', acc_id: REAL, env: 'real', currency });
    expect(answer.funds).toMatchObject({ currency, total_assets: expect.any(Number) });
  }
  for (const currency of ['AUD', 'CAD']) {
    const { error } = await refusal('svc_get_funds', { market: 'HK', acc_id: REAL, env: 'real', currency });
    expect(error).toContain(`has no ${currency}; its currencies: HKD, USD, CNH, SGD, JPY, MYR`);
  }
  const { error } = await refusal('svc_get_funds', { market: 'HK', acc_id: REAL, env: 'real', currency: 'USDT' });
  expect(error).toContain('no crypto assets');
});
