import type { Store } from '@svc-gateway/storage';
import { Refusal } from '../refusal.js';
import type { Writes } from './writes.js';

/** The user's note on a security. */
export interface StockNote {
  readonly symbol: string;
  readonly text: string;
  /** Epoch ms. */
  readonly updatedAt: number;
}

const NOTES_MAX = 5_000;

/** The login user's notes, one a security. Every change is on disk once its promise resolves. */
export class StockNotes {
  readonly #writes: Writes;
  readonly #table;
  readonly #notes = new Map<string, StockNote>();

  constructor(store: Store, writes: Writes) {
    this.#writes = writes;
    this.#table = store.table<StockNote>('sim-stock-notes');
    for (const [symbol, note] of this.#table.entries()) this.#notes.set(symbol, note);
  }

  /** The newest first. */
  all(): readonly StockNote[] {
    return [...this.#notes.values()].sort((a, b) => b.updatedAt - a.updatedAt || (a.symbol < b.symbol ? -1 : 1));
  }

  /** Writes the note of a security in place of the one before; an empty text removes it. */
  put(note: StockNote): Promise<void> | Refusal {
    const { symbol, text } = note;
    if (text === '') {
      this.#notes.delete(symbol);
      return this.#writes.write((transaction) => transaction.remove(this.#table, symbol));
    }
    if (!this.#notes.has(symbol) && this.#notes.size >= NOTES_MAX) return new Refusal(`at most ${NOTES_MAX} notes`);
    this.#notes.set(symbol, note);
    return this.#writes.write((transaction) => transaction.put(this.#table, symbol, note));
  }
}
