import type { RowFormat } from './row-format.js';
import { ValueWriter } from './row-values.js';
import type { Archive, Table, Transaction } from './store.js';

/** A row as it stands in memory without being encoded: counters and sums are written many times for one flush. */
export type Scalar = number | bigint;

/** A named set of rows, and what stands before its keys. */
export interface Target {
  readonly kind: 'table' | 'archive';
  readonly prefix: string;
}

/** Where an encoded row lies in the bytes of its batch. */
class Span {
  constructor(
    readonly start: number,
    readonly end: number,
  ) {}
}

/** A row that is read when it is written. */
class Latest {
  constructor(readonly read: () => unknown) {}
}

type Gathered = Scalar | Span | Latest | undefined;

/** A row as it goes to the disk; undefined where it is removed. */
export type Put = (key: string, row: Buffer | undefined) => void;

/**
 * Rows that one flush puts and removes, in their order: encoded one after the other in one piece of memory, which the
 * next batch may use again.
 */
export class RowBatch<T extends Target> implements Transaction {
  readonly #targets: T[] = [];
  readonly #keys: string[] = [];
  readonly #rows: Gathered[] = [];
  /** Last row under each key of each table, and of archive rows that are read when they are written. */
  readonly #tabled = new Map<T, Map<string, Gathered>>();

  constructor(
    private readonly format: RowFormat,
    private readonly targetOf: (rows: Table<unknown> | Archive<unknown>) => T,
    readonly bytes: ValueWriter = new ValueWriter(format.shapes),
  ) {
    bytes.truncate(0);
  }

  /** Puts and removals; some may be of the same row. */
  get size(): number {
    return this.#keys.length;
  }

  /** Takes all that `change` puts and removes, or, should it throw, nothing. */
  take(change: (transaction: Transaction) => void): void {
    const { size } = this;
    const { length } = this.bytes;
    try {
      change(this);
    } catch (error) {
      this.#targets.length = size;
      this.#keys.length = size;
      this.#rows.length = size;
      this.bytes.truncate(length);
      throw error;
    }
  }

  put<V>(to: Table<V> | Archive<V>, key: string, value: V): void {
    const target = this.targetOf(to as Table<unknown> | Archive<unknown>);
    const isScalar = typeof value === 'bigint' || typeof value === 'number';
    this.#add(target, key, isScalar && target.kind === 'table' ? value : this.#encoded(target, key, value));
  }

  putLatest<V>(to: Table<V> | Archive<V>, key: string, read: () => V): void {
    this.#add(this.targetOf(to as Table<unknown> | Archive<unknown>), key, new Latest(read));
  }

  remove<V>(from: Table<V> | Archive<V>, key: string): void {
    this.#add(this.targetOf(from as Table<unknown> | Archive<unknown>), key, undefined);
  }

  /** Hands every row over, of a table each only as it was put last. Nothing may be put any more. */
  writeTo(put: Put): void {
    for (let index = 0; index < this.#keys.length; index++) {
      const target = this.#targets[index] as T;
      const key = this.#keys[index] as string;
      const row = this.#rows[index];
      if (target.kind === 'archive' && !(row instanceof Latest)) {
        put(target.prefix + key, row instanceof Span ? this.#bytesOf(row) : undefined);
      } else {
        const rows = this.#tabled.get(target);
        if (rows === undefined) this.#tabled.set(target, new Map([[key, row]]));
        else rows.set(key, row);
      }
    }
    for (const [target, rows] of this.#tabled) {
      for (const [key, row] of rows) {
        const span = this.#spanOf(target, key, row);
        // As memory is to keep it.
        if (row instanceof Latest) rows.set(key, span);
        put(target.prefix + key, span && this.#bytesOf(span));
      }
    }
  }

  /** The rows of tables that {@link writeTo} handed over, as memory keeps them. */
  *tabled(): Iterable<[T, string, string | Scalar | undefined]> {
    for (const [target, rows] of this.#tabled) {
      for (const [key, row] of rows) {
        if (row instanceof Latest) throw new Error('rows are handed over before memory takes them');
        yield [target, key, row instanceof Span ? this.#bytesOf(row).toString('latin1') : row];
      }
    }
  }

  #spanOf(target: T, key: string, row: Gathered): Span | undefined {
    if (row === undefined || row instanceof Span) return row;
    return this.#encoded(target, key, row instanceof Latest ? row.read() : row);
  }

  #encoded(target: T, key: string, value: unknown): Span {
    const start = this.format.append(this.bytes, target.prefix, key, value);
    return new Span(start, this.bytes.length);
  }

  #bytesOf({ start, end }: Span): Buffer {
    return this.bytes.bytes(start, end);
  }

  #add(target: T, key: string, row: Gathered): void {
    this.#targets.push(target);
    this.#keys.push(key);
    this.#rows.push(row);
  }
}
