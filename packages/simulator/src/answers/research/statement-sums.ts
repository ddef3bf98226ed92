import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { inSharesOf } from '../../companies/declared.js';
import type { Statements } from '../../companies/index.js';
import { type Period, quartersOf } from './periods.js';
import type { Subject } from './subject.js';

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
