import type { ListingTimeline } from '../companies/listing-timeline.js';
import type { TickLadder } from './tick-ladder.js';

/** What the generator knows of an instrument, whatever the day. */
export interface Profile {
  /** Of no other profile. */
  readonly index: number;
  /** Stream of the symbol's randomness. */
  readonly key: number;
  readonly ladder: TickLadder;
  /** Shares (contracts, units) that the generator counts as one lot. */
  readonly lotSize: number;
  /** Typical lots of a day; of a dated contract, while it is the front month. */
  readonly lotsADay: number;
  /** Standard deviation of a day's change, as a fraction of the price. */
  readonly daily: number;
  /** See {@link priceLimit}. */
  readonly limit: number | undefined;
  /** Of what somebody issued: its price on each day, and what goes off on which. */
  readonly timeline: ListingTimeline | undefined;
  /** Known price that the chain of days hangs on: see {@link chainPrice}. Billionths. */
  readonly anchor: { readonly price: number; readonly number?: number };
}
