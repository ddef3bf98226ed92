import { ManualClock } from '@svc-gateway/contract/clock';
import { metadata, quote, ranking } from '@svc-gateway/contract/operations';
import { describe, expect, test } from 'vitest';
import { ownBackend, security, sharedBackend } from '../../../../../test/support/sim-backend.js';

/** 11:00 in New York and midnight in Hong Kong, and an hour after the closing bell of that day. */
const OPEN_IN_NEW_YORK = Date.UTC(2026, 10, 20, 16);
const AFTER_HOURS = Date.UTC(2026, 10, 20, 22);

const simulated = sharedBackend({ calendarMode: 'calendar', clock: new ManualClock(OPEN_IN_NEW_YORK) });

interface Named {
  readonly security?: { readonly market: number; readonly code: string } | undefined;
}

/** Snapshots of the securities of a list, in its order: an independent view of the same world. */
async function snapshots(items: readonly Named[], { payload } = simulated) {
  const securityList = items.map(({ security: one }) => one!);
  return (await payload(quote.getSnapshot, { securityList })).snapshotList;
}

function descending(values: readonly (number | bigint)[]): boolean {
  return values.every((value, index) => index === 0 || value <= values[index - 1]!);
}

const percent = (part: number, whole: number) => Math.round((part / whole) * 100_000) / 1000;
const range = (min: number, max: number) => ({ filterMin: { value: min, includes: true }, filterMax: { value: max, includes: false } });

