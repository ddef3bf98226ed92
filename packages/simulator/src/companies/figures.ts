import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { outline } from './amounts.js';
import type { Company } from './company.js';
import type { ShareClass } from './issuers.js';
import type { ListingTimeline } from './listing-timeline.js';
import { freeFloat } from './ownership.js';

/** Figures of a share known when a trading day begins. Amounts in the currency of its listing; per share of the listing, totals ÷ shares of the day. */
export interface ShareFigures {
  /** All shares of the issuer, counted in shares of this listing. */
  readonly issuedShares: bigint;
  /** Shares of this listing that are not held by insiders. */
  readonly outstandingShares: bigint;
  /** Net income of the last reported fiscal year; negative for a loss. */
  readonly netIncome: Decimal;
  /** Net income of the last four reported quarters. */
  readonly netIncomeTtm: Decimal;
  /** At the end of the last quarter that was reported. */
  readonly netAssets: Decimal;
  readonly earningsPerShare: Decimal;
  readonly earningsPerShareTtm: Decimal;
  readonly netAssetsPerShare: Decimal;
  /** Cash that went ex in the year up to the day. */
  readonly dividendTtm: Decimal;
  /** Declared for the last fiscal year that was reported. */
  readonly dividendOfYear: Decimal;
}

/** Days of a trailing twelve-month figure. */
export const YEAR_DAYS = 365;

/** `day`: counted from 1970-01-01. `convert`: from the currency of the accounts to that of the listing. */
export function shareFigures(
  company: Company,
  share: ShareClass,
  timeline: ListingTimeline,
  day: number,
  convert: (amount: Decimal) => Decimal,
): ShareFigures {
  const { accounts, issuer, profile } = company;
  const ordinary = BigInt(share.ordinary);
  const ordinaryShares = company.ordinaryShares(day);
  const issuedShares = ordinaryShares / ordinary;
  const ofClass = (share.instrument.sharesIssued * ordinaryShares) / issuer.ordinaryShares;
  const [last, lastOfYear] = [company.lastKnown(day), company.lastPublishedYear(day - 1)];
  const total = (amount: bigint) => convert(amount * DECIMAL_ONE);
  const netIncome = total(accounts.netIncome(lastOfYear, 4));
  const netIncomeTtm = total(accounts.netIncome(last, 4));
  const netAssets = total(accounts.balance(last).equity);
  const perShare = (amount: Decimal) => (issuedShares === 0n ? 0n : roundedQuotient(amount, issuedShares));
  return {
    issuedShares,
    outstandingShares: freeFloat(profile, outline([ofClass, issuedShares]).low),
    netIncome,
    netIncomeTtm,
    netAssets,
    earningsPerShare: perShare(netIncome),
    earningsPerShareTtm: perShare(netIncomeTtm),
    netAssetsPerShare: perShare(netAssets),
    dividendTtm: timeline.cashBetween(day - YEAR_DAYS, day),
    dividendOfYear: convert(company.dividendOfYear(profile.fiscal.fiscalYearOf(lastOfYear), day - 1) * ordinary),
  };
}

/** amount ÷ count to the billionth, half away from zero. */
function roundedQuotient(amount: Decimal, count: bigint): Decimal {
  const twice = 2n * amount + (amount < 0n ? -count : count);
  return twice / (2n * count);
}
