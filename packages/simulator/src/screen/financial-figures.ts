import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { FinancialField, FinancialQuarter } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import { requireDay } from '@svc-gateway/contract/time';
import type { Companies, Statements } from '../companies/index.js';
import { threePlaces } from '../view/figures.js';
import { isIssuedByCompany } from '../world/kinds.js';
import type { Figure, Row } from './column-snapshot.js';

const SPEED = 4;

type Company = ReturnType<Companies['company']>;

/** Statements of a period: flows summed, the balance sheet of its end. Whole units of the currency of the accounts. */
interface Period {
  readonly revenue: number;
  readonly cost: number;
  readonly gross: number;
  readonly operating: number;
  readonly interest: number;
  readonly beforeTax: number;
  readonly tax: number;
  readonly net: number;
  readonly depreciation: number;
  readonly operatingCash: number;
  readonly sheet: Statements['balance'];
  /** Ordinary shares at its end, in shares of today. */
  readonly shares: number;
}

/** The report that a figure is asked of, the same one of the year before, and the last four quarters. */
interface Reports {
  readonly now: Period;
  readonly before: Period;
  readonly year: Period;
}

interface Definition {
  /** `money`: in the listing's currency; `shares`: money for each share of the listing; else as it is. */
  readonly unit: 'money' | 'shares' | 'percent';
  readonly of: (reports: Reports) => number;
}

const percent = (of: (reports: Reports) => number): Definition => ({ unit: 'percent', of: (reports) => 100 * of(reports) });
const money = (of: (reports: Reports) => number): Definition => ({ unit: 'money', of });
const perShare = (of: (reports: Reports) => number): Definition => ({ unit: 'shares', of });

/** Growth over a year of what a period comes to; none where it was not positive before. */
const growth = (of: (period: Period) => number): Definition =>
  percent(({ now, before }) => (of(before) > 0 ? of(now) / of(before) - 1 : Number.NaN));

const ebit = ({ beforeTax, interest }: Period) => beforeTax + interest;
const ebitda = (period: Period) => ebit(period) + period.depreciation;
const current = ({ sheet }: Period) => Number(sheet.cash + sheet.receivables + sheet.inventory);
const payables = ({ sheet }: Period) => Number(sheet.payables);
const assets = ({ sheet }: Period) => Number(sheet.totalAssets);
const liabilities = ({ sheet }: Period) => Number(sheet.totalLiabilities);
const equity = ({ sheet }: Period) => Number(sheet.equity);
const returnOnEquity = (period: Period) => period.net / equity(period);
/** Operating income after tax over what owners and lenders have put in. */
const returnOnCapital = (period: Period) => {
  const taxRate = period.beforeTax > 0 ? period.tax / period.beforeTax : 0;
  return (period.operating * (1 - taxRate)) / (equity(period) + Number(period.sheet.debt));
};

const F = FinancialField;

