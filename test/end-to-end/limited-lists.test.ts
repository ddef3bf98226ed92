import { replayClock } from '@svc-gateway/contract/clock';
import { switches } from '@svc-gateway/contract/switches';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

/** A Friday evening in Hong Kong, with results and dividends around it. */
const NOW = Date.UTC(2026, 7, 28, 12);
const scopes = ['qot:read'] as const;
type Id = 'all' | 'tencent';
const daemon = TestDaemon.forAll<Id>({
  clock: replayClock(NOW, 1),
  keys: { all: { scopes }, tencent: { scopes, limits: { allowedMarkets: 'HK', allowedSymbols: 'HK.00700' } } },
  // Years of bars are read here, beside other tests.
  flags: [...switches, '--sim-clock', 'calendar', '--request-timeout', '120'],
});

type Item = { readonly security: { readonly market: number; readonly code: string } };
type Payload = Readonly<Record<string, unknown>>;
const itemsOf = (payload: Payload) => (Object.values(payload).find(Array.isArray) ?? []) as Item[];
const version = { extension_version: 1 };

/** Lists of a market: a request, and where the answer counts its items. */
const lists = [
  ['/api/dividend-calendar', { market: 1, date: '2026-08-27' }, 'all_count'],
  ['/api/earnings-calendar', { market: 1, begin_date: '2026-08-24', end_date: '2026-08-28' }, undefined],
  ['/api/dividend-rank', { market: 1, rank_type: 1, count: 300 }, undefined],
  ['/api/earnings-beat-rank', { market: 1, beat_type: 1, count: 300 }, 'all_count'],
  ['/api/period-change-rank', { market: 1, period_type: 3, count: 200 }, 'all_count'],
  ['/api/short-selling-rank', { market: 1, count: 35, sort_field: 5 }, 'all_count'],
  ['/api/high-dividend-soe-rank', {}, 'all_count'],
  ['/api/us-pre-market-rank', {}, 'all_count'],
  ['/api/us-after-hours-rank', {}, 'all_count'],
  ['/api/us-overnight-rank', {}, 'all_count'],
  ['/api/institution-holding-list', { market: 1, institution_id: 1, count: 200 }, 'all_count'],
  ['/api/industrial-plate-stock', { plate_id: 1017, count: 200 }, 'all_count'],
  ['/api/valuation-plate-stock-list', { symbol: 'HK.800000', num: 50, sort_type: 1 }, 'count'],
  ['/api/kline-pattern-stocks', { kline_type: 1, shape: 5, market: 1, ...version }, 'all_count'],
] as const;

describe('a key for one symbol of one market', () => {
  it.each(lists)('is shown that symbol alone, and no count of the others, by %s', async (path, body, count) => {
    const all = await daemon.as('all').s2c(path, body);
    const own = await daemon.as('tencent').s2c(path, body);
    if (count !== undefined) {
      expect(all).toHaveProperty(count);
      expect(own).not.toHaveProperty(count);
    }
    const isOwn = ({ security }: Item) => security.market === 1 && security.code === '00700';
    expect(itemsOf(own as Payload)).toEqual(itemsOf(all as Payload).filter(isOwn));
  });
});

it('shows a key for one symbol no other member of its industry', async () => {
  const body = { symbol: 'HK.00700' };
  const { plate_distribution: all } = await daemon.as('all').s2c('/api/valuation-detail', body);
  const { plate_distribution: own } = await daemon.as('tencent').s2c('/api/valuation-detail', body);
  expect(all.stock_items.length).toBeGreaterThan(1);
  expect(own.stock_items.map(({ security }: Item) => security.code)).toEqual(['00700']);
});

it('shows a key for one symbol no other stock of a chain, and no plate', async () => {
  const body = { market: 1, keyword: 'social networks' };
  const all = await daemon.as('all').s2c('/api/industrial-chain-list', body);
  const own = await daemon.as('tencent').s2c('/api/industrial-chain-list', body);
  expect(all.data_list[0].relation_security_list.length).toBeGreaterThan(1);
  expect(own.data_list[0].relation_security_list).toEqual([{ market: 1, code: '00700' }]);
  expect(own).not.toHaveProperty('all_count');
  expect((await daemon.as('tencent').s2c('/api/heat-map-data', { market: 1 })).plate_data_list).toEqual([]);
});

describe('K-line patterns', () => {
  it('performance carries ret_code 0 explicitly', async () => {
    const body = { shape: 8, duration: 5, ...version };
    expect((await daemon.as('all').post('/api/kline-pattern-performance', body)).text).toContain('"ret_code":0,');
  }, 120_000);

  it.each([
    ['/api/kline-pattern', { kline_type: 1, ...version }, 400, 'stock_id'],
    ['/api/kline-pattern-stocks', { kline_type: 1, shape: 5, market: 1, sort_type: -2, ...version }, 400, 'sort_type'],
  ])('%s %j is refused with the field', async (path, body, status, field) => {
    const answer = await daemon.as('all').post(path, body);
    expect(answer).toMatchObject({ status, json: { error: expect.stringContaining(field) } });
  });
});
