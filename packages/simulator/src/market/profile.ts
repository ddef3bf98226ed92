import type { ListingTimeline } from '../companies/listing-timeline.js';
import type { TickLadder } from './tick-ladder.js';

/** Generator parameters of an instrument that hold on every day. */
export interface Profile {
  /** Number of the profile; unique. */
  readonly index: number;
  /** Stream of the symbol's randomness. */
  readonly key: number;
  readonly ladder: TickLadder;
  /** Shares (contracts, units) that the generator counts as one lot. */
  readonly lotSize: number;
  /** Typical lots of a day; of a dated contract, while it is the front month. */
  readonly lotsADay: number;
  /** Standard deviation of a day's change, as a fraction of the price, on a day (counted from 1970-01-01). */
  readonly daily: (day: number) => number;
  /** Unrounded close of a day, in billionths, as far as it does not depend on other days. */
  readonly closeOn: (day: number) => number;
  /** See {@link priceLimit}. */
  readonly limit: number | undefined;
  /** Timeline of the issuer: prices on each day and ex-dates. */
  readonly timeline: ListingTimeline | undefined;
}
