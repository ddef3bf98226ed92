import { ManualClock } from '@svc-gateway/contract/clock';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import { calendar, metadata, quote, research } from '@svc-gateway/contract/operations';
import { requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, type Fixture, payload, security, startFixture } from '../../../../../test/support/sim-backend.js';

/** Worlds of several seeds, each on a day of its own. */
const worlds = [
  { seed: 'a', at: Date.UTC(2026, 10, 20, 2, 30) },
  { seed: 'b', at: Date.UTC(2024, 1, 14, 16) },
  { seed: 'c', at: Date.UTC(2029, 7, 29, 7) },
] as const;
/**
 * Semi-annual and quarterly reporters, one whose fiscal year ends in another month, shares abroad, a trust, and shares of several
 * classes.
 */
const symbols = [
  'HK.00700',
  'HK.09988',
  'US.BABA',
  'US.AAPL',
  'US.NVDA',
  'SH.600519',
  'JP.7203',
  'US.BRK.A',
  'HK.00823',
  'SG.D05',
] as const;

const fixtures: Fixture[] = [];
beforeAll(async () => {
  for (const { seed, at } of worlds) fixtures.push(await startFixture({ seed, calendarMode: 'calendar', clock: new ManualClock(at) }));
});
afterAll(() => Promise.all(fixtures.map(({ backend }) => backend.stop())));

const anySubject = fc.tuple(fc.nat(worlds.length - 1), fc.constantFrom(...symbols));
const everyCase = (check: (fixture: Fixture, symbol: string) => Promise<void>, numRuns = 15) =>
  fc.assert(
    fc.asyncProperty(anySubject, ([world, symbol]) => check(fixtures[world]!, symbol)),
    { numRuns },
  );

type Fields = Readonly<Record<string, unknown>>;
const INCOME = 1;
const SHEET = 2;
const CASH_FLOW = 3;
const MAIN_INDEX = 4;
const [QUARTERLY, ANNUAL, CUMULATIVE] = [9, 7, 11];

/** Reports of a statement, newest first, each with its lines by name. */
async function statements({ backend }: Fixture, symbol: string, statementType: number, fields: Fields = {}) {
  const { structureList, reportList } = await payload(backend, research.getFinancialsStatements, {
    security: security(symbol),
    ...{ statementType, num: 50, financialType: QUARTERLY },
    ...fields,
  });
  const names = new Map(structureList.map(({ fieldId, displayName }) => [fieldId, displayName]));
  return reportList.map((report) => ({
    ...report,
    lines: Object.fromEntries(report.itemList.map((item) => [names.get(item.fieldId)!, item])),
  }));
}
const of = ({ lines }: Awaited<ReturnType<typeof statements>>[number], name: string) => lines[name]!.data;
const near = (value: number, expected: number, places = 0) => expect(value).toBeCloseTo(expected, places);

