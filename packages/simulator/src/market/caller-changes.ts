import type { BookChange, OrderBook } from './order-book.js';
import type { Prints, PrintsChange } from './prints.js';

/** Callers' trades and orders in one symbol, as plain data: the part of a market that is no function of seed and time. */
export interface CallerChange {
  readonly symbol: string;
  readonly prints?: PrintsChange;
  readonly book?: BookChange;
}

/** How far a copy of a market is, by symbol. */
export class Followed {
  /** Newest sequence and version of the prints that the copy has. */
  readonly #prints = new Map<string, { readonly sequence: number; readonly version: number }>();
  /** Version of the book that the copy has, and when a caller last changed it. */
  readonly #books = new Map<string, { readonly version: number; readonly changedAt: number }>();

  /** Changes that the copy lacks; it counts as having them from now on. */
  changes(printed: Iterable<readonly [string, Prints]>, books: Iterable<readonly [string, OrderBook]>): CallerChange[] {
    const changes = new Map<string, CallerChange>();
    for (const [symbol, prints] of printed) {
      const known = this.#prints.get(symbol);
      const { version, lastSequence: sequence } = prints;
      if (known?.version === version) continue;
      this.#prints.set(symbol, { sequence, version });
      changes.set(symbol, { symbol, prints: prints.changeAfter(known?.sequence ?? -1) });
    }
    for (const [symbol, book] of books) {
      const known = this.#books.get(symbol);
      const { version, changedAt } = book;
      if (known?.version === version && known.changedAt === changedAt) continue;
      this.#books.set(symbol, { version, changedAt });
      changes.set(symbol, { symbol, ...changes.get(symbol), book: book.state() });
    }
    return [...changes.values()];
  }
}
