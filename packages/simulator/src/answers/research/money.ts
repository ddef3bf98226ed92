import { DECIMAL_ONE, type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';
import { inMoney } from '@svc-gateway/contract/money';
import { quoted } from '@svc-gateway/contract/shown';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Subject } from './subject.js';

/** The protocol's CNH is the mainland's renminbi, CNY in ISO 4217. */
export function isoCode(currency: Currency): string {
  return currency === 'CNH' ? 'CNY' : currency;
}

const accepted: readonly Currency[] = ['CNH', 'USD', 'HKD', 'SGD', 'JPY', 'CAD', 'AUD', 'MYR'];

const names: Readonly<Record<Currency, string>> = {
  CNH: 'Renminbi',
  USD: 'US dollar',
  HKD: 'Hong Kong dollar',
  SGD: 'Singapore dollar',
  JPY: 'Japanese yen',
  CAD: 'Canadian dollar',
  AUD: 'Australian dollar',
  MYR: 'Malaysian ringgit',
};

/** Writes amounts of a company's accounts in the currency that is asked for, at the rate of today: so sums stay sums. */
export interface Money {
  readonly code: string;
  readonly name: string;
  /** Whole units of the currency of the accounts, shown in the decimals of the one asked for. */
  readonly whole: (amount: bigint) => number;
  readonly exact: (amount: Decimal) => number;
}

/** In the currency of a code in ISO 4217 (CNY and CNH are one), that of the accounts where it is empty. */
export function moneyIn({ companies }: Facts<'companies'>, { company, today }: Subject, code: string): Money | Refusal {
  const own = company.issuer.home.currency;
  const wanted = code.toUpperCase() === 'CNY' ? 'CNH' : code.toUpperCase();
  const currency = code === '' ? own : accepted.find((one) => one === wanted);
  if (currency === undefined) {
    const found = quoted(code);
    return new Refusal(`currency_code: unknown ${found}; accepted: ${accepted.map(isoCode).join(', ')}`, 'broker.value');
  }
  const exact = (amount: Decimal) => decimalToNumber(companies.inCurrency(amount, own, currency, today));
  const whole = (amount: bigint) => decimalToNumber(inMoney(companies.inCurrency(amount * DECIMAL_ONE, own, currency, today), currency));
  return { code: isoCode(currency), name: names[currency], exact, whole };
}

/** 100 × (now ÷ before − 1) of the size of what was before, to three places; undefined where that is nothing or unknown. */
export function changeRate(now: number, before: number | undefined): number | undefined {
  if (before === undefined || before === 0 || !Number.isFinite(now / before)) return undefined;
  return Math.round(((now - before) / Math.abs(before)) * 100_000) / 1000;
}

/** 100 × part ÷ whole to three places; undefined where the whole is nothing. */
export function percentOf(part: number, whole: number): number | undefined {
  return whole === 0 || !Number.isFinite(part / whole) ? undefined : Math.round((part / whole) * 100_000) / 1000;
}