describe('statements', () => {
  test('the sheet balances, and the flow explains the change of its cash', () =>
    everyCase(async (fixture, symbol) => {
      const sheets = await statements(fixture, symbol, SHEET);
      const flows = await statements(fixture, symbol, CASH_FLOW);
      expect(sheets.length).toBeGreaterThan(3);
      expect(flows.map(({ periodText }) => periodText)).toEqual(sheets.map(({ periodText }) => periodText));
      for (const [index, sheet] of sheets.entries()) {
        expect(of(sheet, 'Total assets')).toBe(of(sheet, 'Total liabilities') + of(sheet, 'Shareholders’ equity'));
        expect(of(sheet, 'Total assets')).toBe(
          of(sheet, 'Current assets') + of(sheet, 'Property, plant and equipment') + of(sheet, 'Investments'),
        );
        const before = sheets[index + 1];
        const flow = flows[index]!;
        const parts = ['operating', 'investing', 'financing'].map((one) => of(flow, `Cash from ${one} activities`));
        expect(of(flow, 'Net change in cash')).toBe(parts.reduce((sum, part) => sum + part, 0));
        if (before === undefined) continue;
        const cash = 'Cash and cash equivalents';
        expect(of(flow, 'Net change in cash')).toBe(of(sheet, cash) - of(before, cash));
      }
    }));

  test('quarters add up to years and to what a year comes to so far', () =>
    everyCase(async (fixture, symbol) => {
      for (const type of [INCOME, CASH_FLOW]) {
        const quarters = await statements(fixture, symbol, type);
        for (const financialType of [ANNUAL, CUMULATIVE]) {
          for (const report of await statements(fixture, symbol, type, { financialType, num: 8 })) {
            const count = { 1: 1, 5: 2, 6: 3, 7: 4 }[report.financialType as 1 | 5 | 6 | 7];
            const parts = quarters.filter(({ fiscalYear, financialType: place }) => fiscalYear === report.fiscalYear && place <= count);
            if (parts.length < count) continue;
            for (const [name, { data, fieldId }] of Object.entries(report.lines)) {
              if (fieldId % 1000n >= 50n) continue;
              expect([report.periodText, name, data]).toEqual([
                report.periodText,
                name,
                parts.reduce((sum, part) => sum + of(part, name), 0),
              ]);
            }
          }
        }
      }
    }));

  test('figures for a share are the totals over the shares of the day, and growth is against the same period of the year before', () =>
    everyCase(async (fixture, symbol) => {
      const incomes = await statements(fixture, symbol, INCOME);
      const indices = await statements(fixture, symbol, MAIN_INDEX);
      const { companies, world } = fixture.simulation;
      const instrument = world.instrument(symbol)!;
      const company = companies.company(instrument);
      const ordinary = company.issuer.classes.find((one) => one.instrument === instrument)!.ordinary;
      for (const [index, report] of incomes.entries()) {
        const quarter = company.profile.fiscal.lastOf(report.fiscalYear) - 4 + report.financialType;
        const shares = Number(company.ordinaryShares(company.published(quarter) - 1)) / ordinary;
        const earnings = of(report, 'Basic earnings per share');
        expect(earnings / (of(report, 'Net income') / shares)).toBeCloseTo(1, 6);
        expect(of(indices[index]!, 'Basic earnings per share')).toBe(earnings);
        near(of(indices[index]!, 'Net margin'), (100 * of(report, 'Net income')) / of(report, 'Revenue'), 2);
        const before = incomes[index + 4];
        if (before === undefined) continue;
        const growth = (100 * (of(report, 'Revenue') - of(before, 'Revenue'))) / of(before, 'Revenue');
        near(report.lines.Revenue!.yoy, growth, 2);
      }
    }));

  test('their earnings are those of the earnings calendar', async () => {
    const [fixture] = fixtures;
    const { itemList } = await payload(fixture!.backend, calendar.getEarningsCalendar, {
      market: 11,
      beginDate: '2026-11-16',
      endDate: '2026-11-20',
    });
    let compared = 0;
    for (const { security: one, estimateList, periodText } of itemList) {
      const actual = estimateList.find(({ estimateType, periodType }) => estimateType === 1 && periodType === 1)?.actualValue;
      if (!actual) continue;
      const [report] = await statements(fixture!, `US.${one!.code}`, INCOME, { num: 1 });
      expect(report!.periodText.replace('/', '')).toBe(periodText);
      near(of(report!, 'Basic earnings per share'), actual, 6);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(2);
  });

  test('a restated year shows other heads than first reported, once the next one is out, and the same earnings', () => {
    const [{ simulation }] = fixtures as [Fixture];
    const { companies, world } = simulation;
    const restated = world
      .instruments({ kind: 'equity' })
      .slice(0, 60)
      .flatMap((instrument) => {
        const company = companies.company(instrument);
        const last = company.lastPublished(requireDay('2026-11-20'));
        return company.restatement(last - 4) === undefined ? [] : [{ symbol: instrument.symbol, quarter: last - 4, company }];
      });
    expect(restated.length).toBeGreaterThan(0);
    return Promise.all(
      restated.map(async ({ symbol, quarter, company }) => {
        const reports = await statements(fixtures[0]!, symbol, INCOME, { num: 12 });
        const report = reports.find(({ fiscalYear, financialType }) => {
          const { fiscal } = company.profile;
          return fiscalYear === fiscal.fiscalYearOf(quarter) && financialType === fiscal.numberOf(quarter);
        })!;
        const first = company.reported(quarter, company.published(quarter))!.income;
        expect(of(report, 'Net income')).toBe(Number(first.netIncome));
        expect(of(report, 'Gross profit')).toBe(Number(company.accounts.income(quarter).grossProfit));
        expect(of(report, 'Gross profit')).not.toBe(Number(first.grossProfit));
      }),
    );
  });

  test('pages follow one another, also while reports are added; other currencies keep every sum', async () => {
    const [fixture] = fixtures as [Fixture];
    const one = { security: security('HK.00700'), num: 7 };
    const texts: string[] = [];
    for (let nextKey = ''; nextKey !== '-1'; ) {
      const page = await payload(fixture.backend, research.getFinancialsStatements, { ...one, nextKey });
      texts.push(...page.reportList.map(({ periodText }) => periodText));
      nextKey = page.nextKey;
    }
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.length).toBeGreaterThan(50);
    const whole = await payload(fixture.backend, research.getFinancialsStatements, { ...one, num: 50 });
    expect(whole.reportList.map(({ periodText }) => periodText)).toEqual(texts.slice(0, 50));
    const [own] = await statements(fixture, 'HK.00700', SHEET, { num: 1 });
    const [dollars] = await statements(fixture, 'HK.00700', SHEET, { num: 1, currencyCode: 'usd' });
    expect([own!.currencyCode, dollars!.currencyCode]).toEqual(['HKD', 'USD']);
    const rate = of(own!, 'Total assets') / of(dollars!, 'Total assets');
    expect(rate).toBeGreaterThan(7);
    near(of(dollars!, 'Debt') * rate, of(own!, 'Debt'), -3);
    near(of(dollars!, 'Total assets'), of(dollars!, 'Total liabilities') + of(dollars!, 'Shareholders’ equity'), 2);
  });

  test.each([
    [{ nextKey: '-1' }, /^next_key "-1": nothing follows/],
    [{ nextKey: 'nonsense' }, /^next_key "nonsense": expected/],
    [{ currencyCode: 'XAU' }, /^currency_code: unknown "XAU"; accepted: CNY, USD/],
    [{ num: 51 }, /^num: 51 is out of range/],
    [{ num: 0 }, /^num: 0 is out of range/],
    [{ security: security('HK.800000') }, /^HK\.800000 is an? .*index.*: only shares of companies/],
  ])('%j is refused by name', async (fields, message) => {
    const request = { security: security('HK.00700'), ...fields };
    expect(await call(fixtures[0]!.backend, research.getFinancialsStatements, request)).toMatchObject({
      retType: -1,
      retMsg: expect.stringMatching(message),
    });
  });
});