describe('period changes', () => {
  test('the order of the day is that of the snapshots, from the greatest gain down and from the greatest loss up', async () => {
    const request = { market: 11, periodType: 2, count: 200 };
    const { dataList, allCount } = await simulated.payload(ranking.getPeriodChangeRank, request);
    expect(dataList.length).toBe(Math.min(200, allCount));
    expect(dataList.length).toBeGreaterThan(100);
    const shown = await snapshots(dataList);
    const changes = shown.map(({ basic }) => percent(basic!.curPrice - basic!.lastClosePrice, basic!.lastClosePrice));
    for (const [i, item] of dataList.entries()) {
      expect(item.changeRatio).toBeCloseTo(changes[i]!, 2);
      expect(item).toMatchObject({
        curPrice: shown[i]!.basic!.curPrice,
        turnover: shown[i]!.basic!.turnover,
        volume: shown[i]!.basic!.volume,
        turnoverRatio: shown[i]!.basic!.turnoverRate,
        amplitude: shown[i]!.basic!.amplitude,
        marketCap: shown[i]!.equityExData!.issuedMarketVal,
        peTTM: shown[i]!.equityExData!.peTTMRate,
        pb: shown[i]!.equityExData!.pbRate,
      });
    }
    expect(descending(dataList.map(({ changeRatio }) => changeRatio))).toBe(true);
    const { dataList: reversed } = await simulated.payload(ranking.getPeriodChangeRank, { ...request, sortDir: 1 });
    expect(descending(reversed.map(({ changeRatio }) => -changeRatio))).toBe(true);
    expect(new Set(reversed.map(({ security: one }) => one!.code))).toEqual(new Set(dataList.map(({ security: one }) => one!.code)));
  });

  test('changes over days are those of forward adjusted K-lines, and pages follow one another', async () => {
    const { dataList } = await simulated.payload(ranking.getPeriodChangeRank, { market: 11, periodType: 5, count: 12 });
    for (const item of dataList) {
      const one = { security: item.security!, klType: 2, rehabType: 1, reqNum: 260 };
      const bars = (await simulated.payload(quote.getKline, one)).klList;
      // Later listings have no such change.
      const since = (bar: (typeof bars)[number] | undefined) =>
        bar === undefined ? undefined : percent(item.curPrice - bar.closePrice, bar.closePrice);
      const changes = [item.changeRate5D, item.changeRate20D, item.changeRate60D, item.changeRate250D, item.changeRateYTD];
      const then = [...[5, 20, 60, 250].map((days) => bars.at(-1 - days)), bars.findLast(({ time }) => time < '2026')].map(since);
      for (const [index, change] of changes.entries()) {
        if (then[index] === undefined) expect(change).toBeFalsy();
        else expect(change).toBeCloseTo(then[index], 1);
      }
    }
    expect(descending(dataList.map(({ changeRate60D }) => changeRate60D))).toBe(true);
    const page = await simulated.payload(ranking.getPeriodChangeRank, { market: 11, periodType: 5, offset: 5, count: 7 });
    expect(page.dataList).toEqual(dataList.slice(5));
  });

  test('are those of the minute: the same throughout it, and those of the market in the next', async () => {
    const clock = new ManualClock(OPEN_IN_NEW_YORK);
    const at = await ownBackend({ calendarMode: 'calendar', clock });
    const ranked = async () => (await at.payload(ranking.getPeriodChangeRank, { market: 11, periodType: 2, count: 50 })).dataList;
    const prices = async (items: readonly Named[]) => (await snapshots(items, at)).map(({ basic }) => basic!.curPrice);
    const first = await ranked();
    await clock.advance(50_000);
    expect(await ranked()).toEqual(first);
    await clock.advance(20_000);
    const next = await ranked();
    expect(next.map(({ curPrice }) => curPrice)).not.toEqual(first.map(({ curPrice }) => curPrice));
    expect(next.map(({ curPrice }) => curPrice)).toEqual(await prices(next));
  });

  test.each([
    ['before the opening', Date.UTC(2026, 10, 20, 13)],
    ['on a Sunday', Date.UTC(2026, 10, 22, 16)],
  ])('%s they are those of the stock filter, and its day is that of the snapshots', async (_, time) => {
    const at = await ownBackend({ calendarMode: 'calendar', clock: new ManualClock(time) });
    const accumulateFilterList = [1, 5, 20].flatMap((days) => [1, 3].map((fieldName) => ({ fieldName, days, isNoFilter: true })));
    const screened = await at.payload(metadata.getStockFilter, { market: 11, begin: 0, num: 200, accumulateFilterList });
    const ranked = await at.payload(ranking.getPeriodChangeRank, { market: 11, periodType: 2, count: 200 });
    const rows = new Map(ranked.dataList.map((item) => [item.security!.code, item]));
    expect(screened.dataList.length).toBeGreaterThan(100);
    for (const { security: one, accumulateDataList } of screened.dataList) {
      const row = rows.get(one!.code)!;
      const [change, volume, change5, , change20] = accumulateDataList.map(({ value }) => value);
      expect(volume).toBe(Number(row.volume));
      expect(change).toBeCloseTo(row.changeRatio, 2);
      expect(change5).toBeCloseTo(row.changeRate5D, 2);
      // Later listings have none.
      expect(change20 ?? 0).toBeCloseTo(row.changeRate20D, 2);
    }
  });

  test('conditions hold for every row, and no row that meets them is missing', async () => {
    const all = await simulated.payload(ranking.getPeriodChangeRank, { market: 11, count: 200 });
    const filterList = [
      { indicatorType: 1, indicatorValue: range(50, 200) },
      { indicatorType: 6, indicatorValue: range(0, 30) },
    ];
    const kept = await simulated.payload(ranking.getPeriodChangeRank, { market: 11, count: 200, filterList });
    const meets = all.dataList.filter(({ curPrice, peTTM }) => curPrice >= 50 && curPrice < 200 && peTTM >= 0 && peTTM < 30);
    expect(kept.dataList).toEqual(meets);
    expect(kept.allCount).toBe(meets.length);
    expect(meets.length).toBeGreaterThan(3);
  });
});

