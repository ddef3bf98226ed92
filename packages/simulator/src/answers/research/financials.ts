import { DECIMAL_ONE, decimalToNumber } from '@svc-gateway/contract/decimal';
import { F10Type, FinancialStatementsType, RevenueBreakdownType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { research as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { secondsOf } from '../../view/listings.js';
import { given } from '../../view/messages.js';
import type { AnswerTo } from '../table.js';
import { changeRate, type Money, moneyIn, percentOf } from './money.js';
import { earlier, inSharesAt, type Line, linesOf, perShare, type StatementSums, statementSums } from './statements.js';
import { dated, ofCompany, type Period, pageOfPeriods, periodFields, periodsOf, quartersOf, type Subject } from './subject.js';

/** Accounting standard by home market. */
const standards: Readonly<Record<QuoteMarket, string>> = {
  US: 'US GAAP',
  HK: 'HKFRS',
  SH: 'CAS',
  SZ: 'CAS',
  JP: 'J-GAAP',
  SG: 'SFRS(I)',
  MY: 'MFRS',
  FX: '',
};

/** Qot_GetFinancialsStatements: a statement of each published period, newest first, with its growth over a year and, of single quarters, over the quarter before. */
export const getFinancialsStatements: AnswerTo<typeof declared.getFinancialsStatements> = ofCompany((facts, subject, request) => {
  const lines = linesOf.get(given(request, 'statementType') || FinancialStatementsType.FinancialStatementsType_Income);
  if (lines === undefined)
    return new Refusal(`statement_type: unknown ${request.statementType}; accepted: ${[...linesOf.keys()].join(', ')}`, 'broker.value');
  const money = moneyIn(facts, subject, request.currencyCode);
  if (money instanceof Refusal) return money;
  const asked = given(request, 'financialType') || F10Type.F10Type_QuarterlyAnnual;
  const periods = periodsOf(subject.company, subject.reported, asked);
  const page = pageOfPeriods(periods, request);
  if (page instanceof Refusal) return page;
  const reportList = page.items.map((period) => reportOf(subject, lines, money, period));
  const shown = new Set(reportList.flatMap(({ itemList }) => itemList.map(({ fieldId }) => fieldId)));
  return {
    structureList: lines.filter(({ id }) => shown.has(id)).map(({ id, name }) => ({ fieldId: id, displayName: name })),
    reportList,
    nextKey: page.next,
  };
});

function reportOf(subject: Subject, lines: readonly Line[], money: Money, period: Period) {
  const now = statementSums(subject, period);
  const yearBefore = earlier(subject, period, 4);
  const quarterBefore = period.quarters === 1 ? earlier(subject, period, 1) : undefined;
  return {
    ...dated(subject.listing, 'dateTime', period.endDay),
    ...periodFields(period),
    itemList: lines.flatMap((line) => itemOf(subject, line, money, now, yearBefore, quarterBefore)),
    currencyInfo: money.name,
    accountingStandards: standards[subject.company.issuer.home.market],
    // Years alone are audited.
    auditorReport: period.quarters === 4 ? 'Unqualified' : undefined,
    currencyCode: money.code,
  };
}

function itemOf(
  subject: Subject,
  line: Line,
  money: Money,
  now: StatementSums,
  yearBefore: StatementSums,
  quarterBefore: StatementSums | undefined,
) {
  const [value, data] = amountOf(subject, line, money, now, now);
  if (value === undefined || data === undefined) return [];
  const growth = (before: StatementSums | undefined) =>
    before === undefined ? undefined : changeRate(value, amountOf(subject, line, money, before, now)[0]);
  return [{ fieldId: line.id, data, yoy: growth(yearBefore), qoq: growth(quarterBefore) }];
}

/** Amount of a line, for comparison with another period and for display; per-share lines count shares as of `base`. */
function amountOf(
  subject: Subject,
  line: Line,
  money: Money,
  sums: StatementSums,
  base: StatementSums,
): readonly [compared: number | undefined, shown: number | undefined] {
  switch (line.kind) {
    case 'amount': {
      const amount = line.of(sums);
      return [Number(amount), money.whole(amount)];
    }
    case 'perShare': {
      const amount = inSharesAt(subject, perShare(subject, line.of(sums), sums), sums.period, base.period);
      return [decimalToNumber(amount), money.exact(amount)];
    }
    default: {
      const figure = line.of(sums);
      return [figure, figure];
    }
  }
}

/** The newest periods that may be chosen. */
const SCREEN_DATES_MAX = 60;

const dimensions = [
  ['business', RevenueBreakdownType.RevenueBreakdownType_Business],
  ['region', RevenueBreakdownType.RevenueBreakdownType_Region],
] as const;

/** Qot_GetFinancialsRevenueBreakdown: the revenue of one period by business and by region; the parts of each add up to it. */
export const getFinancialsRevenueBreakdown: AnswerTo<typeof declared.getFinancialsRevenueBreakdown> = ofCompany(
  (facts, subject, request) => {
    const money = moneyIn(facts, subject, request.currencyCode);
    if (money instanceof Refusal) return money;
    const date = given(request, 'date') || undefined;
    const type = given(request, 'financialType') || undefined;
    const periods = periodsOf(subject.company, subject.reported, type ?? F10Type.F10Type_QuarterlyAnnual);
    const period = periods.find(({ endDay }) => date === undefined || secondsOf(subject.listing, endDay) === date);
    if (period === undefined) return unknownPeriod(subject, date, periods);
    const isFirst = date === undefined && type === undefined;
    return {
      period: period.text,
      breakdownList: dimensions.map(([dimension, of]) => ({ type: of, itemList: partsOf(subject, period, dimension, money) })),
      currencyCode: money.code,
      screenDateList: periods.slice(0, isFirst ? SCREEN_DATES_MAX : 0).map(({ endDay, text, type: financialType }) => ({
        date: secondsOf(subject.listing, endDay),
        periodText: text,
        financialType,
      })),
    };
  },
);

function partsOf({ company }: Subject, period: Period, dimension: 'business' | 'region', money: Money) {
  const sums = new Map<string, bigint>();
  for (const quarter of quartersOf(period)) {
    for (const { name, revenue } of company.segments(quarter)[dimension]) sums.set(name, (sums.get(name) ?? 0n) + revenue);
  }
  const whole = Number([...sums.values()].reduce((total, revenue) => total + revenue, 0n));
  return [...sums].map(([name, revenue]) => ({ name, mainOperIncome: money.whole(revenue), ratio: percentOf(Number(revenue), whole) }));
}

function unknownPeriod({ listing }: Subject, date: number | undefined, periods: readonly Period[]): Refusal {
  const [newest] = periods;
  const { symbol } = listing.instrument;
  if (newest === undefined || date === undefined) return new Refusal(`${symbol} has published no such period yet`);
  return new Refusal(`date: no period of ${symbol} ends on ${date}; take one of screen_date_list, as ${secondsOf(listing, newest.endDay)}`);
}

/** Qot_GetCompanyOperationalEfficiency: employees at the end of each period, and what the period's statements come to for each of them. */
export const getCompanyOperationalEfficiency: AnswerTo<typeof declared.getCompanyOperationalEfficiency> = ofCompany(
  (facts, subject, request) => {
    const money = moneyIn(facts, subject, request.currencyCode);
    if (money instanceof Refusal) return money;
    const asked = given(request, 'financialType') ?? F10Type.F10Type_Unknown;
    if (asked > F10Type.F10Type_Annual) return new Refusal(`financial_type ${asked}: expected 0 to 7`, 'broker.value');
    const periods = periodsOf(subject.company, subject.reported, asked);
    const page = pageOfPeriods(periods, request);
    if (page instanceof Refusal) return page;
    return {
      itemList: page.items.map((period) => efficiencyOf(subject, money, period)),
      nextKey: page.next,
      currencyCode: money.code,
    };
  },
);

function efficiencyOf(subject: Subject, money: Money, period: Period) {
  const [now, before] = [figuresOf(subject, statementSums(subject, period)), figuresOf(subject, earlier(subject, period, 4))];
  return {
    ...periodFields(period),
    ...dated(subject.listing, 'endDate', period.endDay),
    employeeNum: now.employees,
    incomePerCapita: money.exact(now.revenue),
    profitPerCapita: money.exact(now.operating),
    netProfitPerCapita: money.exact(now.net),
    employeeNumYoy: changeRate(Number(now.employees), Number(before.employees)),
    incomePerCapitaYoy: changeRate(Number(now.revenue), Number(before.revenue)),
    profitPerCapitaYoy: changeRate(Number(now.operating), Number(before.operating)),
    netProfitPerCapitaYoy: changeRate(Number(now.net), Number(before.net)),
  };
}

function figuresOf({ company }: Subject, { income, period }: StatementSums) {
  const employees = BigInt(company.employees(period.last));
  const perHead = (amount: bigint) => (amount * DECIMAL_ONE) / employees;
  return { employees, revenue: perHead(income.revenue), operating: perHead(income.operatingIncome), net: perHead(income.netIncome) };
}