describe('revenue and staff', () => {
  test('segments add up to the revenue of every period', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const { screenDateList } = await payload(fixture.backend, research.getFinancialsRevenueBreakdown, one);
      const incomes = await statements(fixture, symbol, INCOME, { financialType: 10 });
      expect(screenDateList.length).toBeGreaterThan(4);
      for (const { date, financialType, periodText } of screenDateList.slice(0, 6)) {
        const { period, breakdownList } = await payload(fixture.backend, research.getFinancialsRevenueBreakdown, {
          ...one,
          date,
          financialType,
        });
        expect(period).toBe(periodText);
        const revenue = of(incomes.find((report) => report.periodText === period)!, 'Revenue');
        expect(breakdownList.map(({ type }) => type)).toEqual([8, 4]);
        for (const { itemList } of breakdownList) {
          expect(itemList.reduce((sum, { mainOperIncome }) => sum + mainOperIncome, 0)).toBe(revenue);
          near(
            itemList.reduce((sum, { ratio }) => sum + ratio, 0),
            100,
            1,
          );
        }
      }
    }));

  test('efficiency is the statements over the employees', () =>
    everyCase(async (fixture, symbol) => {
      const request = { security: security(symbol), num: 6 };
      const { itemList, currencyCode } = await payload(fixture.backend, research.getCompanyOperationalEfficiency, request);
      const incomes = await statements(fixture, symbol, INCOME, { financialType: 10 });
      for (const [index, item] of itemList.entries()) {
        const report = incomes[index]!;
        expect([item.periodText, currencyCode]).toEqual([report.periodText, report.currencyCode]);
        const heads = Number(item.employeeNum);
        expect(heads).toBeGreaterThan(0);
        near(item.incomePerCapita, of(report, 'Revenue') / heads, 4);
        near(item.profitPerCapita, of(report, 'Operating income') / heads, 4);
        near(item.netProfitPerCapita, of(report, 'Net income') / heads, 4);
      }
    }));

  test('executives have a career that leads to their post, and the profile names them', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const { directorList } = await payload(fixture.backend, research.getCompanyExecutives, one);
      const { itemList } = await payload(fixture.backend, research.getCompanyProfile, one);
      expect(directorList.length).toBe(5);
      for (const { leaderName, positionName, beginDateStr, annualSalary } of directorList) {
        expect(itemList).toContainEqual(expect.objectContaining({ name: positionName, value: leaderName }));
        const { briefBackground } = await payload(fixture.backend, research.getCompanyExecutiveBackground, { ...one, leaderName });
        expect(briefBackground).toContain(`Since ${beginDateStr.slice(0, 7)} ${positionName} of`);
        expect(Number(annualSalary)).toBeGreaterThan(0);
      }
      const unknown = await call(fixture.backend, research.getCompanyExecutiveBackground, { ...one, leaderName: 'Nobody' });
      expect(unknown).toMatchObject({ retType: -1, retMsg: expect.stringContaining(directorList[0]!.leaderName) });
    }));
});

