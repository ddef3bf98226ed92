import { replayClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import type { PushFrame } from '../support/push-client.js';

/** Watchlists, price reminders, option alerts and notes, as callers have them. */
type Id = 'writer' | 'reader' | 'hk' | 'account';

const daemon = TestDaemon.forAll<Id>({
  simulationClock: replayClock(Date.now(), 60),
  keys: {
    writer: { scopes: ['qot:read', 'qot:write'] },
    reader: { scopes: ['qot:read'] },
    hk: { scopes: ['qot:read', 'qot:write'], limits: { allowedMarkets: 'HK' } },
    account: { scopes: ['acc:read'] },
  },
});

async function ask(path: string, body: object, id: Id = 'writer') {
  const { status, json } = await daemon.as(id).post(path, body);
  expect([path, status, json.ret_type, json.error]).toEqual([path, 200, 0, undefined]);
  return json.s2c;
}

async function refusal(path: string, body: object, id: Id = 'writer'): Promise<[number, string]> {
  const { status, json } = await daemon.as(id).post(path, body);
  return [status, status === 200 ? json.ret_msg : json.code];
}

const codes = (infos: { basic: { security: { code: string } } }[]) => infos.map(({ basic }) => basic.security.code);
const watch = (group_name: string, op: number, symbols: string[], id?: Id) =>
  ask('/api/modify-user-security', { group_name, op, symbols }, id);
const watched = async (group_name: string, id?: Id) => codes((await ask('/api/user-security', { group_name }, id)).static_info_list);

describe('watchlists', () => {
  it('creates and removes groups of the watchlist with what is in them', async () => {
    await watch('Tech', 1, ['HK.00700', 'US.AAPL']);
    await watch('Tech', 1, ['HK.09988', 'HK.00700']);
    await watch('Banks', 1, ['HK.00005']);
    expect(await watched('Tech')).toEqual(['00700', 'AAPL', '09988']);
    expect(await watched('HK')).toEqual(['00700', '09988', '00005']);
    expect(await watched('US')).toEqual(['AAPL']);
    const { group_list } = await ask('/api/user-security-group', { group_type: 1 });
    expect(group_list).toEqual([
      { group_name: 'Tech', group_type: 1 },
      { group_name: 'Banks', group_type: 1 },
    ]);
    await watch('Banks', 3, ['HK.00005']);
    expect(await watched('All')).toContain('00005');
    expect(await refusal('/api/user-security', { group_name: 'Banks' })).toEqual([
      200,
      expect.stringMatching(/^unknown group "Banks"; there are All, /),
    ]);
    await watch('Tech', 2, ['HK.00005', 'US.AAPL']);
    expect(await watched('All')).toEqual(['00700', '09988']);
  });

  it('refuses impossible values of the watchlist with the reason', async () => {
    expect(await refusal('/api/modify-user-security', { group_name: 'HK', op: 1, symbols: ['HK.00700'] })).toEqual([
      200,
      'HK is a group of the system, which cannot be changed; name a custom group',
    ]);
    expect(await refusal('/api/modify-user-security', { group_name: 'x', op: 4, symbols: ['HK.00700'] })).toEqual([
      400,
      'request.out_of_range',
    ]);
    expect(await refusal('/api/modify-user-security', { group_name: 'x', op: 1, symbols: [] })).toEqual([400, 'request.out_of_range']);
    expect(await refusal('/api/modify-user-security', { group_name: 'Nope', op: 3, symbols: ['HK.00700'] })).toEqual([
      200,
      expect.stringMatching(/^unknown custom group "Nope"/),
    ]);
    expect(await refusal('/api/modify-user-security', { group_name: 'x', op: 1, symbols: ['HK.99999'] })).toEqual([
      200,
      expect.stringMatching(/^unknown symbol HK.99999/),
    ]);
  });

  it('shows a limited key its own symbols of the watchlist, and lets it change only those', async () => {
    await watch('Mixed', 1, ['HK.00700', 'US.MSFT']);
    expect(await watched('Mixed', 'hk')).toEqual(['00700']);
    expect(await refusal('/api/modify-user-security', { group_name: 'Mixed', op: 2, symbols: ['US.MSFT'] }, 'hk')).toEqual([
      429,
      'limit.market',
    ]);
  });
});

describe('price reminders', () => {
  const set = (fields: object, id?: Id) => ask('/api/set-price-reminder', { symbol: 'HK.00700', ...fields }, id);
  const up = { op: 1, type: 1, freq: 1, value: 1_000_000 };

  it('sets, lists, changes and deletes price reminders', async () => {
    const { key } = await set({ ...up, value: 999_999.1239, note: 'far away' });
    const list = async (body: object) => (await ask('/api/price-reminder', body)).price_reminder_list;
    const item = { key, type: 1, value: 999_999.123, note: 'far away', freq: 1, is_enable: true, reminder_session_list: [] };
    expect(await list({ symbol: 'HK.00700' })).toEqual([{ security: { market: 1, code: '00700' }, name: 'TENCENT', item_list: [item] }]);
    expect(await list({ market: 1 })).toHaveLength(1);
    expect(await list({ market: 11 })).toEqual([]);
    await set({ op: 5, key, value: 888_888 });
    expect((await list({ symbol: 'HK.00700' }))[0].item_list).toEqual([{ ...item, value: 888_888 }]);
    await set({ op: 4, key });
    expect((await list({ symbol: 'HK.00700' }))[0].item_list).toMatchObject([{ is_enable: false }]);
    await set({ op: 2, key });
    expect(await list({ symbol: 'HK.00700' })).toEqual([]);
  });

  it('holds price reminders to their bounds', async () => {
    for (let count = 0; count < 10; count++) await set(up);
    expect(await refusal('/api/set-price-reminder', { symbol: 'HK.00700', ...up })).toEqual([
      200,
      'HK.00700 has 10 reminders of this type: delete one first',
    ]);
    await set({ ...up, type: 2, value: 0.001, note: '二十个汉字二十个汉字二十个汉字二十个汉字' });
    const noted = (note: string) => refusal('/api/set-price-reminder', { symbol: 'HK.00700', ...up, type: 2, note });
    expect(await noted('a'.repeat(61))).toEqual([400, 'request.out_of_range']);
    expect(await refusal('/api/set-price-reminder', { symbol: 'HK.00700', ...up, type: 2, value: 1e-10 })).toEqual([
      400,
      'request.out_of_range',
    ]);
    expect(await refusal('/api/set-price-reminder', { symbol: 'HK.HSI2509', ...up })).toEqual([
      200,
      'HK.HSI2509 was traded for the last time on 2025-09-29: a reminder of it would never come true',
    ]);
    await set({ op: 6 });
    expect(await refusal('/api/set-price-reminder', { symbol: 'HK.00700', op: 1, type: 1, freq: 1 })).toEqual([
      400,
      'request.missing_field',
    ]);
    expect(await refusal('/api/set-price-reminder', { symbol: 'HK.00700', op: 2 })).toEqual([400, 'request.missing_field']);
    expect(await refusal('/api/set-price-reminder', { symbol: 'HK.00700', op: 2, key: 4242 })).toEqual([
      200,
      'HK.00700 has no price reminder 4242',
    ]);
    expect(await refusal('/api/set-price-reminder', { symbol: 'HK.800000', ...up, type: 10 })).toEqual([
      200,
      expect.stringMatching(/^HK.800000 has no order book/),
    ]);
    expect(await refusal('/api/set-price-reminder', { symbol: 'HK.00700', ...up, sessions: [2] })).toEqual([
      200,
      expect.stringMatching(/trades in regular hours alone/),
    ]);
    // As the published Python client asks for by default.
    const { key } = await set({ ...up, sessions: [1, 2, 3] });
    const [{ item_list }] = (await ask('/api/price-reminder', { symbol: 'HK.00700' })).price_reminder_list;
    expect(item_list).toMatchObject([{ key, reminder_session_list: [1] }]);
    await set({ op: 6 });
    expect(await refusal('/api/price-reminder', {})).toEqual([400, 'request.missing_field']);
  });

  it('tells every connection that may see the symbol of a price reminder that comes true', async () => {
    const [seeing, other] = [await daemon.push('hk'), await daemon.push('reader')];
    const reminded = (frame: PushFrame) => frame.proto_id === 3019;
    const { key } = await set({ op: 1, type: 1, freq: 3, value: 0.001, note: 'cheap' }, 'reader');
    for (const connection of [seeing, other]) {
      expect(await connection.frame(reminded, 'a price reminder')).toMatchObject({
        type: 'notify',
        proto_id: 3019,
        body: { security: { market: 1, code: '00700' }, key, type: 1, set_value: 0.001, note: 'cheap', market_status: 1 },
      });
    }
    const apple = await ask('/api/set-price-reminder', { symbol: 'US.AAPL', op: 1, type: 1, freq: 3, value: 0.001 });
    const isApple = ({ body }: PushFrame) => (body as { key?: unknown } | undefined)?.key === apple.key;
    await other.frame(isApple, 'the reminder of US.AAPL');
    await seeing.settled();
    expect(seeing.frames.filter(isApple)).toEqual([]);
  });
});

describe('option alerts', () => {
  const set = (oper_type: number, alert_list: object[], id?: Id) => ask('/api/set-option-event-alert', { oper_type, alert_list }, id);
  const apple = { market: 11, code: 'AAPL' };

  it('adds, pages, changes and deletes option alerts', async () => {
    await set(1, [
      { underlying: apple, note: 'one' },
      { option_market: 1, note: 'two' },
      { watchlist_group_name: 'All', note: 'three' },
    ]);
    const page = (body: object) => ask('/api/option-event-alert', body);
    const first = await page({ count: 2 });
    expect(first).toMatchObject({ alert_list: [{ note: 'three' }, { note: 'two' }], all_count: 3 });
    const second = await page({ count: 2, page: first.next_page });
    expect(second).toMatchObject({ alert_list: [{ note: 'one', enable: true, underlying: apple }], next_page: '' });
    const { key } = second.alert_list[0];
    const [status, why] = await refusal('/api/set-option-event-alert', { oper_type: 5, alert_list: [{ key }, { key: 4242 }] });
    expect([status, why]).toEqual([200, 'alert_list[1].key: there is no option alert 4242']);
    expect((await page({ count: 500 })).alert_list[2]).toMatchObject({ enable: true });
    await set(5, [{ key }]);
    expect((await page({ count: 500 })).alert_list[2]).toMatchObject({ enable: false, note: 'one' });
    await set(3, [{ key, underlying: apple, note: 'changed', iv_range: { filter_min: { value: 20, includes: true } } }]);
    expect((await page({ count: 500 })).alert_list[2]).toMatchObject({
      enable: false,
      note: 'changed',
      iv_range: { filter_min: { value: 20 } },
    });
    await ask('/api/set-option-event-alert', { oper_type: 6 });
    expect(await page({})).toMatchObject({ alert_list: [], all_count: 0, next_page: '' });
  });

  it.each([
    [{}, /name exactly one of option_market, watchlist_group_name and underlying, found 0$/],
    [{ underlying: apple, option_market: 1 }, /found 2$/],
    [{ watchlist_group_name: 'Nope' }, /unknown group "Nope"/],
    [{ option_market: 1, earnings_date_begin: '2026-01-01' }, /give earnings_date_begin and earnings_date_end together/],
    [{ option_market: 1, earnings_date_begin: '2026-02-30', earnings_date_end: '2026-03-01' }, /expected earnings dates as yyyy-MM-dd/],
    [{ option_market: 1, note: 'x'.repeat(61) }, /at most 60 bytes/],
  ])('refuse %j', async (alert, why) => {
    expect(await refusal('/api/set-option-event-alert', { oper_type: 1, alert_list: [alert] })).toEqual([200, expect.stringMatching(why)]);
  });

  it('lets no limited key set option alerts, and shows it those of its symbols', async () => {
    await set(1, [{ underlying: apple }, { underlying: { market: 1, code: '00700' } }, { option_market: 3 }]);
    expect(await refusal('/api/set-option-event-alert', { oper_type: 6 }, 'hk')).toEqual([429, 'limit.market']);
    const own = await ask('/api/option-event-alert', {}, 'hk');
    expect(own.alert_list).toMatchObject([{ underlying: { code: '00700' } }]);
    // How many there are would tell of the others.
    expect(own).not.toHaveProperty('all_count');
  });
});

describe('notes', () => {
  it('writes, replaces and removes notes, newest first', async () => {
    await ask('/api/set-stock-note', { symbol: 'HK.00700', note: 'first' });
    await ask('/api/set-stock-note', { symbol: 'US.AAPL', note: 'second' });
    const { update_time } = await ask('/api/set-stock-note', { symbol: 'HK.00700', note: 'third' });
    const notes = async (body: object, id?: Id) => (await ask('/api/stock-note', body, id)).note_list;
    expect(await notes({})).toMatchObject([{ name: 'TENCENT', note: 'third', update_time }, { note: 'second' }]);
    expect(await notes({ symbols: ['US.AAPL'] })).toHaveLength(1);
    expect(await notes({}, 'hk')).toHaveLength(1);
    expect(await ask('/api/set-stock-note', { symbol: 'HK.00700', note: '' })).toEqual({ update_time: 0 });
    expect(await notes({ symbols: ['HK.00700'] })).toEqual([]);
  });

  it('lets keys with qot:write alone write notes', async () => {
    const note = { symbol: 'HK.00700', note: 'x' };
    expect(await refusal('/api/set-stock-note', note, 'reader')).toEqual([403, 'auth.scope']);
    expect(await refusal('/api/set-stock-note', { ...note, symbol: 'US.AAPL' }, 'hk')).toEqual([429, 'limit.market']);
    expect(await refusal('/api/set-stock-note', { ...note, note: 'x'.repeat(4_001) })).toEqual([400, 'request.out_of_range']);
    await watch('Readers', 1, ['HK.00700'], 'reader');
    expect(await refusal('/api/modify-user-security', { group_name: 'x', op: 1, symbols: ['HK.00700'] }, 'account')).toEqual([
      403,
      'auth.scope',
    ]);
  });
});
