import { create } from '@bufbuild/protobuf';
import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { F10Type } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type C2S,
  C2SSchema,
  type OperationalEfficiencyItem,
  OperationalEfficiencyItemSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetCompanyOperationalEfficiency_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { given, known } from '../../view/optional-fields.js';
import { changeRate, type Money, moneyIn } from './money.js';
import { type Period, pageOfPeriods, periodsOf } from './periods.js';
import { earlier, type StatementSums, statementSums } from './statement-sums.js';
import { type Subject, secondsOf, subjectOf } from './subject.js';

/** Qot_GetCompanyOperationalEfficiency: employees at the end of each period, and what the period's statements come to for each of them. */
export const getCompanyOperationalEfficiency: Answer<'clock' | 'world' | 'companies' | 'listings', C2S, S2C> = (facts, request) => {
  const subject = subjectOf(facts, request.security);
  if (subject instanceof Refusal) return subject;
  const money = moneyIn(facts, subject, request.currencyCode);
  if (money instanceof Refusal) return money;
  const asked = given(C2SSchema, request, 'financialType') ?? F10Type.F10Type_Unknown;
  if (asked > F10Type.F10Type_Annual) return new Refusal(`financial_type ${asked}: expected 0 to 7`, 'broker.value');
  const periods = periodsOf(subject.company, subject.reported, asked);
  const page = pageOfPeriods(periods, request.nextKey, given(C2SSchema, request, 'num'));
  if (page instanceof Refusal) return page;
  return create(S2CSchema, {
    itemList: page.items.map((period) => itemOf(subject, money, period)),
    nextKey: page.next,
    currencyCode: money.code,
  });
};

function itemOf(subject: Subject, money: Money, period: Period): OperationalEfficiencyItem {
  const [now, before] = [figuresOf(subject, statementSums(subject, period)), figuresOf(subject, earlier(subject, period, 4))];
  return create(OperationalEfficiencyItemSchema, {
    fiscalYear: period.fiscalYear,
    financialType: period.type,
    periodText: period.text,
    endDate: BigInt(secondsOf(subject.listing, period.endDay)),
    endDateStr: period.endDay,
    employeeNum: now.employees,
    incomePerCapita: money.exact(now.revenue),
    profitPerCapita: money.exact(now.operating),
    netProfitPerCapita: money.exact(now.net),
    ...known({
      employeeNumYoy: changeRate(Number(now.employees), Number(before.employees)),
      incomePerCapitaYoy: changeRate(Number(now.revenue), Number(before.revenue)),
      profitPerCapitaYoy: changeRate(Number(now.operating), Number(before.operating)),
      netProfitPerCapitaYoy: changeRate(Number(now.net), Number(before.net)),
    }),
  });
}

function figuresOf({ company }: Subject, { income, period }: StatementSums) {
  const employees = BigInt(company.employees(period.last));
  const perHead = (amount: bigint) => (amount * DECIMAL_ONE) / employees;
  return { employees, revenue: perHead(income.revenue), operating: perHead(income.operatingIncome), net: perHead(income.netIncome) };
}
