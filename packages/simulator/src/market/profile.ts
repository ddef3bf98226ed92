import type { ListingTimeline } from '../companies/listing-timeline.js';
import type { Instrument } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
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

/**
 * How far from the previous close the price of a day may go, as a fraction; undefined where there is no such rule.
 * Shanghai and Shenzhen: 20 % on the STAR (688…, 689…) and ChiNext (300…, 301…) boards, else 10 %.
 */
export function priceLimit(instrument: Instrument): number | undefined {
  if (instrument.market !== 'SH' && instrument.market !== 'SZ') return undefined;
  if (!kinds[instrument.kind].isShare) return undefined;
  const wide = instrument.market === 'SH' ? /^68[89]/ : /^30[01]/;
  return wide.test(instrument.code) ? 0.2 : 0.1;
}
