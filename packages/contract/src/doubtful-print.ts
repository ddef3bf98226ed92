import type { Decimal } from './decimal.js';

/** A trade beyond the quotes by more than this part of them is doubtful: one in 33. */
const BAND_PART = 33n;
/** It is confirmed by a second one, or by quotes that have moved there, within so long. */
export const CONFIRMED_WITHIN_MS = 1_000;

/** Best prices; undefined on an empty side. */
export interface Quotes {
  readonly bid?: Decimal | undefined;
  readonly ask?: Decimal | undefined;
}

/** Whether a price lies beyond the quotes by more than three percent of them and five steps: 1 above, -1 below, 0 where it does not. */
export function beyondQuotes(price: Decimal, { bid, ask }: Quotes, step: Decimal): 1 | -1 | 0 {
  const band = (quote: Decimal) => (quote / BAND_PART > 5n * step ? quote / BAND_PART : 5n * step);
  if (ask !== undefined && price > ask + band(ask)) return 1;
  if (bid !== undefined && price < bid - band(bid)) return -1;
  return 0;
}
