import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { FinancialStatementsType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { inSharesOf } from '../../companies/declared.js';
import type { Statements } from '../../companies/index.js';
import { percentOf } from './money.js';
import type { Subject } from './subject.js';
import { type Period, quartersOf } from './subject.js';

/** A line of a statement. `amount`: money as a whole; `perShare`: money for each share of the listing; `percent` and `ratio` are as they are. */
export type Line = { readonly id: bigint; readonly name: string } & (
  | { readonly kind: 'amount' | 'perShare'; readonly of: (sums: StatementSums) => bigint }
  | { readonly kind: 'percent' | 'ratio'; readonly of: (sums: StatementSums) => number | undefined }
);

type Section = readonly (readonly [name: string, of: (sums: StatementSums) => bigint])[];

const income: Section = [
  ['Revenue', ({ income: { revenue } }) => revenue],
  ['Cost of revenue', ({ income: { costOfRevenue } }) => costOfRevenue],
  ['Gross profit', ({ income: { grossProfit } }) => grossProfit],
  ['Research and development', ({ income: { researchAndDevelopment } }) => researchAndDevelopment],
  ['Selling, general and administrative expenses', ({ income: { sellingAndAdministration } }) => sellingAndAdministration],
  ['Operating income', ({ income: { operatingIncome } }) => operatingIncome],
  ['Interest expense', ({ income: { interestExpense } }) => interestExpense],
  ['Income before tax', ({ income: { incomeBeforeTax } }) => incomeBeforeTax],
  ['Income tax', ({ income: { incomeTax } }) => incomeTax],
  ['Net income', ({ income: { netIncome } }) => netIncome],
];

const currentAssets = ({ balance: { cash, receivables, inventory } }: StatementSums) => cash + receivables + inventory;

const balance: Section = [
  ['Cash and cash equivalents', ({ balance: { cash } }) => cash],
  ['Receivables', ({ balance: { receivables } }) => receivables],
  ['Inventory', ({ balance: { inventory } }) => inventory],
  ['Current assets', currentAssets],
  ['Property, plant and equipment', ({ balance: { fixedAssets } }) => fixedAssets],
  ['Investments', ({ balance: { investments } }) => investments],
  ['Total assets', ({ balance: { totalAssets } }) => totalAssets],
  ['Payables', ({ balance: { payables } }) => payables],
  ['Debt', ({ balance: { debt } }) => debt],
  ['Total liabilities', ({ balance: { totalLiabilities } }) => totalLiabilities],
  ['Shareholders’ equity', ({ balance: { equity } }) => equity],
  ['Total liabilities and equity', ({ balance: { totalLiabilities, equity } }) => totalLiabilities + equity],
];

const cashFlow: Section = [
  ['Net income', ({ cashFlow: { netIncome } }) => netIncome],
  ['Depreciation and amortisation', ({ cashFlow: { depreciation } }) => depreciation],
  ['Change in working capital', ({ cashFlow: { workingCapital } }) => workingCapital],
  ['Cash from operating activities', ({ cashFlow: { operating } }) => operating],
  ['Capital expenditure', ({ cashFlow: { capitalExpenditure } }) => -capitalExpenditure],
  ['Purchase of investments, net', ({ cashFlow: { investmentsMade } }) => -investmentsMade],
  ['Cash from investing activities', ({ cashFlow: { investing } }) => investing],
  ['Debt raised, net', ({ cashFlow: { debtRaised } }) => debtRaised],
  ['Shares issued', ({ cashFlow: { sharesIssued } }) => sharesIssued],
  ['Shares bought back', ({ cashFlow: { sharesBoughtBack } }) => -sharesBoughtBack],
  ['Dividends paid', ({ cashFlow: { dividendsPaid } }) => -dividendsPaid],
  ['Cash from financing activities', ({ cashFlow: { financing } }) => financing],
  ['Net change in cash', ({ cashFlow: { netChange } }) => netChange],
  ['Free cash flow', ({ cashFlow: { operating, capitalExpenditure } }) => operating - capitalExpenditure],
];

const FIRST_PER_SHARE = 50;

/** Numbers of a statement's lines begin with that of the statement. */
function amounts(type: FinancialStatementsType, section: Section): Line[] {
  return section.map(([name, of], index) => ({ id: lineId(type, index + 1), name, kind: 'amount', of }));
}

function lineId(type: FinancialStatementsType, number: number): bigint {
  return BigInt(1000 * type + number);
}

const netIncome = ({ income: { netIncome: amount } }: StatementSums) => amount;
const { FinancialStatementsType_Income: INCOME, FinancialStatementsType_BalanceSheet: BALANCE } = FinancialStatementsType;
const { FinancialStatementsType_CashFlow: CASH_FLOW, FinancialStatementsType_MainIndex: MAIN } = FinancialStatementsType;

/** Nothing that could become shares is outstanding: diluted is basic. */
const earningsPerShare: readonly Line[] = [
  { id: lineId(INCOME, FIRST_PER_SHARE), name: 'Basic earnings per share', kind: 'perShare', of: netIncome },
  { id: lineId(INCOME, FIRST_PER_SHARE + 1), name: 'Diluted earnings per share', kind: 'perShare', of: netIncome },
];

const ratio = (part: (sums: StatementSums) => bigint, whole: (sums: StatementSums) => bigint) => (sums: StatementSums) =>
  percentOf(Number(part(sums)), Number(whole(sums)));
const times = (part: (sums: StatementSums) => bigint, whole: (sums: StatementSums) => bigint) => (sums: StatementSums) => {
  const percent = percentOf(Number(part(sums)), Number(whole(sums)));
  return percent === undefined ? undefined : percent / 100;
};

const mainIndices: readonly Line[] = (
  [
    { name: 'Revenue', kind: 'amount', of: ({ income: { revenue } }) => revenue },
    { name: 'Net income', kind: 'amount', of: netIncome },
    { name: 'Operating cash flow', kind: 'amount', of: ({ cashFlow: { operating } }) => operating },
    { name: 'Basic earnings per share', kind: 'perShare', of: netIncome },
    { name: 'Net assets per share', kind: 'perShare', of: ({ balance: { equity } }) => equity },
    { name: 'Revenue per share', kind: 'perShare', of: ({ income: { revenue } }) => revenue },
    { name: 'Operating cash flow per share', kind: 'perShare', of: ({ cashFlow: { operating } }) => operating },
    {
      name: 'Gross margin',
      kind: 'percent',
      of: ratio(
        ({ income: { grossProfit } }) => grossProfit,
        ({ income: { revenue } }) => revenue,
      ),
    },
    {
      name: 'Operating margin',
      kind: 'percent',
      of: ratio(
        ({ income: { operatingIncome } }) => operatingIncome,
        ({ income: { revenue } }) => revenue,
      ),
    },
    { name: 'Net margin', kind: 'percent', of: ratio(netIncome, ({ income: { revenue } }) => revenue) },
    { name: 'Return on equity', kind: 'percent', of: ratio(netIncome, ({ balance: { equity } }) => equity) },
    { name: 'Return on assets', kind: 'percent', of: ratio(netIncome, ({ balance: { totalAssets } }) => totalAssets) },
    {
      name: 'Debt to assets',
      kind: 'percent',
      of: ratio(
        ({ balance: { totalLiabilities } }) => totalLiabilities,
        ({ balance: { totalAssets } }) => totalAssets,
      ),
    },
    { name: 'Current ratio', kind: 'ratio', of: times(currentAssets, ({ balance: { payables } }) => payables) },
    {
      name: 'Quick ratio',
      kind: 'ratio',
      of: times(
        (sums) => currentAssets(sums) - sums.balance.inventory,
        ({ balance: { payables } }) => payables,
      ),
    },
    {
      name: 'Asset turnover',
      kind: 'ratio',
      of: times(
        ({ income: { revenue } }) => revenue,
        ({ balance: { totalAssets } }) => totalAssets,
      ),
    },
  ] satisfies readonly DistributiveOmit<Line, 'id'>[]
).map((line, index) => ({ ...line, id: lineId(MAIN, index + 1) }));

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The lines of each statement, in its order. */
export const linesOf: ReadonlyMap<FinancialStatementsType, readonly Line[]> = new Map([
  [INCOME, [...amounts(INCOME, income), ...earningsPerShare]],
  [BALANCE, amounts(BALANCE, balance)],
  [CASH_FLOW, amounts(CASH_FLOW, cashFlow)],
  [MAIN, mainIndices],
]);

/** A period's statements as they are known on a day: flows are the sums of its quarters', the sheet is that of its end. Whole units of the currency of the accounts. */
export interface StatementSums extends Pick<Statements, 'income' | 'balance' | 'cashFlow'> {
  readonly period: Period;
  /** Ordinary shares on the day before its publication: what its figures for a share are divided by. */
  readonly shares: bigint;
}

export function statementSums({ company, reported }: Subject, period: Period): StatementSums {
  const quarters = quartersOf(period).map((quarter) => company.reported(quarter, reported) ?? company.accounts.statements(quarter));
  const closing = quarters.at(-1) ?? company.accounts.statements(period.last);
  return {
    period,
    income: summed(quarters.map(({ income }) => income)),
    balance: closing.balance,
    cashFlow: summed(quarters.map(({ cashFlow }) => cashFlow)),
    shares: company.ordinaryShares(company.published(period.last) - 1),
  };
}

/** The same period of the year before, and the single quarter before a single quarter: what growth is measured from. */
export function earlier(subject: Subject, period: Period, quarters: number): StatementSums {
  return statementSums(subject, { ...period, last: period.last - quarters });
}

/** An amount for each share of the listing as of a period's publication, to the billionth. */
export function perShare({ ordinary }: Subject, amount: bigint, { shares }: StatementSums): Decimal {
  return shares === 0n ? 0n : (amount * DECIMAL_ONE * ordinary) / shares;
}

/** An amount for a share of one period's publication, for one of another: splits in between are no growth. */
export function inSharesAt({ company }: Subject, amount: Decimal, from: Period, to: Period): Decimal {
  const factorOf = ({ last }: Period) => company.shareFactor(company.published(last) - 1);
  return inSharesOf(amount, factorOf(from), factorOf(to));
}

function summed<T extends { readonly [K in keyof T]: bigint }>(parts: readonly T[]): T {
  const [first] = parts;
  if (first === undefined) throw new RangeError('a period has at least one quarter');
  const keys = Object.keys(first) as (keyof T)[];
  const sum = (key: keyof T) => parts.reduce((total, part) => total + part[key], 0n);
  return Object.fromEntries(keys.map((key) => [key, sum(key)])) as unknown as T;
}
