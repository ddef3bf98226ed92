import { ManualClock } from '@svc-gateway/contract/clock';
import { parseDecimal } from '@svc-gateway/contract/decimal';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

type Id = 'all' | 'hk' | 'euro' | 'tencent';
/** A part of an answer's JSON. */
type Row = Awaited<ReturnType<ReturnType<TestDaemon['as']>['s2c']>>;

/** A Wednesday, while New York trades and forex does. */
const NOW = Date.UTC(2026, 10, 18, 16);
/** Numbers beyond what a double holds as text. */
const exact = { 'x-svc-int64': 'string' };
const version = { extension_version: 1 };
const scopes = ['qot:read'] as const;
const clock = new ManualClock(NOW);
const daemon = TestDaemon.forAll<Id>({
  clock,
  keys: {
    all: { scopes },
    hk: { scopes, limits: { allowedMarkets: 'HK' } },
    euro: { scopes, limits: { allowedMarkets: 'FX', allowedSymbols: 'FX.EURUSD' } },
    tencent: { scopes, limits: { allowedMarkets: 'HK', allowedSymbols: 'HK.09988' } },
  },
  flags: ['--enable-desktop-phase2-reads', '--enable-v18-experimental-reads', '--sim-clock', 'calendar'],
});

const post = (path: string, body: object, id: Id = 'all') => daemon.as(id).post(`/api/${path}`, { ...body, ...version }, exact);
const s2c = async (path: string, body: object = {}, id: Id = 'all'): Promise<Row> =>
  daemon.as(id).s2c(`/api/${path}`, { ...body, ...version }, exact);
const n = (text: string) => {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`no decimal: ${text}`);
  return value;
};
/** A price of a quote as a scaled number. */
const scaled = (price: number) => n(String(price));
const quoteOf = async (symbol: string): Promise<Row> => {
  const { snapshot_list: list } = await daemon.as('all').s2c('/api/snapshot', { symbol });
  return list[0].basic;
};
const symbolOf = ({ market, code }: Row) => `${({ 1: 'HK', 11: 'US', 21: 'SH', 22: 'SZ', 41: 'JP', 81: 'FX' } as Row)[market]}.${code}`;
const news = { news_id: 'HK.00700-1', is_translate: false, list_type: 0, skip_image_crop: false };
const constituents = { list_id: 1, data_from: 0, data_max_count: 500 };

const requests: readonly [string, object][] = [
  ['forex-rates', {}],
  ['related-stocks', { symbol: 'HK.09988' }],
  ['earnings-expected-move', { symbol: 'US.AAPL' }],
  ['news-translation', news],
  ['forex-constituents', constituents],
];

it('each calls its success by its own name, and says it explicitly', async () => {
  const names = ['backend_ret_code', 'backend_ret_code', 'backend_ret_code', 'backend_code', 'backend_ret'];
  for (const [index, [path, body]] of requests.entries()) {
    const answer = await s2c(path, body);
    expect(Object.keys(answer)[0]).toBe(names[index]);
    // There is no item of this id.
    expect(answer[names[index]!]).toBe(path === 'news-translation' ? 1 : 0);
  }
});

describe('forex rates', () => {
  it('are the last prices of the pairs, in the order of the market', async () => {
    const { rate_items: rates } = await s2c('forex-rates');
    expect(rates.length).toBe(19);
    for (const { price, security, stock_id } of rates) {
      const quote = await quoteOf(symbolOf(security));
      expect(n(price)).toBe(scaled(quote.cur_price));
      const { static_info_list: infos } = await daemon.as('all').s2c('/api/static-info', { symbols: [symbolOf(security)] }, exact);
      expect(stock_id).toBe(infos[0].basic.id);
    }
  });

  it('name currencies by their numbers, and leave out those that have none', async () => {
    const { rate_items: rates } = await s2c('forex-rates');
    const of = (code: string) => rates.find(({ security }: Row) => security.code === code);
    expect(of('USDHKD')).toMatchObject({ base_currency: 2, quote_currency: 1 });
    expect(of('EURUSD')).toMatchObject({ quote_currency: 2 });
    expect(of('EURUSD')).not.toHaveProperty('base_currency');
  });

  it('are refused to a key that may not see forex, and filtered for one that may see a pair', async () => {
    expect(await post('forex-rates', {}, 'hk')).toMatchObject({ status: 429, json: { code: 'limit.market' } });
    expect(await post('forex-constituents', constituents, 'hk')).toMatchObject({ status: 429, json: { code: 'limit.market' } });
    const { rate_items: rates } = await s2c('forex-rates', {}, 'euro');
    expect(rates.map(({ security }: Row) => security.code)).toEqual(['EURUSD']);
    const { list, ...page } = await s2c('forex-constituents', { ...constituents, data_max_count: 3 }, 'euro');
    expect(list.stock_info.map(({ security }: Row) => security.code)).toEqual(['EURUSD']);
    expect(page).toEqual({ backend_ret: 0, if_last_page: true });
  });
});