/** Each figure by the usual definition. Those named TTM are of the last four quarters, whichever report is asked of. */
const definitions: ReadonlyMap<number, Definition> = new Map([
  [F.FinancialField_NetProfit, money(({ now }) => now.net)],
  [F.FinancialField_NetProfitGrowth, growth(({ net }) => net)],
  [F.FinancialField_SumOfBusiness, money(({ now }) => now.revenue)],
  [F.FinancialField_SumOfBusinessGrowth, growth(({ revenue }) => revenue)],
  [F.FinancialField_NetProfitRate, percent(({ now }) => now.net / now.revenue)],
  [F.FinancialField_GrossProfitRate, percent(({ now }) => now.gross / now.revenue)],
  [F.FinancialField_DebtAssetsRate, percent(({ now }) => liabilities(now) / assets(now))],
  [F.FinancialField_ReturnOnEquityRate, percent(({ now }) => returnOnEquity(now))],
  [F.FinancialField_ROIC, percent(({ now }) => returnOnCapital(now))],
  [F.FinancialField_ROATTM, percent(({ year }) => year.net / assets(year))],
  [F.FinancialField_EBITTTM, money(({ year }) => ebit(year))],
  [F.FinancialField_EBITDA, money(({ now }) => ebitda(now))],
  [F.FinancialField_OperatingMarginTTM, percent(({ year }) => year.operating / year.revenue)],
  [F.FinancialField_EBITMargin, percent(({ now }) => ebit(now) / now.revenue)],
  [F.FinancialField_EBITDAMargin, percent(({ now }) => ebitda(now) / now.revenue)],
  [F.FinancialField_FinancialCostRate, percent(({ now }) => now.interest / now.revenue)],
  [F.FinancialField_OperatingProfitTTM, money(({ year }) => year.operating)],
  [F.FinancialField_ShareholderNetProfitTTM, money(({ year }) => year.net)],
  [F.FinancialField_NetProfitCashCoverTTM, percent(({ year }) => year.operatingCash / year.net)],
  [F.FinancialField_CurrentRatio, percent(({ now }) => current(now) / payables(now))],
  [F.FinancialField_QuickRatio, percent(({ now }) => (current(now) - Number(now.sheet.inventory)) / payables(now))],
  [F.FinancialField_CurrentAssetRatio, percent(({ now }) => current(now) / assets(now))],
  [F.FinancialField_CurrentDebtRatio, percent(({ now }) => payables(now) / liabilities(now))],
  [F.FinancialField_EquityMultiplier, percent(({ now }) => assets(now) / equity(now))],
  [F.FinancialField_PropertyRatio, percent(({ now }) => liabilities(now) / equity(now))],
  [F.FinancialField_CashAndCashEquivalents, money(({ now }) => Number(now.sheet.cash))],
  [F.FinancialField_TotalAssetTurnover, percent(({ now }) => now.revenue / assets(now))],
  [F.FinancialField_FixedAssetTurnover, percent(({ now }) => now.revenue / Number(now.sheet.fixedAssets))],
  [F.FinancialField_InventoryTurnover, percent(({ now }) => now.cost / Number(now.sheet.inventory))],
  [F.FinancialField_OperatingCashFlowTTM, money(({ year }) => year.operatingCash)],
  [F.FinancialField_AccountsReceivable, money(({ now }) => Number(now.sheet.receivables))],
  [F.FinancialField_EBITGrowthRate, growth(ebit)],
  [F.FinancialField_OperatingProfitGrowthRate, growth(({ operating }) => operating)],
  [F.FinancialField_TotalAssetsGrowthRate, growth(assets)],
  [F.FinancialField_ProfitToShareholdersGrowthRate, growth(({ net }) => net)],
  [F.FinancialField_ProfitBeforeTaxGrowthRate, growth(({ beforeTax }) => beforeTax)],
  [F.FinancialField_EPSGrowthRate, growth(({ net, shares }) => net / shares)],
  [F.FinancialField_ROEGrowthRate, growth(returnOnEquity)],
  [F.FinancialField_ROICGrowthRate, growth(returnOnCapital)],
  [F.FinancialField_NOCFGrowthRate, growth(({ operatingCash }) => operatingCash)],
  [F.FinancialField_NOCFPerShareGrowthRate, growth(({ operatingCash, shares }) => operatingCash / shares)],
  [F.FinancialField_OperatingRevenueCashCover, percent(({ now }) => now.operatingCash / now.revenue)],
  [F.FinancialField_OperatingProfitToTotalProfit, percent(({ now }) => now.operating / now.beforeTax)],
  [F.FinancialField_BasicEPS, perShare(({ now }) => now.net)],
  // Nothing that could become shares is outstanding.
  [F.FinancialField_DilutedEPS, perShare(({ now }) => now.net)],
  [F.FinancialField_NOCFPerShare, perShare(({ now }) => now.operatingCash)],
]);

/** The numbers of the figures that there are. */
export const financialFields: readonly number[] = [...definitions.keys()];

/** Quarters of a fiscal year, up to and with one of them (1 to 4); or the last quarter that is out. */
export type Report = { readonly through: number; readonly quarters: number } | 'latest';