describe('prices around results', () => {
  test('are those of forward adjusted K-lines, and the two answers tell the same', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const { detailList: moves } = await payload(fixture.backend, research.getFinancialsEarningsPriceMove, { ...one, periodCount: 3 });
      const { detailList: history } = await payload(fixture.backend, research.getFinancialsEarningsPriceHistory, one);
      expect(moves.length).toBe(3);
      expect(history.map(({ isCurrent }) => isCurrent).indexOf(true)).toBe(0);
      for (const [index, { itemList, priceInfoIndex, pubTradingDayStr, periodText }] of moves.entries()) {
        const row = history[index]!;
        expect([row.periodText, row.pubTradingDayStr]).toEqual([periodText, pubTradingDayStr]);
        const days = itemList.map(({ tradingDayStr }) => tradingDayStr);
        expect(days).toEqual([...days].sort());
        const own = itemList[priceInfoIndex];
        if (own === undefined) continue;
        expect(own.tradingDayStr).toBe(pubTradingDayStr);
        expect(row.priceInfo).toMatchObject({ closePrice: own.closePrice, openPrice: own.openPrice, lastClosePrice: own.lastClosePrice });
        for (const { delta, closePrice } of row.scheduleInfoList) expect(itemList[priceInfoIndex + delta]!.closePrice).toBe(closePrice);
        const range = { beginTime: days[0]!, endTime: days.at(-1)!, klType: 2, rehabType: 1 };
        const { klList } = await payload(fixture.backend, quote.getHistoryKline, { ...one, ...range });
        const bars = klList.map(({ time, closePrice, highPrice }) => [time.slice(0, 10), closePrice, highPrice]);
        expect(itemList.map(({ tradingDayStr, closePrice, highestPrice }) => [tradingDayStr, closePrice, highestPrice])).toEqual(bars);
        expect(own.optionHV).toBeGreaterThan(0);
      }
    }, 6));
});