describe('related stocks', () => {
  it.each([
    ['HK.09988', ['US.BABA'], { ads_base: '1', ads_convertion: '8' }],
    ['US.BABA', ['HK.09988'], { ads_base: '1', ads_convertion: '8' }],
    ['US.TM', ['JP.7203'], { ads_base: '1', ads_convertion: '10' }],
    ['HK.00939', ['SH.601939'], undefined],
    ['US.GOOG', ['US.GOOGL'], undefined],
    ['HK.00700', [], undefined],
    ['HK.02800', [], undefined],
  ])('of %s are %j', async (symbol, expected, adr) => {
    const { related_stock_info: related } = await s2c('related-stocks', { symbol });
    expect(related.map(({ security }: Row) => symbolOf(security))).toEqual(expected);
    for (const { adr_info, name, stock_id, security } of related) {
      expect(adr_info).toEqual(adr);
      const { static_info_list: infos } = await daemon.as('all').s2c('/api/static-info', { symbols: [symbolOf(security)] }, exact);
      expect(infos[0].basic).toMatchObject({ id: stock_id, name });
    }
  });

  it('of other markets are left out for a key that may not see them', async () => {
    expect((await s2c('related-stocks', { symbol: 'HK.09988' }, 'tencent')).related_stock_info).toEqual([]);
    expect(await post('related-stocks', { symbol: 'US.BABA' }, 'tencent')).toMatchObject({ status: 429 });
  });
});

describe('the expected move', () => {
  it('is the straddle at the money of the first expiry after the results, by the quotes of its options', async () => {
    for (const symbol of ['US.AAPL', 'US.NVDA', 'HK.00700']) {
      const { detail } = await s2c('earnings-expected-move', { symbol });
      const { cur_price: price } = await quoteOf(symbol);
      expect(BigInt(detail.price_info.cur_price)).toBe(scaled(price));
      const [next, ...past] = detail.publication_times;
      expect([Number(next.pub_time) * 1000 > NOW, past.every(({ pub_time }: Row) => Number(pub_time) * 1000 <= NOW)]).toEqual([true, true]);
      expect(next).toMatchObject({ fiscal_year: detail.fiscal_year, financial_type: detail.financial_type });
      const { date_list: expiries } = await daemon.as('all').s2c('/api/option-expiration-date', { owner_symbol: symbol });
      const published = new Date(Number(next.pub_time) * 1000).toISOString().slice(0, 10);
      const after = expiries.map(({ strike_time }: Row) => strike_time).filter((day: string) => day >= published);
      expect(detail.expected_moves.map(({ strike_time }: Row) => strike_time)).toEqual(after.slice(0, detail.expected_moves.length));
      expect(detail.expected_moves.length).toBe(Math.min(4, after.length));
      for (const move of detail.expected_moves.slice(0, 2)) await agreesWithChain(symbol, price, move);
    }
  });

  async function agreesWithChain(symbol: string, price: number, move: Row): Promise<void> {
    const range = { begin_time: move.strike_time, end_time: move.strike_time };
    const { option_chain: chain } = await daemon.as('all').s2c('/api/option-chain', { owner_symbol: symbol, ...range });
    const strikes = chain[0].option.map(({ call }: Row) => call.option_ex_data.strike_price as number);
    const nearest = strikes.reduce((best: number, one: number) => (Math.abs(one - price) < Math.abs(best - price) ? one : best));
    expect(BigInt(move.strike_price)).toBe(scaled(nearest));
    const [call, put] = await Promise.all([quoteOf(symbolOf(move.call)), quoteOf(symbolOf(move.put))]);
    expect([BigInt(move.call_price), BigInt(move.put_price)]).toEqual([scaled(call.cur_price), scaled(put.cur_price)]);
    const sum = scaled(call.cur_price) + scaled(put.cur_price);
    expect(BigInt(move.move)).toBe(sum);
    expect([BigInt(move.upper_price), BigInt(move.lower_price)]).toEqual([scaled(price) + sum, scaled(price) - sum]);
    expect(Number(move.move_ratio)).toBeCloseTo((Number(sum) / Number(scaled(price))) * 1e5, -0.5);
    expect(BigInt(move.volume)).toBe(BigInt(call.volume) + BigInt(put.volume));
    expect(move.volume_precision).toBe(0);
    // A year's volatility between 3 % and 300 %, counted in 10^-5.
    for (const volatility of [move.option_iv, move.option_hv]) {
      expect(Number(volatility)).toBeGreaterThan(3_000);
      expect(Number(volatility)).toBeLessThan(300_000);
    }
  }

  it('has publications without options too, and needs a company', async () => {
    const { detail } = await s2c('earnings-expected-move', { symbol: 'MY.1155' });
    expect(detail.expected_moves).toEqual([]);
    expect(detail.publication_times.length).toBe(5);
    expect((await post('earnings-expected-move', { symbol: 'FX.EURUSD' })).json.ret_msg).toContain('only companies publish results');
    expect((await post('earnings-expected-move', {})).json.error).toContain('stock_id');
    expect(await post('earnings-expected-move', { stock_id: 0 })).toMatchObject({ status: 400 });
    const { static_info_list: infos } = await daemon.as('all').s2c('/api/static-info', { symbols: ['US.AAPL'] }, exact);
    expect(await s2c('earnings-expected-move', { stock_id: infos[0].basic.id })).toEqual(
      await s2c('earnings-expected-move', { symbol: 'US.AAPL' }),
    );
  });
});