/** Reports of Qot_StockFilter: the whole fiscal year, its first quarters, or the last quarter alone. */
export const reports: ReadonlyMap<number, Report> = new Map<number, Report>([
  [FinancialQuarter.FinancialQuarter_Annual, { through: 4, quarters: 4 }],
  [FinancialQuarter.FinancialQuarter_FirstQuarter, { through: 1, quarters: 1 }],
  [FinancialQuarter.FinancialQuarter_Interim, { through: 2, quarters: 2 }],
  [FinancialQuarter.FinancialQuarter_ThirdQuarter, { through: 3, quarters: 3 }],
  [FinancialQuarter.FinancialQuarter_MostRecentQuarter, 'latest'],
]);

/** A figure of a company's report as it is known on the day. */
export function financialFigure(field: number, report: Report): Figure {
  const definition = definitions.get(field);
  return {
    key: `financial ${field} of ${report === 'latest' ? report : `${report.quarters} quarters through ${report.through}`}`,
    lasts: 'day',
    speed: SPEED,
    of: ({ companies }, row) => {
      if (definition === undefined || !isIssuedByCompany(row.listing.instrument)) return Number.NaN;
      const found = reportsOf(companies.company(row.listing.instrument), requireDay(row.quote.tradingDay), report);
      return inUnit(companies, row, definition, definition.of(found));
    },
  };
}

function inUnit(companies: Companies, { listing: { instrument }, quote }: Row, { unit }: Definition, value: number): number {
  if (!Number.isFinite(value)) return Number.NaN;
  if (unit === 'percent') return threePlaces(value);
  const amount = decimalToNumber(companies.inCurrencyOf(instrument, BigInt(Math.round(value)), quote.tradingDay));
  if (unit === 'money') return amount;
  const { issuedShares } = companies.figures(instrument, quote.tradingDay);
  return issuedShares === 0n ? Number.NaN : threePlaces(amount / Number(issuedShares));
}

function reportsOf(company: Company, day: number, report: Report): Reports {
  const { fiscal } = company.profile;
  const last = company.lastKnown(day);
  const [end, count] = spanOf(fiscal.numberOf(last), last, report);
  const of = (until: number, quarters: number) => periodOf(company, day, until, quarters);
  return { now: of(end, count), before: of(end - 4, count), year: of(last, 4) };
}

/** The last quarter of the newest such report that is out, and how many it covers. */
function spanOf(number: number, last: number, report: Report): readonly [end: number, count: number] {
  return report === 'latest' ? [last, 1] : [last - ((number - report.through + 4) % 4), report.quarters];
}

function periodOf(company: Company, day: number, end: number, count: number): Period {
  const quarters = Array.from({ length: count }, (_, i) => company.reported(end - i, day - 1) ?? company.accounts.statements(end - i));
  const sum = (of: (statements: Statements) => bigint) => Number(quarters.reduce((total, one) => total + of(one), 0n));
  const [closing] = quarters;
  const endDay = company.profile.fiscal.endOf(end);
  const [then, today] = [company.shareFactor(endDay), company.shareFactor(day)];
  const split = (Number(today.numerator) * Number(then.denominator)) / (Number(today.denominator) * Number(then.numerator));
  return {
    revenue: sum(({ income }) => income.revenue),
    cost: sum(({ income }) => income.costOfRevenue),
    gross: sum(({ income }) => income.grossProfit),
    operating: sum(({ income }) => income.operatingIncome),
    interest: sum(({ income }) => income.interestExpense),
    beforeTax: sum(({ income }) => income.incomeBeforeTax),
    tax: sum(({ income }) => income.incomeTax),
    net: sum(({ income }) => income.netIncome),
    depreciation: sum(({ cashFlow }) => cashFlow.depreciation),
    operatingCash: sum(({ cashFlow }) => cashFlow.operating),
    sheet: (closing ?? company.accounts.statements(end)).balance,
    shares: Number(company.ordinaryShares(endDay)) * split,
  };
}