describe('extended hours', () => {
  test('before the opening: only what traded, in the order of the snapshots', async () => {
    const { dataList, allCount } = await simulated.payload(ranking.getUsPreMarketRank, { count: 200 });
    expect(allCount).toBeGreaterThan(20);
    const shown = await snapshots(dataList);
    for (const [i, { preMarketPrice, preMarketChangeRatio, preMarketVolume, closePrice }] of dataList.entries()) {
      const { preMarket, lastClosePrice } = shown[i]!.basic!;
      expect([preMarketPrice, preMarketChangeRatio, preMarketVolume]).toEqual([preMarket!.price, preMarket!.changeRate, preMarket!.volume]);
      expect(closePrice).toBe(lastClosePrice);
    }
    expect(descending(dataList.map(({ preMarketChangeRatio }) => preMarketChangeRatio))).toBe(true);
    expect(await simulated.payload(ranking.getUsAfterHoursRank, { count: 50 })).toMatchObject({ dataList: [], allCount: 0 });
    expect(await simulated.payload(ranking.getUsOvernightRank, { count: 50 })).toMatchObject({ dataList: [], allCount: 0 });
  });

  test('after the close: from that close', async () => {
    const evening = await ownBackend({ calendarMode: 'calendar', clock: new ManualClock(AFTER_HOURS) });
    const filterList = [{ indicatorType: 1, priceFilter: 4 }];
    const { dataList } = await evening.payload(ranking.getUsAfterHoursRank, { count: 200, sortDir: 1, filterList });
    expect(dataList.length).toBeGreaterThan(10);
    const shown = await snapshots(dataList, evening);
    for (const [i, item] of dataList.entries()) {
      const { afterMarket, curPrice } = shown[i]!.basic!;
      expect([item.afterHoursPrice, item.afterHoursChangeRatio, item.closePrice]).toEqual([
        afterMarket!.price,
        afterMarket!.changeRate,
        curPrice,
      ]);
      expect(item.afterHoursPrice).toBeGreaterThan(100);
    }
    expect(descending(dataList.map(({ afterHoursChangeRatio }) => -afterHoursChangeRatio))).toBe(true);
  });

  test('near the highest price of 52 weeks', async () => {
    const filterList = [{ indicatorType: 1, priceFilter: 5 }];
    const { dataList } = await simulated.payload(ranking.getUsPreMarketRank, { count: 200, filterList });
    const shown = await snapshots(dataList);
    for (const [i, { preMarketPrice }] of dataList.entries())
      expect(preMarketPrice / shown[i]!.basic!.highest52WeeksPrice).toBeGreaterThanOrEqual(0.95);
  });
});

describe('dividends', () => {
  test.each([1, 11, 31, 41, 61])('market %i: yields are those of the snapshots, highest first', async (market) => {
    const { dataList } = await simulated.payload(ranking.getDividendRank, { market, rankType: 1, count: 300 });
    expect(dataList.length).toBeGreaterThan(5);
    const shown = await snapshots(dataList);
    for (const [i, item] of dataList.entries()) {
      const { dividendTTM, dividendRatioTTM } = shown[i]!.equityExData!;
      expect([item.dividendsTTM, item.dividendYieldTTM]).toEqual([dividendTTM, dividendRatioTTM]);
      expect(Object.hasOwn(item, 'distributionFrequency')).toBe(market !== 1);
    }
    expect(descending(dataList.map(({ dividendYieldTTM }) => dividendYieldTTM))).toBe(true);
  });

  test('growth ranks by the years in which the dividend rose; frequency and payment date are conditions', async () => {
    const { dataList } = await simulated.payload(ranking.getDividendRank, { market: 11, rankType: 2, count: 300 });
    expect(descending(dataList.map(({ dividendGrowYear }) => dividendGrowYear))).toBe(true);
    for (const { dividendGrowYear } of dataList) expect(dividendGrowYear).toBeGreaterThan(0);
    const filterList = [
      { indicatorType: 3, indicatorValue: { valueList: [3n] } },
      { indicatorType: 7, indicatorValue: { valueInterval: range(0, 40) } },
    ];
    const soon = await simulated.payload(ranking.getDividendRank, { market: 11, rankType: 1, count: 300, filterList });
    expect(soon.dataList.length).toBeGreaterThan(0);
    for (const { distributionFrequency, nextPayableDate } of soon.dataList) {
      expect(distributionFrequency).toBe(3);
      expect(nextPayableDate >= '2026-11-20' && nextPayableDate < '2026-12-30').toBe(true);
    }
  });
});

