import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

const daemon = TestDaemon.forAll({
  clock: new ManualClock(Date.UTC(2026, 10, 10, 2, 30)),
  keys: { desk: { scopes: ['qot:read'] } },
  flags: ['--sim-clock', 'calendar'],
});

const desk = () => daemon.as('desk');

describe('POST /api/ipo-list', () => {
  const codes = async (body: object) =>
    (await desk().s2c('/api/ipo-list', body)).ipo_list.map(({ basic }: { basic: { security: object } }) => basic.security);

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
      const answer = await desk().post('/api/ipo-list', body);
      expect([answer.status, answer.json.code]).toEqual([400, 'request.invalid_market']);
      expect(answer.json.error).toContain('accepted: HK (1), HK_FUTURE (2), US (11), SH (21), SZ (22), SG (31), JP (41), MY (61)');
    }
  });
});

describe('plates', () => {
  it('lists plates at both paths', async () => {
    const body = { market: 1, plate_set_type: 1 };
    const plates = await desk().s2c('/api/list-plates', body);
    expect(plates.plate_info_list.length).toBeGreaterThan(20);
    expect(await desk().s2c('/api/plate-set', body)).toEqual(plates);
  });

  it('lists the members of a plate by symbol or by market and code', async () => {
    const members = await desk().s2c('/api/plate-security', { plate: { market: 1, code: 'LIST1017' } });
    expect(await desk().s2c('/api/plate-security', { plate: 'HK.LIST1017' })).toEqual(members);
    expect(members.static_info_list.map(({ basic }: { basic: { security: { code: string } } }) => basic.security.code)).toContain('00700');
  });
});

describe('POST /api/code-change', () => {
  const changes = async (body: object) => (await desk().s2c('/api/code-change', body)).code_change_list;

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
    const answer = await desk().post('/api/code-change', body);
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining(message)]);
  });
});