describe('ratings', () => {
  test('the consensus is what each broker said last within three months', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol), num: 20 };
      const consensus = await payload(fixture.backend, research.getResearchAnalystConsensus, one);
      const { instRatingSummaryList: brokers } = await payload(fixture.backend, research.getResearchRatingSummary, one);
      const { analystRatingSummaryList: analysts } = await payload(fixture.backend, research.getResearchRatingSummary, {
        ...one,
        ratingDimensionType: 2,
      });
      const today = fixture.clock.now() / 1000;
      const latest = brokers
        .map(({ ratingItemList }) => ratingItemList[0]!)
        .filter(({ recommendationDate }) => Number(recommendationDate) > today - 91.5 * 86_400);
      expect(Math.abs(consensus.total - latest.length)).toBeLessThanOrEqual(1);
      expect(analysts.map(({ ratingItemList }) => ratingItemList)).toEqual(brokers.map(({ ratingItemList }) => ratingItemList));
      for (const { analystInfo } of analysts) expect(analystInfo!.institutionInfo!.institutionName).not.toBe('');
      if (consensus.total === 0) return;
      const targets = latest.map(({ targetPrice }) => targetPrice);
      expect(targets).toContain(consensus.highest);
      expect(targets).toContain(consensus.lowest);
      const parts = [consensus.buy, consensus.hold, consensus.sell, consensus.strongBuy, consensus.underperform];
      near(
        parts.reduce((sum, part) => sum + part, 0),
        100,
        1,
      );
      const [{ institutionInfo }] = brokers as [(typeof brokers)[number]];
      const uid = institutionInfo!.institutionUid;
      const { instRatingDetail } = await payload(fixture.backend, research.getResearchRatingSummary, { ...one, uid });
      expect(instRatingDetail!.ratingItemList).toEqual(brokers[0]!.ratingItemList);
      expect(instRatingDetail!.analystInfoList[0]!.institutionInfo).toBeUndefined();
    }));

  test('stars compare the price with the fair value, which is below the mean target by a year’s cost of equity', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const report = await payload(fixture.backend, research.getResearchMorningstarReport, one);
      const { snapshotList } = await payload(fixture.backend, quote.getSnapshot, { securityList: [one.security] });
      const price = snapshotList[0]!.basic!.curPrice;
      expect(report.starRating).toBeGreaterThanOrEqual(1);
      if (price < report.fairValue * 0.9) expect(report.starRating).toBeGreaterThanOrEqual(3);
      if (price > report.fairValue * 1.1) expect(report.starRating).toBeLessThanOrEqual(3);
      expect(report.valuationContent!.context).toContain(price < report.fairValue ? 'below' : 'above');
    }));

  test('pages name a uid that there is not', async () => {
    const request = { security: security('US.AAPL'), uid: '1' };
    expect(await call(fixtures[0]!.backend, research.getResearchRatingSummary, request)).toMatchObject({
      retMsg: expect.stringMatching(/^uid: nobody with "1"/),
    });
  });
});

