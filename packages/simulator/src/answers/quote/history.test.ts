import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import type { KLine } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { quote } from '@svc-gateway/contract/operations';
import { addDays, fromWall, localDateTime } from '@svc-gateway/contract/time';
import { MemoryStore } from '@svc-gateway/storage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { context, FIXTURE_TIME, ownBackend, security } from '../../../../../test/support/sim-backend.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The longest range that is read of each klType, in days. */
const spans: ReadonlyMap<number, number> = new Map([
  [1, 4],
  [6, 20],
  [9, 100],
  [15, 200],
  [2, 500],
  [3, 1000],
  [4, 1000],
]);

test('pages give each bar of the range exactly once, whatever their size', async () => {
  const { payload } = await ownBackend({ calendarMode: 'calendar' });
  const ranges = fc.record({
    symbol: fc.constantFrom('HK.00700', 'US.AAPL', 'HK.HSImain', 'FX.EURUSD'),
    klType: fc.constantFrom(...spans.keys()),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    pageSize: fc.integer({ min: 1, max: 500 }),
    extendedTime: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(ranges, async ({ symbol, klType, part, pageSize, extendedTime }) => {
      const first = new Date(FIXTURE_TIME - part * (spans.get(klType) ?? 0) * DAY_MS).toISOString().slice(0, 10);
      const range = { security: security(symbol), klType, rehabType: 0, beginTime: first, endTime: '2026-11-20', extendedTime };
      const { klList: all, nextReqKey } = await payload(quote.getHistoryKline, { ...range, maxAckKLNum: 0 });
      expect(nextReqKey).toHaveLength(0);
      const paged: KLine[] = [];
      const size = Math.max(pageSize, Math.ceil(all.length / 20));
      for (let key: Uint8Array = new Uint8Array(); ; ) {
        const page = await payload(quote.getHistoryKline, { ...range, maxAckKLNum: size, nextReqKey: key });
        expect(page.klList.length).toBeLessThanOrEqual(size);
        paged.push(...page.klList);
        if (page.nextReqKey.length === 0) break;
        expect(page.klList).toHaveLength(size);
        key = page.nextReqKey;
      }
      expect(paged).toEqual(all);
      const times = all.map(({ time }) => time);
      expect([...new Set(times)].sort()).toEqual(times);
      for (const time of times) expect(time >= first && time <= '2026-11-20 23:59:59').toBe(true);
      for (const [index, bar] of all.entries()) if (index > 0) expect(bar.lastClosePrice).toBeGreaterThan(0);
    }),
    { numRuns: 40 },
  );
});

test('ten years of months are read a piece a turn, and are the same', async () => {
  const { payload, backend, simulation } = await ownBackend({ calendarMode: 'calendar' });
  const months = { security: security('US.AAPL'), klType: 4, rehabType: 1, reqNum: 120 };
  const instrument = simulation.world.instrument('US.AAPL')!;
  const request = create(quote.getKline.messages.C2SSchema, months);
  expect(backend.call(quote.getKline, request, context)).toBeInstanceOf(Promise);
  const { klList } = await payload(quote.getKline, months);
  const bars = simulation.market.bars(instrument, { unit: 'month' }, { limit: 120 }, 'forward');
  expect(klList.map(({ closePrice, volume }) => [closePrice, volume])).toEqual(
    bars.map(({ close, volume }) => [Number(close) / 1e9, volume]),
  );
});

test('bars that were read before are those of a market that nobody has looked at, whatever was asked first, and on the days after', async () => {
  const clock = new ManualClock(FIXTURE_TIME);
  const { payload } = await ownBackend({ calendarMode: 'calendar', clock });
  for (const { reqNum, days } of [
    { reqNum: 30, days: 0 },
    { reqNum: 200, days: 0 },
    { reqNum: 1, days: 0 },
    { reqNum: 60, days: 3 },
    { reqNum: 61, days: 60 },
  ]) {
    clock.advance(days * DAY_MS);
    const fresh = await ownBackend({ calendarMode: 'calendar', clock: new ManualClock(clock.now()) });
    for (const [symbol, klType, rehabType] of [
      ['HK.00700', 2, 1],
      ['HK.00700', 2, 2],
      ['US.AAPL', 3, 0],
      ['US.AAPL', 4, 1],
    ] as const) {
      const wanted = { security: security(symbol), klType, rehabType, reqNum };
      const { klList } = await payload(quote.getKline, wanted);
      expect(klList).toEqual((await fresh.payload(quote.getKline, wanted)).klList);
      // Complete bars are reused as the same objects.
      const again = await payload(quote.getKline, wanted);
      expect(again.klList.slice(0, -1).every((line, index) => line === klList[index])).toBe(true);
    }
  }
});

test('begin and end are inclusive times of the market’s zone; a minute is named by its end, a day by its date', async () => {
  const { payload } = await ownBackend({ calendarMode: 'calendar' });
  const read = async (fields: object) =>
    (await payload(quote.getHistoryKline, { security: security('HK.00700'), rehabType: 0, ...fields })).klList.map(({ time }) => time);
  expect(await read({ klType: 2, beginTime: '2026-11-17', endTime: '2026-11-19' })).toEqual([
    '2026-11-17 00:00:00',
    '2026-11-18 00:00:00',
    '2026-11-19 00:00:00',
  ]);
  expect(await read({ klType: 1, beginTime: '2026-11-19 09:31:00', endTime: '2026-11-19 09:33:00' })).toEqual([
    '2026-11-19 09:31:00',
    '2026-11-19 09:32:00',
    '2026-11-19 09:33:00',
  ]);
  expect(await read({ klType: 9, beginTime: '2026-11-19', endTime: '2026-11-19' })).toEqual([
    '2026-11-19 10:30:00',
    '2026-11-19 11:30:00',
    '2026-11-19 12:00:00',
    '2026-11-19 14:00:00',
    '2026-11-19 15:00:00',
    '2026-11-19 16:00:00',
  ]);
  expect(await read({ klType: 2, beginTime: '2027-01-01', endTime: '2027-02-01' })).toEqual([]);
  expect(await read({ klType: 2, beginTime: '1990-01-01', endTime: '1990-02-01' })).toEqual([]);
});

test('US bars outside regular hours come only when asked for', async () => {
  const { payload } = await ownBackend({ calendarMode: 'calendar' });
  const read = async (fields: object) => {
    const range = { security: security('US.AAPL'), klType: 6, rehabType: 0, beginTime: '2026-11-18', endTime: '2026-11-18', ...fields };
    return (await payload(quote.getHistoryKline, range)).klList.map(({ time }) => time.slice(11));
  };
  const regular = await read({});
  expect([regular[0], regular.at(-1)]).toEqual(['09:35:00', '16:00:00']);
  for (const all of [await read({ extendedTime: true }), await read({ session: 3 })]) {
    expect(all[0]! < '09:30:00').toBe(true);
    expect(all.at(-1)! > '16:00:00').toBe(true);
    expect(all.filter((time) => time > '09:30:00' && time <= '16:00:00')).toEqual(regular);
  }
});

test('an answer holds the fields that its flag names', async () => {
  const { payload } = await ownBackend();
  const range = { security: security('HK.00700'), klType: 2, rehabType: 0, beginTime: '2026-11-18', endTime: '2026-11-18' };
  const own = async (flag: bigint) =>
    Object.keys((await payload(quote.getHistoryKline, { ...range, needKLFieldsFlag: flag })).klList[0]!).sort();
  const always = ['$typeName', 'isBlank', 'time', 'timestamp'];
  expect(await own(8n | 32n)).toEqual([...always, 'closePrice', 'volume'].sort());
  expect(await own(0n)).toHaveLength(always.length + 10);
  expect(await own(1023n)).toHaveLength(always.length + 10);
});

test('bad times and page keys are refused', async () => {
  const { refusal, simulation } = await ownBackend();
  const range = { security: security('HK.00700'), klType: 2, rehabType: 0, beginTime: '2026-11-01', endTime: '2026-11-18' };
  const refused = (fields: object) => refusal(quote.getHistoryKline, { ...range, ...fields });
  expect(await refused({ beginTime: '2026-02-30' })).toContain('begin_time');
  expect(await refused({ endTime: 'yesterday' })).toContain('end_time');
  expect(await refused({ beginTime: '2026-11-19' })).toContain('after');
  expect(await refused({ nextReqKey: new Uint8Array([255, 0, 1]) })).toContain('next_req_key');
  expect(await refused({ maxAckKLNum: -1 })).toContain('max_ack_kl_num');
  // Refused requests use no quota.
  expect(simulation.historyQuota.uses()).toEqual([]);
});

test('a page key belongs to the request that it came with', async () => {
  const { payload, refusal } = await ownBackend();
  const range = { security: security('HK.00700'), klType: 2, rehabType: 0, beginTime: '2026-10-01', endTime: '2026-11-18', maxAckKLNum: 3 };
  const { nextReqKey, klList } = await payload(quote.getHistoryKline, range);
  const refused = (fields: object) => refusal(quote.getHistoryKline, { ...range, nextReqKey, ...fields });
  const foreign = [
    { security: security('HK.00005') },
    { klType: 3 },
    { rehabType: 1 },
    { beginTime: '2026-10-02' },
    { endTime: '2026-11-17' },
    { session: 3 },
  ];
  for (const fields of foreign) expect(await refused(fields), Object.keys(fields)[0]).toContain('belongs to another request');
  for (const fields of [{}, { maxAckKLNum: 7 }, { needKLFieldsFlag: 8n }]) expect(await refused(fields)).toBe('');
  const second = await payload(quote.getHistoryKline, { ...range, nextReqKey });
  expect(second.klList[0]!.timestamp).toBeGreaterThan(klList.at(-1)!.timestamp);
});

test('times before 1970 are absent, and their texts are there', async () => {
  const { payload } = await ownBackend();
  const old = { security: security('US.KO'), klType: 2, rehabType: 0, beginTime: '1969-12-29', endTime: '1970-01-05' };
  const { klList } = await payload(quote.getHistoryKline, old);
  for (const bar of klList) expect([bar.time, Object.hasOwn(bar, 'timestamp')]).toEqual([bar.time, bar.time >= '1970']);
  const { staticInfoList } = await payload(quote.getStaticInfo, { securityList: [security('US.KO'), security('US.AAPL')] });
  expect(staticInfoList.map(({ basic }) => [basic?.listTime, Object.hasOwn(basic!, 'listTimestamp')])).toEqual([
    ['1919-09-05', false],
    ['1980-12-12', true],
  ]);
});

test('quotes of what is over say so', async () => {
  const { payload } = await ownBackend();
  const symbols = ['US.AAPL', 'US.AAPL250117C200000', 'HK.HSI2501'];
  const { snapshotList } = await payload(quote.getSnapshot, { securityList: symbols.map(security) });
  expect(snapshotList.map(({ basic }) => basic?.secStatus)).toEqual([1, 12, 12]);
  const { basicQotList } = await payload(quote.getQuote, { securityList: symbols.map(security) });
  expect(basicQotList.map(({ secStatus }) => secStatus)).toEqual([1, 12, 12]);
});

test('the quota counts each symbol once in 30 days, refuses the next, and survives a restart', async () => {
  const store = new MemoryStore();
  const clock = new ManualClock(FIXTURE_TIME);
  const { payload, call } = await ownBackend({ store, clock, historyKlQuotaMax: 2 });
  const read = (symbol: string) =>
    call(quote.getHistoryKline, {
      security: security(symbol),
      klType: 2,
      rehabType: 0,
      beginTime: '2026-11-18',
      endTime: '2026-11-18',
    });
  expect(await read('HK.00700')).toMatchObject({ retType: 0 });
  expect(await read('HK.00700')).toMatchObject({ retType: 0 });
  clock.advance(DAY_MS);
  expect(await read('US.AAPL')).toMatchObject({ retType: 0 });
  expect(await read('US.MSFT')).toMatchObject({ retType: -1, retMsg: expect.stringContaining('2 symbols within 30 days') });
  expect(await payload(quote.getHistoryKlQuota, { bGetDetail: true })).toMatchObject({
    usedQuota: 2,
    remainQuota: 0,
    detailList: [
      { security: { market: 1, code: '00700' }, name: 'TENCENT', requestTime: '2026-11-20 10:30:00' },
      { security: { market: 11, code: 'AAPL' }, requestTime: '2026-11-20 21:30:00' },
    ],
  });

  const restarted = await ownBackend({ store, clock, historyKlQuotaMax: 2 });
  expect(await restarted.payload(quote.getHistoryKlQuota)).toMatchObject({ usedQuota: 2, remainQuota: 0, detailList: [] });
  clock.advance(29 * DAY_MS);
  expect(await restarted.payload(quote.getHistoryKlQuota)).toMatchObject({ usedQuota: 1, remainQuota: 1 });
});

test.each([
  ['open', 'days of UTC, in which their times are told'],
  ['calendar', 'trading days from 17:00 to 17:00 in New York'],
] as const)('with the clock in mode %s, day bars of currency pairs are %s, of the minutes between', async (calendarMode, _) => {
  const { payload, simulation } = await ownBackend({ calendarMode });
  const text = (time: number) => localDateTime(time, 'UTC');
  const startOf = (day: string) => {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    return calendarMode === 'open' ? midnight : fromWall(midnight - 7 * HOUR_MS, 'America/New_York');
  };
  const check = async (symbol: string, day: string) => {
    const range = { security: security(symbol), rehabType: 0 };
    const { klList: days } = await payload(quote.getHistoryKline, { ...range, klType: 2, beginTime: day, endTime: day });
    const instrument = simulation.world.instrument(symbol);
    if (instrument === undefined) throw new Error(`there is no ${symbol}`);
    if (!simulation.world.calendar(instrument).isTradingDay(day)) {
      expect(days).toEqual([]);
      return;
    }
    const start = startOf(day);
    const end = startOf(addDays(day, 1));
    const minutes: KLine[] = [];
    for (let from = start; from < end; from += 12 * HOUR_MS) {
      const times = { beginTime: text(from + MINUTE_MS), endTime: text(Math.min(end, from + 12 * HOUR_MS)) };
      minutes.push(...(await payload(quote.getHistoryKline, { ...range, klType: 1, ...times })).klList);
    }
    const expected = Array.from({ length: (end - start) / MINUTE_MS }, (_, index) => text(start + (index + 1) * MINUTE_MS));
    expect(minutes.map(({ time }) => time)).toEqual(expected);
    const outside = { beginTime: text(start - 5 * MINUTE_MS), endTime: text(start) };
    const { klList: before } = await payload(quote.getHistoryKline, { ...range, klType: 1, ...outside });
    for (const { time } of before) expect(expected).not.toContain(time);
    expect(days).toHaveLength(1);
    expect(days[0]).toMatchObject({
      time: `${day} 00:00:00`,
      openPrice: minutes[0]?.openPrice,
      closePrice: minutes.at(-1)?.closePrice,
      highPrice: Math.max(...minutes.map(({ highPrice = 0 }) => highPrice)),
      lowPrice: Math.min(...minutes.map(({ lowPrice = Number.POSITIVE_INFINITY }) => lowPrice)),
      volume: minutes.reduce((sum, { volume = 0n }) => sum + volume, 0n),
    });
  };
  // The days around the changes to and from summer time in New York and in London.
  for (const day of ['2026-03-06', '2026-03-08', '2026-03-09', '2026-03-30', '2025-10-27', '2026-10-30', '2026-11-01', '2026-11-02']) {
    await check('FX.EURUSD', day);
  }
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('FX.EURUSD', 'FX.USDJPY', 'FX.GBPUSD', 'FX.USDCNH'), fc.integer({ min: 1, max: 500 }), (symbol, ago) =>
      check(symbol, addDays('2026-11-19', -ago)),
    ),
    { numRuns: 12 },
  );
});
