import type { Decimal } from '@svc-gateway/contract/decimal';
import type { ShareEvent } from './share-events.js';

/** A dividend as the issuer declares it. Days are counted from 1970-01-01. */
export interface Declared {
  readonly announced: number;
  /** A trading day of every listing, as all ex-days are. */
  readonly ex: number;
  readonly pay: number;
  /** For each ordinary share, in the currency of the accounts. */
  readonly perShare: Decimal;
  readonly special: boolean;
}

/** A {@link ShareEvent} with the day on which listings go ex. */
export interface DatedShareEvent extends ShareEvent {
  readonly ex: number;
}

/** How many shares one has become. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** An amount for one share of one day, for one share of another; each by the factor of its day. */
export function inSharesOf(amount: Decimal, then: Fraction, now: Fraction): Decimal {
  return (amount * then.numerator * now.denominator) / (then.denominator * now.numerator);
}
