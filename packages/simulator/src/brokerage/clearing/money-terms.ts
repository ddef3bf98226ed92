import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';
import type { CalendarName } from '../../world/index.js';

/** How the brokerage keeps money of a currency. */
export interface MoneyTerms {
  /** Calendar whose days count for interest. */
  readonly home: CalendarName;
  /** Yearly interest on what is owed, in percent. */
  readonly debitPercent: Decimal;
  /** Days of the year that a day's interest is a part of: actual/365 or actual/360. */
  readonly yearDays: bigint;
}

const tenths = (count: bigint): Decimal => (count * DECIMAL_ONE) / 10n;

/** Rates are made up, in the range of what online brokers publish (2025); the day counts are the currencies' money markets'. */
const terms: Readonly<Record<Currency, MoneyTerms>> = {
  HKD: { home: 'HK', debitPercent: tenths(68n), yearDays: 365n },
  USD: { home: 'US', debitPercent: tenths(68n), yearDays: 360n },
  CNH: { home: 'CN', debitPercent: tenths(58n), yearDays: 360n },
  SGD: { home: 'SG', debitPercent: tenths(55n), yearDays: 365n },
  JPY: { home: 'JP', debitPercent: tenths(28n), yearDays: 360n },
  MYR: { home: 'MY', debitPercent: tenths(65n), yearDays: 365n },
  // No account holds these; their days are those of a market near by.
  AUD: { home: 'SG', debitPercent: tenths(68n), yearDays: 365n },
  CAD: { home: 'US', debitPercent: tenths(68n), yearDays: 365n },
};

export function moneyTerms(currency: Currency): MoneyTerms {
  return terms[currency];
}
