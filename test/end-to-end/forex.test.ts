import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import type { HttpClient } from '../support/http-client.js';

const EURUSD = 'FX.EURUSD';
const SWITCH = '--enable-desktop-phase2-reads';
/** Reads of one symbol, as REST takes them. */
const reads: readonly (readonly [path: string, body: object])[] = [
  ['/api/quote', { symbol: EURUSD }],
  ['/api/snapshot', { symbol: EURUSD }],
  ['/api/static-info', { symbols: [EURUSD] }],
  ['/api/market-state', { symbols: [EURUSD] }],
  ['/api/kline', { symbol: EURUSD, kl_type: 5, req_num: 5 }],
  ['/api/history-kline', { symbol: EURUSD, kl_type: 1, begin_time: '2026-10-01', end_time: '2026-11-20' }],
  ['/api/rt', { symbol: EURUSD }],
  ['/api/orderbook', { symbol: EURUSD, depth: 1 }],
  ['/api/ticker', { symbol: EURUSD, count: 10 }],
  ['/api/subscribe', { symbols: [EURUSD], sub_types: [1] }],
  ['/api/wait-for', { condition: 1, symbol: EURUSD, relation: 1, price: 0.0001 }],
];
const keys = {
  all: { scopes: ['qot:read'] },
  hongKong: { scopes: ['qot:read'], limits: { allowedMarkets: 'HK' } },
  fx: { scopes: ['qot:read'], limits: { allowedMarkets: 'HK,FX' } },
  euro: { scopes: ['qot:read'], limits: { allowedSymbols: 'FX.EURUSD' } },
} as const;
type Id = keyof typeof keys;

async function ask(client: HttpClient, [path, body]: readonly [string, object]) {
  const { status, json } = await client.post(path, body);
  return { status, code: json.code, retType: json.ret_type, s2c: json.s2c, text: json.error ?? json.ret_msg };
}

describe('currency pairs without their switch', () => {
  const daemon = TestDaemon.forAll({ keys });

  it.each(reads)('%s refuses currency pairs without their switch', async (...read) => {
    expect(await ask(daemon.as('all'), read)).toMatchObject({
      status: 403,
      code: 'feature_disabled',
      text: expect.stringContaining(SWITCH),
    });
  });

  it('refuses pushes and tools of currency pairs without their switch', async () => {
    const push = await daemon.push('all');
    const ack = await push.command('subscribe', { symbols: [EURUSD], sub_types: [1] });
    expect(JSON.stringify(ack)).toContain('feature_disabled');
    const client = await daemon.mcp('all');
    expect((await client.call('svc_get_quote', { symbol: EURUSD })).json).toMatchObject({ code: 'feature_disabled' });
    // Shares are served all the same.
    expect(await ask(daemon.as('all'), ['/api/quote', { symbol: 'HK.00700' }])).toMatchObject({ status: 200, retType: 0 });
  });
});

describe('currency pairs', () => {
  const daemon = TestDaemon.forAll({ keys, flags: [SWITCH] });

  it.each(reads)('serves currency pairs by %s to keys that may see FX', async (...read) => {
    for (const id of ['all', 'fx', 'euro'] as const) {
      const answer = await ask(daemon.as(id), read);
      expect(answer, answer.text).toMatchObject({ status: 200, retType: 0 });
    }
    expect(await ask(daemon.as('hongKong'), read)).toMatchObject({ status: 429, code: 'limit.market' });
    const other = JSON.parse(JSON.stringify(read[1]).replaceAll(EURUSD, 'FX.USDJPY'));
    expect(await ask(daemon.as('euro'), [read[0], other])).toMatchObject({ status: 429, code: 'limit.symbol' });
  });

  it('lists currency pairs to keys that may see FX alone', async () => {
    const found = async (id: Id) => (await ask(daemon.as(id), ['/api/search-quote', { keyword: 'EURUSD' }])).s2c.search_quote_list.length;
    expect([await found('all'), await found('fx'), await found('euro'), await found('hongKong')]).toEqual([1, 1, 1, 0]);
    const all = { market: 81 };
    expect((await ask(daemon.as('fx'), ['/api/static-info', all])).s2c.static_info_list.length).toBeGreaterThan(15);
    expect(await ask(daemon.as('hongKong'), ['/api/static-info', all])).toMatchObject({ code: 'limit.market' });
    expect(await ask(daemon.as('euro'), ['/api/static-info', all])).toMatchObject({ code: 'limit.symbol' });
  });

  it('shows one rate of a currency pair, bid below ask, and no volume', async () => {
    const { basic } = (await ask(daemon.as('fx'), ['/api/snapshot', { symbol: EURUSD }])).s2c.snapshot_list[0];
    expect(basic).toMatchObject({ volume: 0, turnover: 0 });
    expect(basic.bid_price).toBeLessThan(basic.ask_price);
    expect(basic.low_price).toBeLessThanOrEqual(basic.cur_price);
    expect(basic.cur_price).toBeLessThanOrEqual(basic.high_price);
    const day = { symbol: EURUSD, kl_type: 1, req_num: 2, rehab_type: 0 };
    const [before, today] = (await ask(daemon.as('fx'), ['/api/kline', day])).s2c.kl_list;
    expect([before.close_price, today.open_price]).toEqual([basic.last_close_price, basic.open_price]);
  });

  it('pushes currency pairs to those who may see them', async () => {
    const push = await daemon.push('fx');
    const ack = await push.command('subscribe', { symbols: [EURUSD], sub_types: [1] });
    expect(JSON.stringify(ack)).not.toContain('error');
    const event = await push.frame((frame) => frame.type === 'quote' && frame.symbol === EURUSD, 'a quote of the pair');
    expect(event).toMatchObject({
      proto_id: 3005,
      sec_key: '81_EURUSD',
      body: { basic_qot_list: [{ security: { market: 81, code: 'EURUSD' } }] },
    });
    const other = await daemon.push('hongKong');
    const refused = await other.command('subscribe', { symbols: [EURUSD], sub_types: [1] });
    expect(JSON.stringify(refused)).toContain('limit.market');
  });
});
