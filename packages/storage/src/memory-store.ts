import type { Archive, Range, Store, Table, Transaction } from './store.js';

class MemoryTable<V> implements Table<V> {
  readonly kind = 'table';
  readonly rows = new Map<string, V>();

  constructor(readonly name: string) {}

  get(key: string): V | undefined {
    return this.rows.get(key);
  }

  entries(range: Range = {}): Iterable<[string, V]> {
    return sorted(this.rows, range);
  }
}

class MemoryArchive<V> implements Archive<V> {
  readonly kind = 'archive';
  readonly rows = new Map<string, V>();

  constructor(readonly name: string) {}

  get(key: string): V | undefined {
    return this.rows.get(key);
  }

  async *entries({ reverse = false, ...range }: Range & { reverse?: boolean } = {}): AsyncIterable<[string, V]> {
    const entries = sorted(this.rows, range);
    yield* reverse ? entries.reverse() : entries;
  }
}

/** A store that forgets: for tests, and for a simulator that is to leave no trace. */
export class MemoryStore implements Store {
  readonly #tables = new Map<string, MemoryTable<unknown>>();
  readonly #archives = new Map<string, MemoryArchive<unknown>>();

  table<V>(name: string): Table<V> {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new MemoryTable(name);
      this.#tables.set(name, table);
    }
    return table as unknown as Table<V>;
  }

  archive<V>(name: string): Archive<V> {
    let archive = this.#archives.get(name);
    if (archive === undefined) {
      archive = new MemoryArchive(name);
      this.#archives.set(name, archive);
    }
    return archive as unknown as Archive<V>;
  }

  async write(change: (transaction: Transaction) => void): Promise<void> {
    const steps: (() => void)[] = [];
    change({
      put: (to, key, value) => steps.push(() => rowsOf(to).set(key, copyOf(value))),
      putLatest: (to, key, read) => steps.push(() => rowsOf(to).set(key, read())),
      remove: (from, key) => steps.push(() => rowsOf(from).delete(key)),
    });
    for (const step of steps) step();
  }

  async close(): Promise<void> {}
}

function sorted<V>(rows: ReadonlyMap<string, V>, { start, end }: Range): [string, V][] {
  return [...rows]
    .filter(([key]) => (start === undefined || key >= start) && (end === undefined || key < end))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Copy of a value; primitives need none. */
function copyOf(value: unknown): unknown {
  return typeof value === 'object' || typeof value === 'function' ? structuredClone(value) : value;
}

function rowsOf(rows: Table<unknown> | Archive<unknown>): Map<string, unknown> {
  if (rows instanceof MemoryTable || rows instanceof MemoryArchive) return rows.rows;
  throw new TypeError(`${rows.kind} ${rows.name} belongs to another store`);
}
