import type { Operation } from '@svc-gateway/contract/operation';
import { metadata, quote, system } from '@svc-gateway/contract/operations';
import { describe, expect, test } from 'vitest';
import { ownBackend, security, sharedBackend } from '../../../../../test/support/sim-backend.js';

const simulated = sharedBackend({ calendarMode: 'calendar' });

/** "2026-12-24" for a whole day, "2026-12-24 morning" for a half one. */
async function days(request: { market: number; security?: object }, beginTime: string, endTime: string): Promise<string[]> {
  const { tradeDateList } = await simulated.payload(metadata.getTradingDays, { ...request, beginTime, endTime });
  return tradeDateList.map(({ time, tradeDateType }) => `${time}${['', ' morning', ' afternoon'][tradeDateType]}`);
}

describe('by market', () => {
  // Christmas is a Friday.
  test.each([
    [1, 'Hong Kong', ['2026-12-23', '2026-12-24 morning', '2026-12-28']],
    [2, 'the United States', ['2026-12-23', '2026-12-24 morning', '2026-12-28']],
    [3, 'the mainland', ['2026-12-23', '2026-12-24', '2026-12-25', '2026-12-28']],
    [4, 'Stock Connect northbound', ['2026-12-23', '2026-12-24', '2026-12-28']],
    [5, 'Stock Connect southbound', ['2026-12-23', '2026-12-24 morning', '2026-12-28']],
    [8, 'Singapore', ['2026-12-23', '2026-12-24 morning', '2026-12-28']],
    [9, 'Malaysia', ['2026-12-23', '2026-12-24', '2026-12-28']],
    [10, 'Tokyo', ['2026-12-23', '2026-12-24', '2026-12-25', '2026-12-28']],
  ])('%i: %s', async (market, _, expected) => {
    expect(await days({ market }, '2026-12-23', '2026-12-28')).toEqual(expected);
  });

  test('futures of Tokyo and Singapore have calendars of their own', async () => {
    for (const [market, name] of [
      [6, 'JP_FUTURE'],
      [7, 'SG_FUTURE'],
    ] as const) {
      const expected = simulated.simulation.world.calendar(name).tradingDays('2026-01-01', '2026-12-31');
      expect((await days({ market }, '2026-01-01', '2026-12-31')).map((day) => day.slice(0, 10))).toEqual(expected.map(({ day }) => day));
    }
  });

  test('southbound rests while the mainland does', async () => {
    expect(await days({ market: 1 }, '2026-10-02', '2026-10-09')).toHaveLength(6);
    expect(await days({ market: 5 }, '2026-10-02', '2026-10-09')).toEqual(['2026-10-08', '2026-10-09']);
  });

  test('a day is named with its midnight in the market', async () => {
    const range = { beginTime: '2026-12-24', endTime: '2026-12-24' };
    const hongKong = await simulated.payload(metadata.getTradingDays, { market: 1, ...range });
    expect(hongKong.tradeDateList).toMatchObject([{ time: '2026-12-24', timestamp: Date.UTC(2026, 11, 23, 16) / 1000, tradeDateType: 1 }]);
    const newYork = await simulated.payload(metadata.getTradingDays, { market: 2, ...range });
    expect(newYork.tradeDateList).toMatchObject([{ time: '2026-12-24', timestamp: Date.UTC(2026, 11, 24, 5) / 1000 }]);
  });

  test('a time means its day', async () => {
    expect(await days({ market: 1 }, '2026-12-23 09:30:00', '2026-12-24 00:00:00')).toEqual(['2026-12-23', '2026-12-24 morning']);
  });

  test('a range may hold none', async () => {
    expect(await days({ market: 1 }, '2026-12-26', '2026-12-27')).toEqual([]);
  });
});

describe('by security', () => {
  test('the market is passed over', async () => {
    const thanksgiving = ['2026-11-25', '2026-11-27 morning'] as const;
    for (const market of [0, 1, 99]) {
      expect(await days({ market, security: security('US.AAPL') }, '2026-11-25', '2026-11-28')).toEqual(thanksgiving);
    }
  });

  test('a future follows its own calendar', async () => {
    // CME trades a shortened session on Thanksgiving.
    const future = simulated.simulation.world.instruments({ market: 'US', kind: 'future' })[0]!;
    expect(await days({ market: 2, security: security(future.symbol) }, '2026-11-25', '2026-11-28')).toEqual([
      '2026-11-25',
      '2026-11-26 morning',
      '2026-11-27 morning',
    ]);
  });
});

const tellHours = [
  [metadata.getTradingDays, { market: 1, beginTime: '2026-12-20', endTime: '2026-12-31' }],
  [quote.getMarketState, { securityList: [security('HK.00700')] }],
  [system.getGlobalState, { userID: 0n }],
] as const;

test('where every day trades, every day is listed, and answers say that the clock is held open', async () => {
  const { payload, call } = await ownBackend({ calendarMode: 'open' });
  const { tradeDateList } = await payload(metadata.getTradingDays, { market: 5, beginTime: '2026-12-20', endTime: '2026-12-31' });
  expect(tradeDateList).toHaveLength(12);
  expect(tradeDateList.every(({ tradeDateType }) => tradeDateType === 0)).toBe(true);
  for (const [operation, request] of tellHours as readonly (readonly [Operation, object])[]) {
    expect((await call(operation, request)).retMsg).toContain('held open (--sim-clock open): every market trades on every day');
    expect((await simulated.call(operation, request)).retMsg).toBe('');
  }
});

test.each([
  [{ market: 0 }, 'unknown market 0; accepted: 1 (HK), 2 (US), 3 (CN), 4 (NT), 5 (ST)'],
  [{ market: 11 }, 'unknown market 11'],
  [{ security: security('HK.700') }, 'did you mean HK.00700?'],
  [{ beginTime: '2026-02-30' }, 'begin_time: expected a date as yyyy-MM-dd, found "2026-02-30"'],
  [{ beginTime: '' }, 'begin_time: expected a date as yyyy-MM-dd, found ""'],
  [{ endTime: '2026-12-31 25:00:00' }, 'end_time: expected a date as yyyy-MM-dd'],
  [{ beginTime: '2027-01-01' }, 'begin_time is after end_time'],
  [{ beginTime: '2016-12-01' }, 'begin_time to end_time: at most 3660 days'],
])('refuses %j and says why', async (fields, message) => {
  const request = { market: 1, beginTime: '2026-12-01', endTime: '2026-12-31', ...fields };
  expect(await simulated.refusal(metadata.getTradingDays, request)).toContain(message);
});
