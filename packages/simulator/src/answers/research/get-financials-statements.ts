import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { F10Type, FinancialStatementsType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type C2S,
  C2SSchema,
  FinancialFieldInfoSchema,
  type FinancialItem,
  FinancialItemSchema,
  type FinancialReport,
  FinancialReportSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetFinancialsStatements_pb';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { Refusal } from '../../refusal.js';
import type { Page } from '../../view/cursor.js';
import type { Answer } from '../../view/facts.js';
import { given, known } from '../../view/optional-fields.js';
import { changeRate, type Money, moneyIn } from './money.js';
import { type Period, pageOfPeriods, periodsOf } from './periods.js';
import { type Line, linesOf } from './statement-lines.js';
import { earlier, inSharesAt, perShare, type StatementSums, statementSums } from './statement-sums.js';
import { type Subject, secondsOf, subjectOf } from './subject.js';

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
export const getFinancialsStatements: Answer<'clock' | 'world' | 'companies' | 'listings', C2S, S2C> = (facts, request) => {
  const subject = subjectOf(facts, request.security);
  if (subject instanceof Refusal) return subject;
  const lines = linesOf.get(given(C2SSchema, request, 'statementType') || FinancialStatementsType.FinancialStatementsType_Income);
  if (lines === undefined)
    return new Refusal(`statement_type: unknown ${request.statementType}; accepted: ${[...linesOf.keys()].join(', ')}`, 'broker.value');
  const money = moneyIn(facts, subject, request.currencyCode);
  if (money instanceof Refusal) return money;
  const asked = given(C2SSchema, request, 'financialType') || F10Type.F10Type_QuarterlyAnnual;
  const periods = periodsOf(subject.company, subject.reported, asked);
  const page = pageOfPeriods(periods, request.nextKey, given(C2SSchema, request, 'num'));
  return page instanceof Refusal ? page : answer(subject, lines, money, page);
};

function answer(subject: Subject, lines: readonly Line[], money: Money, { items, next: nextKey }: Page<Period>): S2C {
  const reportList = items.map((period) => reportOf(subject, lines, money, period));
  const shown = new Set(reportList.flatMap(({ itemList }) => itemList.map(({ fieldId }) => fieldId)));
  return create(S2CSchema, {
    structureList: lines
      .filter(({ id }) => shown.has(id))
      .map(({ id, name }) => create(FinancialFieldInfoSchema, { fieldId: id, displayName: name })),
    reportList,
    nextKey,
  });
}

function reportOf(subject: Subject, lines: readonly Line[], money: Money, period: Period): FinancialReport {
  const now = statementSums(subject, period);
  const yearBefore = earlier(subject, period, 4);
  const quarterBefore = period.quarters === 1 ? earlier(subject, period, 1) : undefined;
  return create(FinancialReportSchema, {
    dateTime: BigInt(secondsOf(subject.listing, period.endDay)),
    dateTimeStr: period.endDay,
    fiscalYear: period.fiscalYear,
    financialType: period.type,
    periodText: period.text,
    itemList: lines.flatMap((line) => itemOf(subject, line, money, now, yearBefore, quarterBefore)),
    currencyInfo: money.name,
    accountingStandards: standards[subject.company.issuer.home.market],
    // Years alone are audited.
    ...(period.quarters === 4 ? { auditorReport: 'Unqualified' } : {}),
    currencyCode: money.code,
  });
}

function itemOf(
  subject: Subject,
  line: Line,
  money: Money,
  now: StatementSums,
  yearBefore: StatementSums,
  quarterBefore: StatementSums | undefined,
): readonly FinancialItem[] {
  const [value, data] = amountOf(subject, line, money, now, now);
  if (value === undefined || data === undefined) return [];
  const growth = (before: StatementSums | undefined) =>
    before === undefined ? undefined : changeRate(value, amountOf(subject, line, money, before, now)[0]);
  return [create(FinancialItemSchema, { fieldId: line.id, data, ...known({ yoy: growth(yearBefore), qoq: growth(quarterBefore) }) })];
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
