import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metadata, quote, ranking } from '@svc-gateway/contract/operations';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, payload, security, startFixture } from '../../../../test/support/sim-backend.js';

/** Answers over loaded bars, and over the days missing from them. */
let fixture: Fixture;
let folder = '';
/** Trading days of Hong Kong in the months before, oldest first. */
let days: readonly string[] = [];

const GAP = [8, 20] as const;
const KNOWN_OF_HSBC = 4;

beforeAll(async () => {
  const bare = await startFixture({ calendarMode: 'calendar' });
  const months = { market: 1, beginTime: '2026-08-03', endTime: '2026-11-19' };
  const { tradeDateList } = await payload(bare.backend, metadata.getTradingDays, months);
  await bare.backend.stop();
  days = tradeDateList.map(({ time }) => time.slice(0, 10));
  folder = await mkdtemp(join(tmpdir(), 'gaps-'));
  const bars = (of: readonly string[]) =>
    ['time,open,high,low,close,volume', ...of.map((day, i) => `${day},${500 + i},${503 + i},${499 + i},${501 + i},${1_000 + i}`)].join(
      '\n',
    );
  await writeFile(join(folder, 'HK.00700.csv'), bars([...days.slice(0, -GAP[1]), ...days.slice(-GAP[0])]));
  await writeFile(join(folder, 'HK.00005.csv'), bars(days.slice(-KNOWN_OF_HSBC)));
  fixture = await startFixture({ calendarMode: 'calendar', dataFolder: folder });
});
afterAll(async () => {
  await fixture.backend.stop();
  await rm(folder, { recursive: true });
});

const TENCENT = security('HK.00700');
const HSBC = security('HK.00005');

it('days that were left out are suspensions, and those before the first bar are not', async () => {
  const request = { securityList: [TENCENT, HSBC], beginTime: '2026-08-03', endTime: '2026-11-19' };
  const { SecuritySuspendList: list } = await payload(fixture.backend, metadata.getSuspend, request);
  expect(list.map(({ suspendList }) => suspendList.map(({ time }) => time))).toEqual([days.slice(-GAP[1], -GAP[0]), []]);
});

it('the first bar of every period counts from its own open', async () => {
  for (const klType of [2, 3, 4]) {
    const request = { security: HSBC, klType, rehabType: 0, reqNum: 100 };
    const [first] = (await payload(fixture.backend, quote.getKline, request)).klList;
    expect(first).toMatchObject({ openPrice: 500, lastClosePrice: 500 });
  }
});

it('changes over days with a gap among them are the same in rankings, screens and K-lines', async () => {
  const counted = [5, 10, 20, 60];
  const accumulateFilterList = counted.map((count) => ({ fieldName: 1, days: count, isNoFilter: true }));
  const screened = await payload(fixture.backend, metadata.getStockFilter, { market: 1, begin: 0, num: 200, accumulateFilterList });
  const ranked = await payload(fixture.backend, ranking.getPeriodChangeRank, { market: 1, periodType: 2, count: 200 });
  const rows = [screened, ranked].map(({ dataList }) => dataList.find(({ security: one }) => one?.code === '00700')!);
  const [ofScreen, ofRank] = rows as [(typeof screened.dataList)[number], (typeof ranked.dataList)[number]];
  const { klList } = await payload(fixture.backend, quote.getKline, { security: TENCENT, klType: 2, rehabType: 1, reqNum: 100 });
  for (const [i, count] of counted.entries()) {
    const then = klList.findLast(({ time }) => time.slice(0, 10) <= days.at(-count)!)!.closePrice;
    const change = (100 * (ofRank.curPrice - then)) / then;
    const { [i]: told } = [ofRank.changeRate5D, ofRank.changeRate10D, ofRank.changeRate20D, ofRank.changeRate60D];
    expect(told).toBeCloseTo(change, 2);
    expect(ofScreen.accumulateDataList.find(({ days: over }) => over === count)?.value).toBeCloseTo(change, 2);
  }
});
