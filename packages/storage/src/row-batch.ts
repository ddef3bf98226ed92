import { encodeRow } from './row-format.js';
import type { Archive, Table, Transaction } from './store.js';

/** An encoded row; undefined where it is removed. */
export type Row = Buffer | undefined;

/** A named set of rows in the database. */
export interface Target {
  /** Stands before the keys of its rows. */
  readonly prefix: string;
}

/** The last change of a row in a batch. */
export interface RowChange<T extends Target> {
  readonly target: T;
  readonly key: string;
  readonly row: Row;
}

/** A change whose row is encoded when the flush begins. */
interface LatestChange<T extends Target> extends Omit<RowChange<T>, 'row'> {
  readonly read: () => unknown;
}

/** Rows that one flush puts and removes. */
export class RowBatch<T extends Target> implements Transaction {
  readonly #changes: (RowChange<T> | LatestChange<T>)[] = [];
  #merged: Map<string, RowChange<T>> | undefined;

  constructor(private readonly targetOf: (rows: Table<unknown> | Archive<unknown>) => T) {}

  /** Puts and removals; some may be of the same row. */
  get size(): number {
    return this.#changes.length;
  }

  /** Takes all puts and removals of `change` or, should it throw, none. */
  take(change: (transaction: Transaction) => void): void {
    const { size } = this;
    try {
      change(this);
    } catch (error) {
      this.#changes.length = size;
      throw error;
    }
  }

  put<V>(to: Table<V> | Archive<V>, key: string, value: V): void {
    const target = this.targetOf(to as Table<unknown> | Archive<unknown>);
    // Counters are put many times for one flush; only the last value is encoded.
    if (typeof value === 'number' || typeof value === 'bigint') this.#changes.push({ target, key, read: () => value });
    else this.#changes.push({ target, key, row: encodeRow(target.prefix + key, value) });
  }

  putLatest<V>(to: Table<V> | Archive<V>, key: string, read: () => V): void {
    this.#changes.push({ target: this.targetOf(to as Table<unknown> | Archive<unknown>), key, read });
  }

  remove<V>(from: Table<V> | Archive<V>, key: string): void {
    this.#changes.push({ target: this.targetOf(from as Table<unknown> | Archive<unknown>), key, row: undefined });
  }

  /** The last change of each row, by its whole key. Nothing may be put afterwards. */
  merged(): ReadonlyMap<string, RowChange<T>> {
    if (this.#merged !== undefined) return this.#merged;
    const last = new Map(this.#changes.map((change) => [change.target.prefix + change.key, change]));
    this.#merged = new Map();
    for (const [whole, change] of last) {
      const { target, key } = change;
      this.#merged.set(whole, 'read' in change ? { target, key, row: encodeRow(whole, change.read()) } : change);
    }
    return this.#merged;
  }

  /** Rows of {@link merged} by their whole keys. */
  *encoded(): Iterable<[string, Row]> {
    for (const [whole, { row }] of this.merged()) yield [whole, row];
  }
}
