import type { ClassicLevel } from 'classic-level';
import type { Row } from './row-batch.js';
import { decodeRow } from './row-format.js';
import { StorageFailure } from './storage-failure.js';
import type { Archive, Range, Table } from './store.js';

export type Database = ClassicLevel<string, Buffer>;

interface KeyRange {
  readonly gte: string;
  readonly lt: string;
  readonly reverse?: boolean;
}

/** Rows read from the disk at once: a few hundred kilobytes at most, and some milliseconds of work. */
const CHUNK_ROWS = 200;

/** Rows of the database by their whole keys: rows on disk, overlaid by rows that the disk has not taken yet. */
export class LevelRows {
  /** Rows to be written as soon as the disk takes writes again; empty while it does. */
  readonly pending = new Map<string, Row>();
  #pendingBytes = 0;

  constructor(public database: Database) {}

  /** Bytes of keys and rows that became pending since there were none. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  setPending(key: string, row: Row): void {
    this.pending.set(key, row);
    this.#pendingBytes += key.length + (row?.length ?? 0);
  }

  /** Drops pending rows that are on disk now, unless they have changed meanwhile. */
  clearPending(rows: readonly (readonly [string, Row])[]): void {
    for (const [key, row] of rows) if (this.pending.get(key) === row) this.pending.delete(key);
    if (this.pending.size === 0) this.#pendingBytes = 0;
  }

  get(key: string): Row {
    if (this.pending.size > 0 && this.pending.has(key)) return this.pending.get(key);
    try {
      return this.database.getSync(key);
    } catch (error) {
      return damagedReading(error);
    }
  }

  /** Rows of a range in chunks. */
  async *chunks(range: KeyRange): AsyncGenerator<[string, Buffer][]> {
    const pending = this.#pendingIn(range);
    let next = 0;
    for await (const chunk of chunksOf(this.database.iterator(range), damagedReading)) {
      if (pending.length === 0) {
        yield chunk;
        continue;
      }
      const merged: [string, Buffer][] = [];
      const take = ([key, row]: readonly [string, Row]) => row !== undefined && merged.push([key, row]);
      for (const stored of chunk) {
        for (let one = pending[next]; one !== undefined && isBefore(one[0], stored[0], range); one = pending[++next]) take(one);
        const newer = pending[next];
        if (newer?.[0] !== stored[0]) merged.push(stored);
        else {
          take(newer);
          next += 1;
        }
      }
      yield merged;
    }
    const rest = pending.slice(next).flatMap(([key, row]): [string, Buffer][] => (row === undefined ? [] : [[key, row]]));
    if (rest.length > 0) yield rest;
  }

  #pendingIn(range: KeyRange): readonly (readonly [string, Row])[] {
    if (this.pending.size === 0) return [];
    const within = [...this.pending].filter(([key]) => key >= range.gte && key < range.lt);
    return within.sort(([a], [b]) => (isBefore(a, b, range) ? -1 : 1));
  }
}

export class LevelTable<V> implements Table<V> {
  readonly kind = 'table';

  constructor(
    readonly name: string,
    readonly prefix: string,
    /** Encoded rows as Latin-1 text, which takes less than half the memory of buffers. */
    readonly rows: Map<string, string>,
  ) {}

  get(key: string): V | undefined {
    const row = this.rows.get(key);
    return row === undefined ? undefined : (decodeRow(this.prefix + key, Buffer.from(row, 'latin1')) as V);
  }

  *entries({ start, end }: Range = {}): Iterable<[string, V]> {
    const keys = [...this.rows.keys()].filter((key) => (start === undefined || key >= start) && (end === undefined || key < end)).sort();
    for (const key of keys) {
      const value = this.get(key);
      if (value !== undefined) yield [key, value];
    }
  }
}

export class LevelArchive<V> implements Archive<V> {
  readonly kind = 'archive';

  constructor(
    readonly name: string,
    readonly prefix: string,
    private readonly rows: LevelRows,
  ) {}

  get(key: string): V | undefined {
    const whole = this.prefix + key;
    const row = this.rows.get(whole);
    return row === undefined ? undefined : (decodeRow(whole, row) as V);
  }

  async *entries({ start, end, reverse = false }: Range & { reverse?: boolean } = {}): AsyncIterable<[string, V]> {
    const { prefix } = this;
    const range = { gte: prefix + (start ?? ''), lt: end === undefined ? endOf(prefix) : prefix + end, reverse };
    for await (const chunk of this.rows.chunks(range)) {
      for (const [key, row] of chunk) yield [key.slice(prefix.length), decodeRow(key, row) as V];
    }
  }
}

/** First key after all keys that begin with `prefix`, which ends with "/". */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

interface RowIterator {
  nextv(size: number): Promise<[string, Buffer][]>;
  close(): Promise<void>;
}

/** Rows of an iterator in chunks, since single reads take longer than decoding; closes it at the end. */
export async function* chunksOf(iterator: RowIterator, failed: (error: unknown) => never): AsyncGenerator<[string, Buffer][]> {
  try {
    for (;;) {
      const chunk = await iterator.nextv(CHUNK_ROWS).catch(failed);
      if (chunk.length === 0) return;
      yield chunk;
    }
  } finally {
    await iterator.close();
  }
}

/** Whether key `a` is read before key `b` in this range. */
function isBefore(a: string, b: string, { reverse = false }: KeyRange): boolean {
  return reverse ? a > b : a < b;
}

function damagedReading(error: unknown): never {
  if (error instanceof StorageFailure) throw error;
  throw new StorageFailure(`cannot read from the database: ${reasonOf(error)}`, { cause: error });
}

/** Message of LevelDB's own error, which the library wraps. */
export function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const innermost = cause instanceof Error ? cause : error;
  return innermost instanceof Error ? innermost.message : String(innermost);
}
