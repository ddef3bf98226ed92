import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

type Id = 'all' | 'hk' | 'tencent';
const daemon = TestDaemon.forAll<Id>({
  clock: new ManualClock(Date.UTC(2026, 10, 10, 2, 30)),
  keys: {
    all: { scopes: ['qot:read'] },
    hk: { scopes: ['qot:read'], limits: { allowedMarkets: 'HK' } },
    tencent: { scopes: ['qot:read'], limits: { allowedMarkets: 'HK', allowedSymbols: 'HK.00700' } },
  },
  flags: ['--sim-clock', 'calendar'],
});

const as = (id: Id) => daemon.as(id);

describe('POST /api/ipo-list', () => {
  const codes = async (body: object) =>
    (await as('all').s2c('/api/ipo-list', body)).ipo_list.map(({ basic }: { basic: { security: object } }) => basic.security);

  it.each([
    [1, 'HK'],
    [2, 'HK_FUTURE'],
    [11, 'US'],
    [21, 'SH'],
    [21, 'CN'],
    [22, 'SZ'],
    [31, 'SG'],
    [41, 'JP'],
    [61, 'MY'],
  ])('takes the market as %i, as "%s", and wrapped in c2s', async (number, name) => {
    const found = await codes({ market: number });
    for (const body of [{ market: name }, { c2s: { market: number } }, { c2s: { market: name } }]) expect(await codes(body)).toEqual(found);
  });

  it.each([[99], ['MARS'], [0], [81], [{}]])('answers %j with the invalid-market error', async (market) => {
    for (const body of [{ market }, { c2s: { market } }]) {
      const answer = await as('all').post('/api/ipo-list', body);
      expect([answer.status, answer.json.code]).toEqual([400, 'request.invalid_market']);
      expect(answer.json.error).toContain('accepted: HK (1), HK_FUTURE (2), US (11), SH (21), SZ (22), SG (31), JP (41), MY (61)');
    }
  });

  it('requires a market of /api/ipo-list', async () => {
    expect((await as('all').post('/api/ipo-list', {})).json.code).toBe('request.missing_field');
  });
});

describe('plates', () => {
  it('lists plates at both paths', async () => {
    const body = { market: 1, plate_set_type: 1 };
    const plates = await as('all').s2c('/api/list-plates', body);
    expect(plates.plate_info_list.length).toBeGreaterThan(20);
    expect(await as('all').s2c('/api/plate-set', body)).toEqual(plates);
  });

  it.each(['/api/list-plates', '/api/plate-set'])('%s: a market that is none is an invalid market', async (path) => {
    for (const market of [3, 'Moon']) {
      expect((await as('all').post(path, { market, plate_set_type: 0 })).json.code).toBe('request.invalid_market');
    }
  });

  it('lists the members of a plate by symbol or by market and code', async () => {
    const members = await as('all').s2c('/api/plate-security', { plate: { market: 1, code: 'LIST1017' } });
    expect(await as('all').s2c('/api/plate-security', { plate: 'HK.LIST1017' })).toEqual(members);
    expect(members.static_info_list.map(({ basic }: { basic: { security: { code: string } } }) => basic.security.code)).toContain('00700');
  });
});

