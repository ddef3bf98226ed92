import { ManualClock } from '@svc-gateway/contract/clock';
import { calendar, derivatives, quote, system } from '@svc-gateway/contract/operations';
import { addDays, dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sharedBackend } from '../../../../../test/support/sim-backend.js';
import { Macro } from '../../macro/index.js';

const NOW = Date.UTC(2026, 10, 20, 16);
const TODAY = '2026-11-20';
const DAY_MS = 86_400_000;

const simulated = sharedBackend({ calendarMode: 'calendar', clock: new ManualClock(NOW) });

describe('dividends', () => {
  test('are those of the companies’ timelines that go ex on the day, announced by today', async () => {
    const { world, companies } = simulated.simulation;
    for (const [market, name] of [
      [1, 'HK'],
      [11, 'US'],
      [41, 'JP'],
    ] as const) {
      let found = 0;
      for (let back = -5; back < 60; back++) {
        const date = addDays(TODAY, -back);
        const { itemList, allCount } = await simulated.payload(calendar.getDividendCalendar, { market, date });
        expect(itemList).toHaveLength(allCount);
        found += allCount;
        const expected = world
          .listed({ market: name })
          .flatMap(({ symbol }) => companies.corporateActions(symbol, date, date).map((action) => ({ symbol, action })))
          .filter(({ action }) => action.kind === 'dividend' && action.announcedDay <= TODAY);
        expect(
          itemList
            .map(({ security, exDate, recordDate, dividendPayableDate }) => [security!.code, exDate, recordDate, dividendPayableDate])
            .sort(),
        ).toEqual(
          expected.map(({ symbol, action }) => [symbol.slice(symbol.indexOf('.') + 1), date, action.recordDay, action.payDay]).sort(),
        );
        for (const { statement } of itemList) expect(statement).toMatch(/^(Special dividend|Dividend): [A-Z]{3} [\d.]+ per (share|unit)$/);
      }
      expect(found).toBeGreaterThan(2);
    }
  });

  test('come in pages', async () => {
    for (let back = 0; ; back++) {
      const request = { market: 11, date: addDays(TODAY, -back) };
      const { itemList, allCount } = await simulated.payload(calendar.getDividendCalendar, request);
      if (allCount < 2) continue;
      const page = await simulated.payload(calendar.getDividendCalendar, { ...request, dataFrom: 1, count: 1 });
      expect(page).toMatchObject({ itemList: [itemList[1]], allCount });
      break;
    }
  });
});

describe('earnings', () => {
  test.each([1, 11, 21, 22, 31, 41])(
    'market %i: every day of a quarter, each report once, with actual figures as soon as it is out',
    async (market) => {
      const seen = new Map<string, number>();
      let reports = 0;
      for (let week = 0; week < 14; week++) {
        const beginDate = addDays(TODAY, 7 * (week - 9));
        const endDate = addDays(beginDate, 6);
        const { itemList } = await simulated.payload(calendar.getEarningsCalendar, { market, beginDate, endDate });
        for (const item of itemList) {
          expect(item.earningsDate >= beginDate && item.earningsDate <= endDate).toBe(true);
          const key = `${item.security!.code} ${item.periodText}`;
          seen.set(key, (seen.get(key) ?? 0) + 1);
          reports += 1;
          const isOut = item.earningsTimestamp * 1000 <= NOW;
          for (const estimate of item.estimateList) {
            expect(Object.hasOwn(estimate, 'actualValue')).toBe(isOut);
            expect(estimate.currency).toMatch(/^[A-Z]{3}$/);
            expect(estimate.currency).not.toBe('CNH');
          }
        }
      }
      expect(reports).toBeGreaterThan(3);
      expect([...seen.values()].every((times) => times === 1)).toBe(true);
    },
  );

  test('the newest report of a company is where its news says', async () => {
    const { companies, world } = simulated.simulation;
    const apple = world.instrument('US.AAPL')!;
    const company = companies.company(apple);
    const today = requireDay(TODAY);
    const published = company.published(company.lastPublished(today));
    const day = dayOfNumber(published);
    const { itemList } = await simulated.payload(calendar.getEarningsCalendar, { market: 11, beginDate: day });
    const item = itemList.find(({ security }) => security!.code === 'AAPL')!;
    const news = company.news(published, published).find(({ fact }) => fact.kind === 'results')!;
    expect(item.earningsTimestamp * 1000).toBe(news.time);
    const surprise = company.surprise(company.lastPublished(today), today)!;
    const [eps, revenue] = item.estimateList;
    expect(eps).toMatchObject({ estimateType: 1, actualValue: Number(surprise.actual.earningsPerShare) / 1e9, periodType: 1 });
    expect(eps!.predictValue).toBeCloseTo(Number(surprise.expected.earningsPerShare) / 1e9, 6);
    expect(revenue).toMatchObject({
      estimateType: 2,
      actualValue: Number(surprise.actual.revenue),
      predictValue: Number(surprise.expected.revenue),
    });
  });

  test('in order, and narrowed', async () => {
    const request = { market: 11, beginDate: '2026-10-29', endDate: '2026-11-04' };
    const all = (await simulated.payload(calendar.getEarningsCalendar, { ...request, sortType: 7 })).itemList;
    const caps = all.map(({ marketCap }) => marketCap);
    expect(caps).toEqual([...caps].sort((a, b) => b - a));
    const middle = caps[Math.floor(caps.length / 2)]!;
    const filterList = [{ indicatorType: 9, indicatorValue: { valueInterval: { filterMin: { value: middle, includes: true } } } }];
    const large = (await simulated.payload(calendar.getEarningsCalendar, { ...request, sortType: 7, filterList })).itemList;
    expect(large).toEqual(all.filter(({ marketCap }) => marketCap >= middle));
    const byType = [{ indicatorType: 1, indicatorValue: { valueList: [2n] } }];
    const after = (await simulated.payload(calendar.getEarningsCalendar, { ...request, sortType: 7, filterList: byType })).itemList;
    expect(after).toEqual(all.filter(({ pubType }) => pubType === 2));
  });
});

