import { calendar, research } from '@svc-gateway/contract/operations';
import { requireDay } from '@svc-gateway/contract/time';
import { describe, expect, test } from 'vitest';
import { researchWorlds } from '../../../../../test/support/research-worlds.js';
import { type AskedBackend, security } from '../../../../../test/support/sim-backend.js';

const { fixtures, everyCase } = researchWorlds();

type Fields = Readonly<Record<string, unknown>>;
const INCOME = 1;
const SHEET = 2;
const CASH_FLOW = 3;
const MAIN_INDEX = 4;
const [QUARTERLY, ANNUAL, CUMULATIVE] = [9, 7, 11];

/** Reports of a statement, newest first, each with its lines by name. */
async function statements({ payload }: AskedBackend, symbol: string, statementType: number, fields: Fields = {}) {
  const { structureList, reportList } = await payload(research.getFinancialsStatements, {
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
    const [fixture] = fixtures as [AskedBackend];
    const { itemList } = await fixture.payload(calendar.getEarningsCalendar, {
      market: 11,
      beginDate: '2026-11-16',
      endDate: '2026-11-20',
    });
    let compared = 0;
    for (const { security: one, estimateList, periodText } of itemList) {
      const actual = estimateList.find(({ estimateType, periodType }) => estimateType === 1 && periodType === 1)?.actualValue;
      if (!actual) continue;
      const [report] = await statements(fixture, `US.${one!.code}`, INCOME, { num: 1 });
      expect(report!.periodText.replace('/', '')).toBe(periodText);
      near(of(report!, 'Basic earnings per share'), actual, 6);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(2);
  });

  test('a restated year shows other heads than first reported, once the next one is out, and the same earnings', () => {
    const [{ simulation }] = fixtures as [AskedBackend];
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
    const [fixture] = fixtures as [AskedBackend];
    const one = { security: security('HK.00700'), num: 7 };
    const texts: string[] = [];
    for (let nextKey = ''; nextKey !== '-1'; ) {
      const page = await fixture.payload(research.getFinancialsStatements, { ...one, nextKey });
      texts.push(...page.reportList.map(({ periodText }) => periodText));
      nextKey = page.nextKey;
    }
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.length).toBeGreaterThan(50);
    const whole = await fixture.payload(research.getFinancialsStatements, { ...one, num: 50 });
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
    expect(await fixtures[0]!.refusal(research.getFinancialsStatements, request)).toMatch(message);
  });
});

describe('revenue and staff', () => {
  test('segments add up to the revenue of every period', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const { screenDateList } = await fixture.payload(research.getFinancialsRevenueBreakdown, one);
      const incomes = await statements(fixture, symbol, INCOME, { financialType: 10 });
      expect(screenDateList.length).toBeGreaterThan(4);
      for (const { date, financialType, periodText } of screenDateList.slice(0, 6)) {
        const { period, breakdownList } = await fixture.payload(research.getFinancialsRevenueBreakdown, {
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
      const { itemList, currencyCode } = await fixture.payload(research.getCompanyOperationalEfficiency, request);
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
      const { directorList } = await fixture.payload(research.getCompanyExecutives, one);
      const { itemList } = await fixture.payload(research.getCompanyProfile, one);
      expect(directorList.length).toBe(5);
      for (const { leaderName, positionName, beginDateStr, annualSalary } of directorList) {
        expect(itemList).toContainEqual(expect.objectContaining({ name: positionName, value: leaderName }));
        const { briefBackground } = await fixture.payload(research.getCompanyExecutiveBackground, { ...one, leaderName });
        expect(briefBackground).toContain(`Since ${beginDateStr.slice(0, 7)} ${positionName} of`);
        expect(Number(annualSalary)).toBeGreaterThan(0);
      }
      const unknown = await fixture.refusal(research.getCompanyExecutiveBackground, { ...one, leaderName: 'Nobody' });
      expect(unknown).toContain(directorList[0]!.leaderName);
    }));
});
