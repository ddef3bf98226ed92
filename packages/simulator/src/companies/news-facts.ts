import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';
import type { Term } from './careers.js';
import type { DatedShareEvent, Declared } from './declared.js';
import type { Surprise } from './estimates.js';
import type { DayMove } from './market-prices.js';
import type { RatingChange } from './opinions.js';

/** An event with the day on which it became known. */
export interface DatedFact {
  readonly day: number;
  readonly fact: NewsFact;
}

/** Results of a reported period: one quarter, or the half-year where companies report twice a year. */
export interface Results {
  readonly kind: 'results';
  /** Its last fiscal quarter, and how many it has. */
  readonly quarter: number;
  readonly quarters: 1 | 2;
  readonly fiscalYear: number;
  readonly number: 1 | 2 | 3 | 4;
  /** Whole units of the currency of the accounts. */
  readonly revenue: bigint;
  readonly netIncome: bigint;
  /** Earnings surprise of the last quarter; undefined without a consensus. */
  readonly surprise: Surprise | undefined;
}

/** Subject of a news item. */
export type NewsFact =
  | Results
  | { readonly kind: 'restatement'; readonly quarter: number; readonly fiscalYear: number; readonly number: number; readonly moved: bigint }
  | { readonly kind: 'dividend'; readonly declared: Declared }
  | { readonly kind: 'shares'; readonly event: DatedShareEvent; readonly price: Decimal | undefined }
  | { readonly kind: 'rating'; readonly change: RatingChange }
  | { readonly kind: 'executive'; readonly term: Term; readonly follows: Term | undefined }
  | { readonly kind: 'move'; readonly move: DayMove }
  /** Nothing traded on a day of the market, after one on which it did; and the first trade after such days. */
  | { readonly kind: 'halt' }
  | { readonly kind: 'resumption' }
  /** A reader's letter: its claims and demands are invented and no facts. */
  | { readonly kind: 'letter' }
  | { readonly kind: 'listing' }
  | { readonly kind: 'delisting' };

/** In deviations of a day, and at least. */
const LARGE = 2.5;
const LARGE_MIN = 0.04;
const DAYS_PER_YEAR = 365;

/** Whether a day's change is news. */
export function isLargeMove({ volatility }: Instrument, { reference, close }: DayMove): boolean {
  const change = Math.abs(Number(close - reference) / Number(reference));
  return change >= Math.max(LARGE_MIN, (LARGE * volatility) / Math.sqrt(DAYS_PER_YEAR));
}