describe('the economy', () => {
  const economic = (fields: object) => simulated.payload(calendar.getEconomicCalendar, { count: 100, ...fields });

  test('pages give each event of the range exactly once, in order of time', async () => {
    const range = { beginDate: '2026-09-01', endDate: '2026-11-30' };
    const times: string[] = [];
    for (let nextPage = ''; ; ) {
      const page = await economic({ ...range, count: 17, nextPage });
      times.push(...page.itemList.map(({ timestamp, country, title }) => `${timestamp} ${country} ${title}`));
      if (!page.hasMore) break;
      nextPage = page.nextPage;
    }
    expect(times.length).toBeGreaterThan(100);
    expect(new Set(times).size).toBe(times.length);
    const stamps = times.map((text) => Number(text.split(' ')[0]));
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
    const high = await economic({ ...range, importance: 3, marketList: [11] });
    expect(high.itemList.length).toBeGreaterThan(15);
    for (const { star, country } of high.itemList) expect([star, country]).toEqual([3, 'United States']);
  });

  test('released figures have an actual value, which is the previous one of the next release; coming ones have none', async () => {
    const year = await economic({ beginDate: '2026-08-01', endDate: '2026-12-31', marketList: [11], importance: 3 });
    const last = new Map<string, string>();
    for (const { title, timestamp, actual, previous } of year.itemList) {
      expect(actual !== '').toBe(timestamp * 1000 <= NOW);
      const before = last.get(title);
      if (before !== undefined && before !== '') expect(previous).toBe(before);
      last.set(title, actual);
    }
    expect(last.has('CPI (YoY)') && last.has('Nonfarm Payrolls') && last.has('Fed Interest Rate Decision')).toBe(true);
  });

  test('the Federal Reserve decides what is nearest to the risk-free rate of the day', async () => {
    const { itemList } = await economic({ beginDate: '2026-01-01', endDate: '2026-11-19', marketList: [11], importance: 3 });
    const decisions = itemList.filter(({ title }) => title === 'Fed Interest Rate Decision');
    expect(decisions.length).toBeGreaterThan(5);
    for (const { actual, timestamp } of decisions) {
      const { usRatePct } = await simulated.payload(system.getRiskFreeRate, { rateTime: BigInt(timestamp * 1000) });
      expect(Math.abs(Number.parseFloat(actual) - usRatePct)).toBeLessThanOrEqual(0.13);
    }
  });

  test('payrolls come on the first Friday at 08:30 in New York', async () => {
    const { itemList } = await economic({ beginDate: '2026-10-01', endDate: '2026-10-31', marketList: [11] });
    const payrolls = itemList.filter(({ title }) => title === 'Nonfarm Payrolls');
    expect(payrolls.map(({ timestamp }) => timestamp * 1000)).toEqual([Date.UTC(2026, 9, 2, 12, 30)]);
  });

  test('a year’s inflation is what its twelve months make, whatever the seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 2000, max: 2040 }), (seed, year) => {
        const macro = new Macro(seed);
        const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 1, 28)];
        const events = macro.schedule(from, to, new Set(['US'])).map((event) => macro.event(event, to + DAY_MS));
        const monthly = events.filter(({ title }) => title === 'CPI (MoM)').map(({ actual }) => Number.parseFloat(actual!));
        const yearly = events.filter(({ title }) => title === 'CPI (YoY)').map(({ actual }) => Number.parseFloat(actual!));
        expect(monthly.length).toBe(yearly.length);
        for (let i = 11; i < yearly.length; i++) {
          const made = (monthly.slice(i - 11, i + 1).reduce((index, change) => index * (1 + change / 100), 1) - 1) * 100;
          // Each month is rounded to a tenth.
          expect(Math.abs(made - yearly[i]!)).toBeLessThan(0.7);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('volatilities of the shares of those that report', () => {
  const week = { market: 11, beginDate: '2026-11-17', endDate: '2026-11-23' };
  const earnings = async (fields: object = {}) => (await simulated.payload(calendar.getEarningsCalendar, { ...week, ...fields })).itemList;

  test('are those of their options at the money that end in about a month; what has no options has none', async () => {
    let compared = 0;
    for (const { security: owner, iv, ivRank, ivPercentile, price } of await earnings()) {
      const [beginTime, endTime] = ['2026-12-11', '2027-01-04'];
      const { optionChain } = await simulated.payload(derivatives.getOptionChain, { owner: owner!, beginTime, endTime });
      const [month] = optionChain;
      if (month === undefined) {
        expect([iv, ivRank, ivPercentile]).toEqual([0, 0, 0]);
        continue;
      }
      const distance = (option: (typeof month.option)[number]) => Math.abs(option.call!.optionExData!.strikePrice - price);
      const nearest = month.option.reduce((best, option) => (distance(option) < distance(best) ? option : best));
      const { snapshotList } = await simulated.payload(quote.getSnapshot, { securityList: [nearest.call!.basic!.security!] });
      const figures = snapshotList[0]!.optionExData!;
      // Its term and its strike are a little off.
      expect(Math.abs(figures.impliedVolatility / iv - 1)).toBeLessThan(0.12);
      for (const part of [ivRank, ivPercentile]) expect(part >= 0 && part <= 100).toBe(true);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(1);
  });

  test('sort and filter', async () => {
    const all = await earnings({ sortType: 4 });
    const some = all.filter(({ iv }) => iv > 0);
    expect(some.map(({ iv }) => iv)).toEqual(some.map(({ iv }) => iv).sort((a, b) => b - a));
    // Shares without options come last.
    expect(all.slice(0, some.length)).toEqual(some);
    for (const [indicatorType, figure] of [
      [6, 'iv'],
      [7, 'ivRank'],
      [8, 'ivPercentile'],
    ] as const) {
      const bound = some[Math.floor(some.length / 2)]![figure];
      const valueInterval = { filterMin: { value: bound, includes: true } };
      const kept = await earnings({ sortType: 4, filterList: [{ indicatorType, indicatorValue: { valueInterval } }] });
      expect(kept).toEqual(some.filter((item) => item[figure] >= bound));
    }
  });
});

test.each([
  [calendar.getDividendCalendar, { market: 21, date: TODAY }, 'unknown market 21'],
  [calendar.getDividendCalendar, { market: 1, date: '2026-02-30' }, 'date: expected a date as yyyy-MM-dd, found "2026-02-30"'],
  [calendar.getDividendCalendar, { market: 1, date: TODAY, count: 0 }, 'count 0: expected 1 to 1000'],
  [calendar.getDividendCalendar, { market: 1, date: TODAY, dataFrom: -1 }, 'data_from -1'],
  [calendar.getEarningsCalendar, { market: 61 }, 'unknown market 61'],
  [
    calendar.getEarningsCalendar,
    { market: 1, beginDate: TODAY, endDate: addDays(TODAY, 7) },
    'begin_date to end_date: at most 7 days, found 8',
  ],
  [calendar.getEarningsCalendar, { market: 1, beginDate: TODAY, endDate: addDays(TODAY, -1) }, 'begin_date is after end_date'],
  [calendar.getEarningsCalendar, { market: 1, sortType: 8 }, 'unknown sort_type 8'],
  [calendar.getEarningsCalendar, { market: 1, filterList: [{ indicatorType: 10 }] }, 'filter_list[0].indicator_type: unknown 10'],
  [calendar.getEarningsCalendar, { market: 1, filterList: [{ indicatorType: 4 }] }, 'no list of stocks'],
  [calendar.getEconomicCalendar, { beginDate: 'soon', count: 10 }, 'begin_date: expected a date'],
  [calendar.getEconomicCalendar, { beginDate: TODAY, count: 101 }, 'count 101: expected 1 to 100'],
  [calendar.getEconomicCalendar, { beginDate: TODAY, endDate: addDays(TODAY, 366), count: 10 }, 'at most 366 days'],
  [calendar.getEconomicCalendar, { beginDate: TODAY, count: 10, marketList: [11, 22] }, 'unknown market_list[1] 22'],
  [calendar.getEconomicCalendar, { beginDate: TODAY, count: 10, importance: 4 }, 'unknown importance 4'],
  [calendar.getEconomicCalendar, { beginDate: TODAY, count: 10, nextPage: 'abc' }, 'next_page: does not come from an earlier page'],
] as const)('%# is refused with its reason', async (operation, request, text) => {
  expect(await simulated.refusal(operation, request)).toContain(text);
});