describe('POST /api/code-change', () => {
  const changes = async (body: object) => (await as('all').s2c('/api/code-change', body)).code_change_list;

  it('takes its conditions in "search", flat, or wrapped', async () => {
    const search = {
      code_change_type_list: [4, 5],
      time_filter_list: [{ type: 2, begin_time: '2005-01-01', end_time: '2020-12-31' }],
    };
    const found = await changes({ search });
    expect(found.length).toBeGreaterThan(0);
    expect(
      found.every(({ type, effective_time: day }: { type: number; effective_time: string }) => (type === 4 || type === 5) && day < '2021'),
    ).toBe(true);
    expect(await changes(search)).toEqual(found);
    expect(await changes({ c2s: { type_list: [4, 5], time_filter_list: search.time_filter_list } })).toEqual(found);
    expect((await changes({})).length).toBeGreaterThan(found.length);
  });

  it.each([
    [{ search: { code_change_type_list: [99] } }, 'search.code_change_type_list[0]: expected one of 1 (GEM_TO_MAIN)'],
    [{ search: { when: 1 } }, 'unknown field "search.when"'],
    [{ search: 4 }, 'search: expected an object, found the number 4'],
    [{ search: { code_change_type_list: [4] }, code_change_type_list: [5] }, 'say the same thing'],
  ])('refuses %j', async (body, message) => {
    const answer = await as('all').post('/api/code-change', body);
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('a key limited to one market and one symbol', () => {
  const security = { market: 1, code: '00700' };

  it('lists a key of one symbol that symbol alone', async () => {
    const found = await as('tencent').s2c('/api/search-quote', { keyword: 'china', max_count: 100 });
    expect(found.search_quote_list).toEqual([]);
    expect((await as('tencent').s2c('/api/search-quote', { keyword: 'tencent' })).search_quote_list).toMatchObject([security]);
    const members = await as('tencent').s2c('/api/plate-security', { plate: 'HK.LIST1017' });
    expect(members.static_info_list.map(({ basic }: { basic: { security: object } }) => basic.security)).toEqual([security]);
    for (const [path, body] of [
      ['/api/ipo-list', { market: 1 }],
      ['/api/ipo-calendar', { market: 1, begin_date: '20260101', end_date: '20261231' }],
      ['/api/code-change', {}],
    ] as const) {
      expect(JSON.stringify(await as('tencent').s2c(path, body))).not.toMatch(/"code":"(?!00700")/);
      expect(JSON.stringify(await as('all').s2c(path, body))).toMatch(/"code":"(?!00700")/);
    }
  });
});

describe('the experimental screens', () => {
  const paths = ['/api/etf-screen', '/api/fund-screen', '/api/future-screen', '/api/bond-screen'];
  const market = { '/api/etf-screen': 1, '/api/fund-screen': 1, '/api/future-screen': 1, '/api/bond-screen': 11 } as Record<string, number>;

  it('answers screens with their switch, and holds pages to their bounds', async () => {
    const open = await TestDaemon.start({ flags: ['--enable-v18-experimental-reads'] });
    for (const path of paths) {
      const body = { market: market[path], need_fields: [{ field_id: 1 }], extension_version: 1 };
      for (const count of [1, 500]) {
        const page = await open.as().s2c(path, { ...body, data_from: 0, data_max_count: count });
        expect(page.data_list.length).toBe(Math.min(count, page.all_count));
        expect(page.data_list[0].field_list).toHaveLength(1);
      }
      for (const count of [0, 501]) {
        expect((await open.as().post(path, { ...body, data_max_count: count })).json.code).toBe('request.out_of_range');
      }
      expect((await open.as().post(path, { ...body, market: 9 })).json.code).toBe('request.invalid_market');
    }
    await open.stop();
  });
});

describe('POST /api/stock-filter', () => {
  it('takes 0 to 200 stocks a page, 50 when not said', async () => {
    const page = async (body: object) => (await as('all').s2c('/api/stock-filter', { market: 1, ...body })).data_list.length;
    expect([await page({}), await page({ num: 0 }), await page({ num: 1 })]).toEqual([50, 0, 1]);
    expect(await page({ num: 200 })).toBeGreaterThan(90);
    for (const num of [-1, 201])
      expect((await as('all').post('/api/stock-filter', { market: 1, num })).json.code).toBe('request.out_of_range');
    expect((await as('all').post('/api/stock-filter', { market: 5 })).json.code).toBe('request.invalid_market');
  });

  it('is refused to keys of symbols, and to a key of one mainland market', async () => {
    expect((await as('tencent').post('/api/stock-filter', { market: 1 })).json.code).toBe('limit.symbol');
    expect((await as('hk').post('/api/stock-filter', { market: 1 })).status).toBe(200);
    expect((await as('hk').post('/api/stock-filter', { market: 21 })).json.code).toBe('limit.market');
  });
});
