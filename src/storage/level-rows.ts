import type { ClassicLevel } from 'classic-level';
import type { Scalar } from './row-batch.js';
import type { RowFormat } from './row-format.js';
import { StorageFailure } from './storage-failure.js';
import type { Archive, Range, Table } from './store.js';

export type Database = ClassicLevel<string, Buffer>;

/** A row as it goes to the disk; undefined where it is removed. */
type Row = Buffer | undefined;

interface KeyRange {
  readonly gte: string;
  readonly lt: string;
  readonly reverse?: boolean;
}

/** Rows fetched from the disk at once: a few hundred kilobytes at most, and some milliseconds of work. */
const CHUNK_ROWS = 200;

/** The rows of the database by their whole keys: those on disk, and over them what the disk has not taken yet. */
export class LevelRows {
  /** Rows that go to the disk as soon as it takes writes again; empty while it does. */
  readonly owed = new Map<string, Row>();
  #owedBytes = 0;

  constructor(public database: Database) {}

  /** Bytes of keys and rows that are owed, and have been since it was last nothing. */
  get owedBytes(): number {
    return this.#owedBytes;
  }

  owe(key: string, row: Row): void {
    this.owed.set(key, row && Buffer.from(row));
    this.#owedBytes += key.length + (row?.length ?? 0);
  }

  /** Rows that are on disk now, unless they have changed meanwhile. */
  paid(rows: readonly (readonly [string, Row])[]): void {
    for (const [key, row] of rows) if (this.owed.get(key) === row) this.owed.delete(key);
    if (this.owed.size === 0) this.#owedBytes = 0;
  }

  get(key: string): Row {
    if (this.owed.size > 0 && this.owed.has(key)) return this.owed.get(key);
    try {
      return this.database.getSync(key);
    } catch (error) {
      return damagedReading(error);
    }
  }

  /** The rows of a range, many at a time. */
  async *chunks(range: KeyRange): AsyncGenerator<[string, Buffer][]> {
    const owed = this.#owedIn(range);
    let next = 0;
    for await (const chunk of chunksOf(this.database.iterator(range), damagedReading)) {
      if (owed.length === 0) {
        yield chunk;
        continue;
      }
      const merged: [string, Buffer][] = [];
      const take = ([key, row]: readonly [string, Row]) => row !== undefined && merged.push([key, row]);
      for (const stored of chunk) {
        for (let one = owed[next]; one !== undefined && isBefore(one[0], stored[0], range); one = owed[++next]) take(one);
        const newer = owed[next];
        if (newer?.[0] !== stored[0]) merged.push(stored);
        else {
          take(newer);
          next += 1;
        }
      }
      yield merged;
    }
    const rest = owed.slice(next).flatMap(([key, row]): [string, Buffer][] => (row === undefined ? [] : [[key, row]]));
    if (rest.length > 0) yield rest;
  }

  #owedIn(range: KeyRange): readonly (readonly [string, Row])[] {
    if (this.owed.size === 0) return [];
    const within = [...this.owed].filter(([key]) => key >= range.gte && key < range.lt);
    return within.sort(([a], [b]) => (isBefore(a, b, range) ? -1 : 1));
  }
}

export class LevelTable<V> implements Table<V> {
  readonly kind = 'table';

  constructor(
    readonly name: string,
    readonly prefix: string,
    /** As they are on disk but for numbers: as text of one byte a character, which takes less than half the memory of so many buffers. */
    readonly rows: Map<string, string | Scalar>,
    private readonly format: RowFormat,
  ) {}

  get(key: string): V | undefined {
    const row = this.rows.get(key);
    if (typeof row !== 'string') return row as V | undefined;
    return this.format.decode(this.prefix + key, Buffer.from(row, 'latin1')) as V;
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
    private readonly format: RowFormat,
  ) {}

  get(key: string): V | undefined {
    const whole = this.prefix + key;
    const row = this.rows.get(whole);
    return row === undefined ? undefined : (this.format.decode(whole, row) as V);
  }

  async *entries({ start, end, reverse = false }: Range & { reverse?: boolean } = {}): AsyncIterable<[string, V]> {
    const { prefix } = this;
    const range = { gte: prefix + (start ?? ''), lt: end === undefined ? endOf(prefix) : prefix + end, reverse };
    for await (const chunk of this.rows.chunks(range)) {
      for (const [key, row] of chunk) yield [key.slice(prefix.length), this.format.decode(key, row) as V];
    }
  }
}

/** The first key after all that begin with `prefix`, whose last character is "/". */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

interface RowIterator {
  nextv(size: number): Promise<[string, Buffer][]>;
  close(): Promise<void>;
}

/** The rows of an iterator, many at a time, as one at a time takes longer than the rows themselves. It is closed at the end. */
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

/** Whether a row comes before another in a reading of the range. */
function isBefore(a: string, b: string, { reverse = false }: KeyRange): boolean {
  return reverse ? a > b : a < b;
}

function damagedReading(error: unknown): never {
  if (error instanceof StorageFailure) throw error;
  throw new StorageFailure(`cannot read from the database: ${reasonOf(error)}`, { cause: error });
}

/** The database's own error; the library wraps it. */
export function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const innermost = cause instanceof Error ? cause : error;
  return innermost instanceof Error ? innermost.message : String(innermost);
}