test('earnings beats: better than expected, of the last thirty days, largest companies first', async () => {
  const { dataList } = await simulated.payload(ranking.getEarningsBeatRank, { market: 11, beatType: 1, count: 300 });
  expect(dataList.length).toBeGreaterThan(10);
  for (const item of dataList) {
    expect(item.actual).toBeGreaterThan(item.estimate);
    expect(item.releasedDate >= '2026-10-20' && item.releasedDate <= '2026-11-20').toBe(true);
    expect(item.beatRatio).toBeCloseTo(percent(item.actual - item.estimate, Math.abs(item.estimate)), 1);
    const news = simulated.simulation.companies.company(simulated.simulation.world.instrument(`US.${item.security!.code}`)!);
    expect(news.lastPublished(20_777)).toBeDefined();
  }
  expect(descending(dataList.map(({ marketCap }) => marketCap))).toBe(true);
  const annual = await simulated.payload(ranking.getEarningsBeatRank, {
    market: 1,
    beatType: 2,
    term: 3,
    count: 300,
    sortField: 1,
    filterList: [{ indicatorType: 1, indicatorValue: range(-1000, 1000) }],
  });
  expect(annual.dataList.length).toBeGreaterThan(10);
  for (const { term } of annual.dataList) expect(term).toMatch(/^\d{4}\/FY$/);
  expect(descending(annual.dataList.map(({ beatRatio }) => beatRatio))).toBe(true);
});

describe('short sales', () => {
  test.each([1, 11])('market %i: of the last complete day, and their sums agree with its bars', async (market) => {
    const { dataList, allCount } = await simulated.payload(ranking.getShortSellingRank, { market, sortField: 3, count: 35 });
    expect(dataList).toHaveLength(Math.min(35, allCount));
    for (const item of dataList.slice(0, 8)) {
      const bars = (await simulated.payload(quote.getKline, { security: item.security!, klType: 2, rehabType: 0, reqNum: 3 })).klList;
      const bar = bars.find(({ volume }) => volume === item.volume)!;
      expect([bar.closePrice, bar.changeRate]).toEqual([item.closePrice, item.changeRatio]);
      expect(item.shortNumber).toBeLessThan(Number(item.volume));
      expect(item.shortRatio).toBeCloseTo(percent(Number(item.shortNumber), Number(item.volume)), 2);
    }
    expect(descending(dataList.map(({ shortNumber }) => shortNumber))).toBe(true);
  });

  test('of an industry', async () => {
    const { simulation } = simulated;
    const [company] = simulation.world.listed({ market: 'US', kind: 'equity' });
    const plate = simulation.companies.company(company!).plates(20_777)[0]!;
    const { dataList } = await simulated.payload(ranking.getShortSellingRank, { plateList: [security(plate.symbol)], count: 35 });
    const members = simulation.world
      .listed({ market: 'US', kind: 'equity' })
      .filter((one) => simulation.companies.company(one).plates(20_777).includes(plate));
    expect(new Set(dataList.map(({ security: one }) => `US.${one!.code}`))).toEqual(new Set(members.map(({ symbol }) => symbol)));
  });
});

test('state-owned companies: below book value, with dividends of five percent and without losses, unless asked otherwise', async () => {
  const { dataList } = await simulated.payload(ranking.getHighDividendSoeRank, { count: 50 });
  expect(dataList.length).toBeGreaterThan(0);
  const shown = await snapshots(dataList);
  for (const [i, { pb, peTTM, dividendYieldTTM }] of dataList.entries()) {
    const { pbRate, peTTMRate, dividendRatioTTM } = shown[i]!.equityExData!;
    expect([pb, peTTM, dividendYieldTTM]).toEqual([pbRate, peTTMRate, dividendRatioTTM]);
    expect(pb <= 1 && peTTM >= 0 && dividendYieldTTM >= 5).toBe(true);
  }
  const wide = [{ indicatorType: 4, indicatorValue: { filterMin: { value: 0, includes: true } } }];
  const more = await simulated.payload(ranking.getHighDividendSoeRank, { filterList: wide, count: 200 });
  expect(more.allCount).toBeGreaterThan(dataList.length);
  expect(descending(more.dataList.map(({ marketCap }) => marketCap))).toBe(true);
});