describe('valuations', () => {
  test('are the snapshot’s now, and the price-earnings ratio of K-lines in the past', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const detail = (valuationType: number) =>
        payload(fixture.backend, research.getValuationDetail, { ...one, valuationType, intervalType: 1 });
      const [pe, pb, ps] = [await detail(1), await detail(2), await detail(3)];
      const { snapshotList } = await payload(fixture.backend, quote.getSnapshot, { securityList: [one.security] });
      const { equityExData } = snapshotList[0]!;
      if (equityExData !== undefined) {
        expect(pe.trend!.currentValue).toBe(equityExData.peTTMRate);
        expect(pb.trend!.currentValue).toBe(equityExData.pbRate);
      }
      expect(ps.trend!.currentValue).toBeGreaterThan(0);
      const { klList } = await payload(fixture.backend, quote.getKline, { ...one, klType: 2, rehabType: 0, reqNum: 40 });
      const past = new Map(pe.trend!.historicalItems.map(({ timeStr, value }) => [timeStr, value]));
      const shown = klList.filter(({ time, pe: ratio }) => ratio > 0 && past.has(time.slice(0, 10)));
      if (pe.trend!.currentValue > 0) expect(shown.length).toBeGreaterThan(20);
      for (const { time, pe: ratio } of shown) near(past.get(time.slice(0, 10))!, ratio, 2);
      expect(pe.plateDistribution!.stockItems.some(({ security: item }) => item!.code === one.security.code) || symbol === 'HK.00823').toBe(
        true,
      );
    }, 8));

  test('of a plate are its members’, sorted and paged', async () => {
    const [fixture] = fixtures as [Fixture];
    const plate = { market: 11, code: 'LIST1001' };
    const { staticInfoList } = await payload(fixture.backend, metadata.getPlateSecurity, { plate });
    const items = [];
    for (let nextKey = ''; nextKey !== '-1'; ) {
      const page = await payload(fixture.backend, research.getValuationPlateStockList, {
        security: plate,
        valuationType: 2,
        sortId: 52,
        num: 2,
        nextKey,
      });
      expect(page.count).toBe(staticInfoList.length);
      items.push(...page.stockList);
      nextKey = page.nextKey;
    }
    const codes = (list: readonly { readonly code: string }[]) => list.map(({ code }) => code).sort();
    expect(codes(items.map(({ security: one }) => one!))).toEqual(codes(staticInfoList.map(({ basic }) => basic!.security!)));
    const values = items.map(({ valuationVal }) => valuationVal);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    const { snapshotList } = await payload(fixture.backend, quote.getSnapshot, { securityList: items.map(({ security: one }) => one!) });
    for (const [index, { equityExData }] of snapshotList.entries()) {
      expect([values[index], items[index]!.marketCap]).toEqual([equityExData!.pbRate, equityExData!.issuedMarketVal]);
    }
  });

  test('of an index are those of its market, of which a plate keeps its own', async () => {
    const [fixture] = fixtures as [Fixture];
    const index = security('HK.800000');
    const { count, plateList } = await payload(fixture.backend, research.getValuationPlateStockList, { security: index, num: 1 });
    for (const { security: plate } of plateList) {
      const members = await payload(fixture.backend, research.getValuationPlateStockList, { security: plate!, num: 1 });
      expect([plate!.code, members.count > 0]).toEqual([plate!.code, true]);
    }
    const [first] = plateList;
    const filtered = await payload(fixture.backend, research.getValuationPlateStockList, {
      security: index,
      filterSecurity: first!.security!,
      num: 50,
    });
    const own = await payload(fixture.backend, research.getValuationPlateStockList, { security: first!.security!, num: 50 });
    expect(filtered.stockList).toEqual(own.stockList);
    expect(count).toBeGreaterThan(filtered.count);
    const { trend, marketDistribution } = await payload(fixture.backend, research.getValuationDetail, { security: index });
    expect(trend!.historicalItems.length).toBeGreaterThan(5);
    expect(marketDistribution!.sections.reduce((sum, { number }) => sum + number, 0)).toBe(marketDistribution!.total);
  });

  test.each([
    [research.getValuationPlateStockList, { security: security('HK.00700') }, /^security: HK\.00700 is .*; expected a plate or an index$/],
    [
      research.getValuationPlateStockList,
      { security: security('HK.800000'), filterSecurity: security('HK.00700') },
      /^filter_security: HK\.00700 is no plate/,
    ],
    [research.getValuationDetail, { security: security('HK.02800') }, /^HK\.02800 is .*: only shares of companies, plates and indices/],
  ] as const)('instruments without valuations are refused by name', async (operation, fields, message) => {
    expect(await call<ProtocolMessages>(fixtures[0]!.backend, operation, fields)).toMatchObject({
      retType: -1,
      retMsg: expect.stringMatching(message),
    });
  });
});
