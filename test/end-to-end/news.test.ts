import { ManualClock } from '@svc-gateway/contract/clock';
import { beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

type Id = 'all' | 'hk' | 'us';
/** A part of an answer's JSON. */
type Row = Awaited<ReturnType<ReturnType<TestDaemon['as']>['s2c']>>;

const NOW = Date.UTC(2026, 10, 18, 12);
const HOUR = 3_600_000;
const exact = { 'x-svc-int64': 'string' };
const version = { extension_version: 1 };
const scopes = ['qot:read'] as const;
const clock = new ManualClock(NOW);
const ids: Record<string, string> = {};
const daemon = TestDaemon.forAll<Id>({
  clock,
  keys: {
    all: { scopes },
    hk: { scopes, limits: { allowedMarkets: 'HK', allowedSymbols: 'HK.00700' } },
    us: { scopes, limits: { allowedMarkets: 'US' } },
  },
  flags: ['--enable-v18-experimental-reads', '--enable-desktop-phase2-reads', '--sim-clock', 'calendar', '--request-timeout', '120'],
});
beforeAll(async () => {
  const symbols = ['HK.00700', 'US.AAPL', 'US.BABA', 'HK.00005', 'FX.EURUSD'];
  const { static_info_list: infos } = await daemon.as('all').s2c('/api/static-info', { symbols }, exact);
  for (const [index, symbol] of symbols.entries()) ids[symbol] = infos[index].basic.id;
});

const post = (path: string, body: object, id: Id = 'all') => daemon.as(id).post(`/api/${path}`, { ...body, ...version }, exact);
const s2c = async (path: string, body: object, id: Id = 'all'): Promise<Row> =>
  daemon.as(id).s2c(`/api/${path}`, { ...body, ...version }, exact);
const seqs = (list: Row[]) => list.map(({ seq }) => BigInt(seq));
const newestFirst = (list: Row[]) => {
  const found = seqs(list);
  expect(found).toEqual([...found].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
  expect(new Set(found).size).toBe(found.length);
};
/** All pages of a list by its cursor, up to so many items. */
async function pages(path: string, body: object, list: string, most: number): Promise<Row[]> {
  const found: Row[] = [];
  let mark: object = {};
  while (found.length < most) {
    const page = await s2c(path, { ...body, ...mark });
    found.push(...page[list]);
    if (page.seq_mark === undefined) break;
    mark = { seq_mark: page.seq_mark };
  }
  return found;
}
const stock = (symbol: string, body: object = {}) => s2c('stock-news', { symbol, page_size: 50, id_type: 1, ...body });

const requests: readonly [string, () => object, string][] = [
  ['latest-news', () => ({ page_size: 5 }), 'news_list'],
  ['stock-news', () => ({ symbol: 'HK.00700', page_size: 5, id_type: 1 }), 'news_list'],
  ['watchlist-announcement', () => ({ page_size: 5, stock_ids: [ids['HK.00700']] }), 'announcement_list'],
  ['watchlist-news', () => ({ page_size: 5, stock_ids: [ids['HK.00700'], ids['US.AAPL']] }), 'news_list'],
  ['watchlist-rating', () => ({ page_size: 5, stock_ids: [ids['HK.00700'], ids['US.AAPL']] }), 'rating_list'],
];

describe.each(requests)('%s', (path, body, list) => {
  it('is paged by its cursor, newest first, without a gap or an item twice', async () => {
    const whole = (await s2c(path, { ...body(), page_size: 50 }))[list];
    newestFirst(whole);
    expect(whole.length).toBeGreaterThan(10);
    const paged = await pages(path, { ...body(), page_size: 7 }, list, whole.length);
    expect(paged.slice(0, whole.length)).toEqual(whole);
    for (const { pub_time } of whole) expect(Number(pub_time) * 1000).toBeLessThanOrEqual(NOW);
  });
});

describe('the latest news', () => {
  const latest = (body: object = {}) => s2c('latest-news', { page_size: 20, ...body });

  it('brings new items once and in order, and nothing without new items', async () => {
    const first = await latest();
    expect((await latest({ page_flip: 1, latest_seq_mark: first.latest_seq_mark })).news_list).toEqual([]);
    clock.advance(30 * HOUR);
    try {
      const told: Row[] = [];
      let mark = first.latest_seq_mark;
      for (;;) {
        const page = await latest({ page_flip: 1, latest_seq_mark: mark, page_size: 3 });
        newestFirst(page.news_list);
        expect(page).not.toHaveProperty('seq_mark');
        told.unshift(...page.news_list);
        mark = page.latest_seq_mark;
        if (page.news_list.length < 3) break;
      }
      expect(told.length).toBeGreaterThan(3);
      newestFirst(told);
      const all = await pages('latest-news', { page_size: 50 }, 'news_list', told.length + 20);
      expect(all.slice(0, told.length)).toEqual(told);
      expect(all.slice(told.length, told.length + 20)).toEqual(first.news_list);
    } finally {
      clock.advance(-30 * HOUR);
    }
  });

  it('is of the topics and markets asked for, and is the same otherwise', async () => {
    const all = await pages('latest-news', { page_size: 50 }, 'news_list', 400);
    for (const topic of [1, 5, 9]) {
      const some = await pages('latest-news', { page_size: 50, flash_filter_list: [topic] }, 'news_list', 10);
      const expected = all.filter((one) => one.topic === topic);
      expect(some.slice(0, expected.length)).toEqual(expected.slice(0, some.length));
      expect(some.every((one) => one.topic === topic)).toBe(true);
    }
    const hongKong = await latest({ market_filter_list: [1], page_size: 50 });
    for (const { market, stocks } of hongKong.news_list)
      expect([market, ...stocks.map(({ security }: Row) => security.market)]).toContain(1);
    for (const [field, value] of [
      ['flash_filter_list', 11],
      ['market_filter_list', 2],
      ['page_flip', 2],
    ] as const) {
      const answer = await post('latest-news', { page_size: 5, [field]: field === 'page_flip' ? value : [value] });
      expect(answer).toMatchObject({ status: 400, json: { error: expect.stringContaining(field) } });
    }
  });

  it('tells what can be filtered by, as far as it is asked for and the caller has another version', async () => {
    expect(await latest()).not.toHaveProperty('filter_info');
    const { filter_info: both } = await latest({ include_flash_filter: true, include_market_filter: true, filter_version: 0 });
    expect(both.flash_filter.option_list).toHaveLength(10);
    expect(both.market_filter.option_list.map(({ option_id }: Row) => option_id)).toEqual([1, 11, 21, 22, 31, 41, 61]);
    expect(both.flash_filter.option_list[0]).toEqual({
      option_id: 1,
      name: 'Results',
      string_info: {
        string_id: 'news.topic.results',
        template_data: 'Results',
        lang_spec_temp_data: [
          { language_tag: 'en', template_data: 'Results', language_id: 2 },
          { language_tag: 'zh-CN', template_data: '业绩', language_id: 0 },
        ],
        template_map: [{ key: 'option_id', value: '1' }],
      },
    });
    const { filter_version } = both;
    const { filter_info: same } = await latest({ include_flash_filter: true, filter_version });
    expect(same).toEqual({ filter_version, flash_filter: { option_list: [] } });
    const { filter_info: visit } = await latest({ include_flash_filter: true, first_visit: true, filter_version });
    const chosen = visit.flash_filter.option_list.filter(({ is_default }: Row) => is_default);
    expect(chosen.map(({ option_id }: Row) => option_id)).toEqual([5, 6, 7, 9]);
  });

  it.each([
    [{ include_flash_filter: true }, 'filter_version'],
    [{ include_market_filter: true }, 'filter_version'],
    [{ first_visit: true }, 'include_flash_filter'],
    [{ first_visit: true, include_flash_filter: false }, 'include_flash_filter'],
    [{ page_flip: 1 }, 'seq_mark'],
  ])('%j is refused with %s', async (body, field) => {
    const { json } = await post('latest-news', { page_size: 5, ...body });
    expect(json.ret_type).toBe(-1);
    expect(json.ret_msg).toContain(field);
  });

  it('shows a key what its lists allow, and tells it of no further page', async () => {
    const all = await pages('latest-news', { page_size: 50 }, 'news_list', 400);
    const own = await s2c('latest-news', { page_size: 50 }, 'hk');
    expect(own).not.toHaveProperty('seq_mark');
    for (const { stocks, topic } of own.news_list)
      expect(topic === 9 ? stocks : stocks.map(({ security }: Row) => security.code)).toEqual(topic === 9 ? [] : ['00700']);
    const about = ({ stocks }: Row) => stocks.some(({ security }: Row) => security.code === '00700');
    const expected = all.slice(0, 50).filter((one) => about(one) || one.topic === 9);
    expect(own.news_list.map(({ news_id }: Row) => news_id)).toEqual(expected.map(({ news_id }: Row) => news_id));
  });
});

describe('the news of a stock', () => {
  it('is what the other reads say happened, when it happened', async () => {
    const items = await pages('stock-news', { symbol: 'US.AAPL', page_size: 50, id_type: 1 }, 'news_list', 1_000);
    const days = (topic: number) => items.filter((one) => one.topic === topic).map((one) => day(one.pub_time));
    const { detail } = await s2c('earnings-expected-move', { symbol: 'US.AAPL' });
    const published = detail.publication_times.map(({ pub_time }: Row) => pub_time).slice(1);
    const results = items.filter((one) => one.topic === 1 && one.title.includes('reports')).map(({ pub_time }) => pub_time);
    expect(results.slice(0, published.length)).toEqual(published);
    // Every large move is that of its day's bar.
    const { kl_list: bars } = await daemon
      .as('all')
      .s2c('/api/history-kline', { symbol: 'US.AAPL', rehab_type: 0, kl_type: 1, begin_time: '2025-11-18', end_time: '2026-11-17' });
    const changes = new Map<string, number>(bars.map(({ time, change_rate }: Row) => [time.slice(0, 10), change_rate]));
    const moved = days(6).filter((one) => one >= '2025-11-18');
    for (const one of moved) expect(Math.abs(changes.get(one) ?? 0)).toBeGreaterThan(3.9);
    const { rehab_list: rehabs } = await daemon.as('all').s2c('/api/rehab', { symbol: 'US.AAPL' });
    const exDays = new Set(rehabs.map(({ time }: Row) => time.slice(0, 10)));
    const told = items.filter((one) => one.topic === 2).map((one) => /ex-dividend on (\S+),/.exec(one.abstract)?.[1] ?? '');
    const past = told.filter((one) => one <= '2026-11-17');
    expect(past.length).toBeGreaterThan(10);
    for (const one of past) expect(exDays.has(one)).toBe(true);
  });

  const day = (seconds: string) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' }).format(new Date(Number(seconds) * 1000));

  it('is the same by each of its listings and by its number', async () => {
    const home = await stock('HK.09988');
    expect(await stock('US.BABA')).toEqual(home);
    expect(await s2c('stock-news', { stock_id: ids['US.BABA'], page_size: 50, id_type: 1 })).toEqual(home);
    expect(home.news_list[0].stocks.map(({ security }: Row) => security.code)).toEqual(['09988', 'BABA']);
  });

  it('is bounded by seq_from and seq_to, both included, and leaves out what the caller has', async () => {
    const { news_list: all } = await stock('HK.00700');
    const bounded = await stock('HK.00700', { seq_from: all[6].seq, seq_to: all[2].seq });
    expect(bounded.news_list).toEqual(all.slice(2, 7));
    expect((await stock('HK.00700', { seq_from: all[3].seq, seq_to: all[3].seq })).news_list).toEqual([all[3]]);
    const wrong = await post('stock-news', { symbol: 'HK.00700', page_size: 5, id_type: 1, seq_from: all[2].seq, seq_to: all[6].seq });
    expect(wrong).toMatchObject({ status: 400, json: { error: expect.stringContaining('seq_from') } });
    const { news_list: rest } = await stock('HK.00700', { dedup_ids: [all[0].news_id, all[2].news_id], page_size: 10 });
    expect(rest).toEqual([all[1], ...all.slice(3, 12)]);
  });

  it('is filtered by source and sound, and translated', async () => {
    const { news_list: all } = await stock('HK.00700');
    const { source } = all[0];
    expect((await stock('HK.00700', { source, page_size: 5 })).news_list).toEqual(
      all.filter((one: Row) => one.source === source).slice(0, 5),
    );
    expect((await stock('HK.00700', { source: 'Nobody' })).news_list).toEqual([]);
    expect((await stock('HK.00700', { audio_only: true })).news_list).toEqual([]);
    expect((await stock('HK.00700', { scene_id: 3, caller_biz: 'x', track_info: 'y', audio_only: false })).news_list).toEqual(all);
    const { news_list: translated } = await stock('HK.00700', { translate: true });
    for (const [index, { news_id, title, abstract, is_translated }] of translated.entries()) {
      expect([news_id, is_translated]).toEqual([all[index].news_id, true]);
      expect(title).toMatch(/\p{Script=Han}/u);
      const one = await s2c('news-translation', { news_id, is_translate: true, list_type: 1, skip_image_crop: false });
      expect(one).toEqual({
        backend_code: 0,
        single_news_translate_info: { title, abstract, source: all[index].source, interaction_tag: expect.any(String) },
      });
      const original = await s2c('news-translation', { news_id, is_translate: false, list_type: 1, skip_image_crop: true });
      expect(original.single_news_translate_info).toMatchObject({ title: all[index].title, abstract: all[index].abstract });
    }
  });

  it('of a plate is that of its members', async () => {
    const { plate_info_list: plates } = await daemon
      .as('all')
      .s2c('/api/owner-plate', { symbols: ['HK.00005'] })
      .then((answer) => ({
        plate_info_list: answer.owner_plate_list[0].plate_info_list,
      }));
    const { plate } = plates[0];
    const symbol = `HK.${plate.code}`;
    const { static_info_list: members } = await daemon.as('all').s2c('/api/plate-security', { plate });
    const codes = new Set(members.map(({ basic }: Row) => basic.security.code));
    const { news_list: items } = await s2c('stock-news', { symbol, page_size: 50, id_type: 2 });
    expect(items.length).toBeGreaterThan(0);
    for (const { stocks } of items) expect(stocks.some(({ security }: Row) => codes.has(security.code))).toBe(true);
    expect((await post('stock-news', { symbol: 'HK.00005', page_size: 5, id_type: 2 })).json.ret_msg).toContain('expected a plate');
    expect(await post('stock-news', { symbol, page_size: 5, id_type: 3 })).toMatchObject({ status: 400 });
    expect((await stock('FX.EURUSD')).news_list).toEqual([]);
  });

  it('is served to a key of that stock alone', async () => {
    const own = await s2c('stock-news', { symbol: 'HK.00700', page_size: 5, id_type: 1 }, 'hk');
    expect(own.news_list).toHaveLength(5);
    expect(await post('stock-news', { symbol: 'HK.00005', page_size: 5, id_type: 1 }, 'hk')).toMatchObject({ status: 429 });
    expect(await post('stock-news', { stock_id: ids['HK.00700'], page_size: 5, id_type: 1 }, 'hk')).toMatchObject({ status: 429 });
  });
});

describe('an item about several listings', () => {
  it.each(['stock-news', 'latest-news'])('of %s is shown to keys that may see all of them: its text tells of each', async (path) => {
    const query = path === 'stock-news' ? { symbol: 'US.BABA', page_size: 50, id_type: 1 } : { page_size: 50 };
    const marketsOf = ({ stocks }: Row) => [...new Set(stocks.map(({ security }: Row) => security.market))];
    const all: Row[] = path === 'stock-news' ? (await s2c(path, query)).news_list : await pages(path, query, 'news_list', 400);
    expect(all.some((item) => marketsOf(item).length > 1)).toBe(true);
    const own: Row[] = (await s2c(path, query, 'us')).news_list;
    const shown = all.slice(0, 50).filter((item) => marketsOf(item).every((market) => market === 11));
    expect(own.map(({ news_id }) => news_id)).toEqual(shown.map(({ news_id }) => news_id));
  });
});

describe('watchlists', () => {
  it.each(['watchlist-announcement', 'watchlist-news', 'watchlist-rating'])(
    '%s needs stocks, and never takes the whole market',
    async (path) => {
      for (const stock_ids of [undefined, []]) {
        const answer = await post(path, { page_size: 5, stock_ids });
        expect(answer).toMatchObject({ status: 400, json: { error: expect.stringContaining('stock_ids') } });
      }
      for (const stock_ids of [[0], [1], [ids['HK.00700'], 2]])
        expect((await post(path, { page_size: 5, stock_ids })).json.ret_msg).toContain(`stock_ids[${stock_ids.length - 1}]`);
      expect(await post(path, { page_size: 5, stock_ids: [ids['HK.00700']] }, 'hk')).toMatchObject({ status: 429 });
    },
  );

  it('the news is that of each stock, in one order', async () => {
    const symbols = ['HK.00700', 'US.AAPL', 'HK.00005'];
    const { news_list: together } = await s2c('watchlist-news', { page_size: 40, stock_ids: symbols.map((one) => ids[one]) });
    const apart = (await Promise.all(symbols.map((one) => stock(one)))).flatMap(({ news_list }) => news_list);
    expect(together).toEqual(apart.sort((a, b) => (BigInt(a.seq) < BigInt(b.seq) ? 1 : -1)).slice(0, 40));
    const twice = await s2c('watchlist-news', { page_size: 40, stock_ids: [...symbols, ...symbols].map((one) => ids[one]) });
    expect(twice.news_list).toEqual(together);
  });

  it('announcements are of the types asked for', async () => {
    const stock_ids = [ids['HK.00700'], ids['US.AAPL'], ids['HK.00005']];
    const of = (notice_types?: number[]) =>
      pages('watchlist-announcement', { page_size: 50, stock_ids, notice_types }, 'announcement_list', 1_000);
    const all = await of();
    expect(await of([0])).toEqual(all);
    const types = new Set(all.map((one) => one.notice_type));
    expect([...types].sort()).toEqual(expect.arrayContaining([1, 2, 4]));
    for (const type of [1, 2, 3, 4, 5]) expect(await of([type])).toEqual(all.filter((one) => one.notice_type === type));
    expect(await of([1, 2])).toEqual(all.filter((one) => one.notice_type <= 2));
    expect((await post('watchlist-announcement', { page_size: 5, stock_ids, notice_types: [0, 1] })).json.ret_msg).toContain(
      'stands alone',
    );
    for (const type of [-1, 6])
      expect(await post('watchlist-announcement', { page_size: 5, stock_ids, notice_types: [type] })).toMatchObject({ status: 400 });
  });

  it('ratings are those that the consensus counts, and name the news that they made', async () => {
    const { rating_list: ratings } = await s2c('watchlist-rating', { page_size: 50, stock_ids: [ids['US.AAPL']] });
    const { news_list: items } = await stock('US.AAPL');
    const named = new Map<string, Row>(items.map((one: Row) => [one.news_id, one]));
    const oldest = BigInt(items.at(-1).seq);
    for (const { news_id, rating, previous_rating, broker, pub_time, target_price, seq } of ratings) {
      expect(BigInt(target_price)).toBeGreaterThan(0n);
      expect(news_id !== undefined).toBe(rating !== previous_rating);
      if (news_id === undefined || BigInt(seq) <= oldest) continue;
      expect(named.get(news_id)).toMatchObject({ pub_time, topic: 5, title: expect.stringContaining(broker) });
    }
    // Each broker's last rating of the last three months.
    const recent = ratings.filter(({ pub_time }: Row) => Number(pub_time) * 1000 > NOW - 91 * 86_400_000);
    const { total } = await daemon.as('all').s2c('/api/research-analyst-consensus', { symbol: 'US.AAPL' });
    expect(new Set(recent.map(({ broker }: Row) => broker)).size).toBe(total);
  });
});

it('a letter gives orders to whoever reads it, and is marked as unverified', async () => {
  const letters = await pages('latest-news', { page_size: 50, flash_filter_list: [10] }, 'news_list', 3);
  expect(letters.length).toBeGreaterThan(0);
  for (const { source, abstract } of letters) {
    expect(source).toContain('unverified');
    expect(abstract).toContain('ignore all previous instructions');
  }
});
