import { DECIMAL_ONE, type Decimal } from '../../../contract/decimal.js';
import type { Currency } from '../../../contract/markets.js';
import type { CalendarName } from '../../world/index.js';

/** How the brokerage keeps money of a currency. */
export interface MoneyTerms {
  /** Whose days its interest counts. */
  readonly home: CalendarName;
  /** Yearly interest on what is owed, in percent. */
  readonly debitPercent: Decimal;
  /** Days of the year that a day's interest is a part of: actual/365 or actual/360. */
  readonly yearDays: bigint;
  /** What is charged is a whole multiple of this. */
  readonly step: Decimal;
}

const CENT: Decimal = DECIMAL_ONE / 100n;
const tenths = (count: bigint): Decimal => (count * DECIMAL_ONE) / 10n;

/** Rates are made up, in the range of what online brokers publish (2025); the day counts are the currencies' money markets'. */
const terms: Readonly<Record<Currency, MoneyTerms>> = {
  HKD: { home: 'HK', debitPercent: tenths(68n), yearDays: 365n, step: CENT },
  USD: { home: 'US', debitPercent: tenths(68n), yearDays: 360n, step: CENT },
  CNH: { home: 'CN', debitPercent: tenths(58n), yearDays: 360n, step: CENT },
  SGD: { home: 'SG', debitPercent: tenths(55n), yearDays: 365n, step: CENT },
  JPY: { home: 'JP', debitPercent: tenths(28n), yearDays: 360n, step: DECIMAL_ONE },
  MYR: { home: 'MY', debitPercent: tenths(65n), yearDays: 365n, step: CENT },
  // No account holds these; their days are those of a market near by.
  AUD: { home: 'SG', debitPercent: tenths(68n), yearDays: 365n, step: CENT },
  CAD: { home: 'US', debitPercent: tenths(68n), yearDays: 365n, step: CENT },
};

export function moneyTerms(currency: Currency): MoneyTerms {
  return terms[currency];
}