describe('forex constituents', () => {
  const page = (asked: object = {}) => s2c('forex-constituents', { ...constituents, ...asked });
  const codes = ({ list }: Row): string[] => list.stock_info.map(({ security }: Row) => security.code);

  it('are at the scales of their fields, and agree with the quotes', async () => {
    const { list } = await page();
    for (const { security, indicator, stats_24h } of list.stock_info) {
      const quote = await quoteOf(symbolOf(security));
      expect(BigInt(indicator.cur_price)).toBe(scaled(quote.cur_price));
      expect(BigInt(indicator.last_close_price)).toBe(scaled(quote.last_close_price));
      const change = (quote.cur_price - quote.last_close_price) / quote.last_close_price;
      expect(Number(indicator.change_ratio)).toBeCloseTo(change * 1e5, -0.5);
      // Nobody counts what is dealt over the counter: what is missing is no 0.
      for (const missing of ['volume', 'turnover', 'average_price']) expect(indicator).not.toHaveProperty(missing);
      const high = [stats_24h.high, indicator.high_price].map(Number);
      expect(Number(stats_24h.low)).toBeLessThanOrEqual(Number(indicator.cur_price));
      expect(high[0]).toBeGreaterThanOrEqual(Number(indicator.cur_price));
    }
  });

  it('are paged by the rows returned, without a gap or a row twice', async () => {
    const whole = await page();
    const paged: string[] = [];
    for (;;) {
      const part = await page({ data_from: paged.length, data_max_count: 7 });
      expect(part.all_count).toBe(codes(whole).length);
      paged.push(...codes(part));
      if (part.if_last_page) break;
      expect(codes(part).length).toBe(7);
    }
    expect(paged).toEqual(codes(whole));
  });

  it('may be an empty page of a list, which is not the same as no list', async () => {
    const beyond = await daemon.as('all').post('/api/forex-constituents', { ...constituents, data_from: 500, ...version });
    expect(beyond.json.s2c).toMatchObject({ list: { list_id: 1, stock_info: [] }, if_last_page: true, all_count: 19 });
  });

  it('of each list are those with its currency', async () => {
    const all = codes(await page());
    for (const [list_id, currency] of [
      [5, 'USD'],
      [6, 'EUR'],
      [7, 'GBP'],
      [8, 'JPY'],
      [9, 'HKD'],
      [10, 'CNH'],
      [11, 'AUD'],
    ] as const)
      expect(codes(await page({ list_id }))).toEqual(all.filter((code) => code.includes(currency)));
    expect([...codes(await page({ list_id: 3 })), ...codes(await page({ list_id: 5 }))].sort()).toEqual([...all].sort());
    for (const list_id of [2, 4, 12]) expect(codes(await page({ list_id })).length).toBeGreaterThan(2);
  });

  it('are sorted by every number, both ways, by weight where it is left out', async () => {
    expect(codes(await page({ sort_id: 0, sort_type: 1 }))).toEqual(codes(await page()).reverse());
    const key: Record<number, (row: Row) => bigint | string> = {
      1: ({ security }) => security.code,
      3: ({ indicator }) => BigInt(indicator.cur_price),
      5: ({ indicator }) => BigInt(indicator.change_ratio),
      31: ({ stats_24h }) => BigInt(stats_24h.high),
      38: ({ stock_id }) => BigInt(stock_id),
    };
    for (const [sort_id, of] of Object.entries(key)) {
      const rising = (await page({ sort_id: Number(sort_id), sort_type: 1 })).list.stock_info.map(of);
      expect(rising).toEqual([...rising].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      const falling = (await page({ sort_id: Number(sort_id) })).list.stock_info.map(of);
      expect(falling).toEqual(rising.reverse());
    }
    for (let sort_id = 0; sort_id <= 38; sort_id++) expect(codes(await page({ sort_id })).length).toBe(19);
  });
});

describe('news translation', () => {
  it('of no item has none, and of an empty id is refused', async () => {
    expect(await s2c('news-translation', news)).toEqual({ backend_code: 1 });
    expect((await post('news-translation', { ...news, news_id: '' })).json.error).toContain('news_id');
    for (const news_id of ['HK.00700', 'HK.00700-99999999999999999999', 'XX.1-1', 'MACRO-1', '-', "';--1"])
      expect(await s2c('news-translation', { ...news, news_id })).toEqual({ backend_code: 1 });
  });
});
