import { ManualClock } from '@svc-gateway/contract/clock';
import { metadata, quote } from '@svc-gateway/contract/operations';
import { addDays } from '@svc-gateway/contract/time';
import { afterEach, describe, expect, it } from 'vitest';
import { call, type Fixture, payload, security, startFixture } from '../../../../../test/support/sim-backend.js';

let fixture: Fixture;
afterEach(() => fixture.backend.stop());

/** At noon UTC of a day. */
async function on(day: string, seed = 'test') {
  fixture = await startFixture({ calendarMode: 'calendar', clock: new ManualClock(Date.parse(`${day}T12:00:00Z`)), seed });
}

const list = async (market: number) => (await payload(fixture.backend, metadata.getIpoList, { market })).ipoList;
const compact = (day: string) => day.replaceAll('-', '');
const calendar = async (market: number, from: string, to: string, eventTypes: number[] = []) =>
  (await payload(fixture.backend, metadata.getIpoCalendar, { market, eventTypes, beginDate: compact(from), endDate: compact(to) }))
    .eventList;

const markets = [
  [1, ['HK']],
  [11, ['US']],
  [21, ['SH', 'SZ']],
  [22, ['SH', 'SZ']],
  [31, ['SG']],
  [41, ['JP']],
  [61, ['MY']],
] as const;

describe('offerings', () => {
  it.each(markets)('market %i: what is listed has a list day to come in the calendar', async (market) => {
    await on('2026-11-10');
    const upcoming = await list(market);
    const events = await calendar(market, '2026-11-11', '2027-02-28', [1]);
    expect(events.map(({ security: one, date }) => `${one?.market}.${one?.code} ${date}`)).toEqual(
      upcoming.map(({ basic }) => `${basic?.security?.market}.${basic?.security?.code} ${compact(basic?.listTime ?? '')}`),
    );
  });

  it('are found in every market over a year', async () => {
    await on('2026-11-10');
    for (const [market, names] of markets) {
      const events = await calendar(market, '2025-12-01', '2026-11-30');
      expect([names, new Set(events.map(({ security: one }) => one?.code)).size > 8]).toEqual([names, true]);
      const dates = events.map(({ date }) => date);
      expect(dates).toEqual([...dates].sort());
    }
  });

  it('go through their market’s steps in order, all before the first day of trading', async () => {
    await on('2026-11-10');
    const steps = {
      1: [3, 4, 8, 9, 5, 1],
      11: [3, 4, 8, 9, 1],
      21: [6, 10, 11, 2, 5, 1],
      41: [6, 7, 10, 11, 8, 9, 12, 5, 3, 4, 1],
      61: [3, 4, 12, 5, 1],
    };
    for (const [market, expected] of Object.entries(steps)) {
      const events = await calendar(Number(market), '2026-03-01', '2026-10-31');
      const [last] = events.filter(({ eventType }) => eventType === 1).slice(-1);
      const own = events.filter(({ security: one }) => one?.code === last?.security?.code);
      expect([market, own.map(({ eventType }) => eventType).sort()]).toEqual([market, [...expected].sort()]);
      const days = new Map(own.map(({ eventType, date }) => [eventType, date]));
      for (const [i, event] of expected.entries()) {
        const next = expected[i + 1];
        // Book building in Tokyo ends before lots are drawn; where two steps share a day, either may come first.
        if (next !== undefined)
          expect([market, event, next, (days.get(event) ?? '') <= (days.get(next) ?? '9')]).toEqual([market, event, next, true]);
      }
    }
  });

  it('become stocks on their day, at the price that was asked', async () => {
    for (const [market, names] of [markets[0], markets[1], markets[2], markets[5]]) {
      await on('2026-11-02');
      const [next] = await list(market);
      const symbol = `${{ 1: 'HK', 11: 'US', 21: 'SH', 22: 'SZ', 41: 'JP' }[next?.basic?.security?.market ?? 0]}.${next?.basic?.security?.code}`;
      expect(names.some((name) => symbol.startsWith(name))).toBe(true);
      const listTime = next?.basic?.listTime ?? '';
      expect(await call(fixture.backend, quote.getQuote, { securityList: [security(symbol)] })).toMatchObject({
        retMsg: `${symbol} is not listed before ${listTime}`,
      });
      const low = next?.hkExData?.ipoPriceMin ?? next?.usExData?.ipoPriceMin ?? next?.jpExData?.ipoPriceMin ?? 0;
      const high = next?.hkExData?.ipoPriceMax ?? next?.usExData?.ipoPriceMax ?? next?.jpExData?.ipoPriceMax ?? Infinity;
      await fixture.backend.stop();

      await on(listTime === '' ? '2026-11-30' : listTime);
      const [event] = await calendar(market, listTime, listTime, [1]);
      const { basicQotList } = await payload(fixture.backend, quote.getQuote, { securityList: [security(symbol)] });
      expect(basicQotList[0]?.lastClosePrice).toBeGreaterThanOrEqual(low);
      expect(basicQotList[0]?.lastClosePrice).toBeLessThanOrEqual(high);
      expect([event?.ipoPriceMin, event?.ipoPriceMax]).toEqual([basicQotList[0]?.lastClosePrice, basicQotList[0]?.lastClosePrice]);
      expect((await list(market)).map(({ basic }) => basic?.security?.code)).not.toContain(symbol.split('.')[1]);
      await fixture.backend.stop();
    }
    await on('2026-11-10');
  });

  it('are those of real companies where the clock is set back', async () => {
    await on('2023-09-12');
    expect((await list(11)).map(({ basic }) => basic?.name)).toContain('Arm Holdings');
    expect((await calendar(11, '2023-09-01', '2023-09-30', [1])).map(({ date, name }) => `${date} ${name}`)).toContain(
      '20230914 Arm Holdings',
    );
  });

  it('are not known before their prospectus', async () => {
    await on('2026-11-10');
    const known = await calendar(1, '2026-11-11', addDays('2026-11-11', 365), [1]);
    expect(known.every(({ date }) => date < '20270101')).toBe(true);
  });

  it('of Hong Kong futures there are none', async () => {
    await on('2026-11-10');
    expect(await list(2)).toEqual([]);
    expect(await calendar(2, '2026-01-01', '2026-12-31')).toEqual([]);
  });

  it.each([
    [{ beginDate: '2026-11-01' }, 'begin_date: expected a date as yyyyMMdd, found "2026-11-01"'],
    [{ endDate: '20261131' }, 'end_date: expected a date as yyyyMMdd'],
    [{ beginDate: '20261201' }, 'begin_date is after end_date'],
    [{ beginDate: '20251101' }, 'at most 366 days'],
    [{ market: 7 }, 'invalid market 7'],
  ])('refuses %j', async (fields, message) => {
    await on('2026-11-10');
    const request = { market: 1, eventTypes: [], beginDate: '20261101', endDate: '20261130', ...fields };
    expect(await call(fixture.backend, metadata.getIpoCalendar, request)).toMatchObject({ retMsg: expect.stringContaining(message) });
  });
});