test.each([
  [ranking.getPeriodChangeRank, { market: 21 }, 'unknown market 21; accepted: 1 (HK), 11 (US)'],
  [ranking.getPeriodChangeRank, { market: 11, periodType: 9 }, 'unknown period_type 9'],
  [ranking.getPeriodChangeRank, { market: 11, count: 201 }, 'count 201: expected 1 to 200'],
  [ranking.getPeriodChangeRank, { market: 11, offset: -1 }, 'offset -1: expected 0 or more'],
  [ranking.getPeriodChangeRank, { market: 11, filterList: [{ indicatorType: 11 }] }, 'filter_list[0].indicator_type: unknown 11'],
  [ranking.getPeriodChangeRank, { market: 11, filterList: [{ indicatorType: 1 }] }, 'filter_list[0].indicator_value: expected filter_min'],
  [
    ranking.getPeriodChangeRank,
    { market: 11, filterList: [{ indicatorType: 1, indicatorValue: range(2, 1) }] },
    'filter_min 2 is above filter_max 1',
  ],
  [ranking.getUsPreMarketRank, { filterList: [{ indicatorType: 1, priceFilter: 7 }] }, 'filter_list[0].price_filter: unknown 7'],
  [ranking.getDividendRank, { market: 11, rankType: 3 }, 'unknown rank_type 3'],
  [ranking.getDividendRank, { market: 11, rankType: 1, filterList: [{ indicatorType: 3 }] }, 'expected value_list'],
  [ranking.getEarningsBeatRank, { market: 11, beatType: 1, count: 301 }, 'count 301: expected 1 to 300'],
  [ranking.getShortSellingRank, { count: 36 }, 'count 36: expected 1 to 35'],
  [ranking.getShortSellingRank, { plateList: [{ market: 11, code: 'NONE' }] }, 'plate_list[0]: no plate US.NONE'],
  [ranking.getHighDividendSoeRank, { sortField: 7 }, 'unknown sort_field 7'],
] as const)('%# is refused with its reason', async (operation, request, text) => {
  expect(await simulated.refusal(operation, { count: 10, ...request })).toContain(text);
});

test('with the clock held open, extended hours are the exchange’s newest ones, and nothing after the moment counts', async () => {
  // 16:10 of a Friday in New York: before it were the night and the pre-market session, after-hours trading has begun.
  const open = await ownBackend({ clock: new ManualClock(Date.UTC(2026, 10, 20, 21, 10)) });
  const spans = [
    [ranking.getUsOvernightRank, 'overnightVolume', '2026-11-19 20:01:00', '2026-11-20 04:00:00'],
    [ranking.getUsPreMarketRank, 'preMarketVolume', '2026-11-20 04:01:00', '2026-11-20 09:30:00'],
    [ranking.getUsAfterHoursRank, 'afterHoursVolume', '2026-11-20 16:01:00', '2026-11-20 16:11:00'],
  ] as const;
  for (const [operation, volume, beginTime, endTime] of spans) {
    const { dataList } = await open.payload(operation as typeof ranking.getUsPreMarketRank, { count: 3 });
    expect(dataList).toHaveLength(3);
    for (const row of dataList) {
      const request = { security: row.security, klType: 1, rehabType: 0, beginTime, endTime };
      const { klList } = await open.payload(quote.getHistoryKline, request);
      const summed = klList.reduce((sum, bar) => sum + Number(bar.volume), 0);
      expect(Number((row as unknown as Record<string, bigint>)[volume])).toBe(summed);
    }
  }
});
