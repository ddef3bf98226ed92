import type { BookChange } from './order-book.js';
import type { PrintsChange } from './prints.js';

/** Callers' trades and orders in one symbol, as plain data: the part of a market that is no function of seed and time. */
export interface CallerChange {
  readonly symbol: string;
  readonly prints?: PrintsChange;
  readonly book?: BookChange;
}

/** How far a copy of a market is, by symbol. */
export class Followed {
  /** Newest sequence and version of the prints that the copy has. */
  readonly prints = new Map<string, { readonly sequence: number; readonly version: number }>();
  /** Version of the book that the copy has, and when a caller last changed it. */
  readonly books = new Map<string, { readonly version: number; readonly changedAt: number }>();
}
