import type { Store, Table, Transaction } from './store.js';

class MemoryTable<V> implements Table<V> {
  readonly rows = new Map<string, V>();

  constructor(readonly name: string) {}

  get(key: string): V | undefined {
    return this.rows.get(key);
  }

  entries(range: { start?: string; end?: string } = {}): Iterable<[string, V]> {
    const { start, end } = range;
    return [...this.rows]
      .filter(([key]) => (start === undefined || key >= start) && (end === undefined || key < end))
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** A store that forgets: for tests, and for a simulator that is to leave no trace. */
export class MemoryStore implements Store {
  readonly #tables = new Map<string, MemoryTable<unknown>>();

  table<V>(name: string): Table<V> {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new MemoryTable(name);
      this.#tables.set(name, table);
    }
    return table as unknown as Table<V>;
  }

  async write(change: (transaction: Transaction) => void): Promise<void> {
    const steps: (() => void)[] = [];
    change({
      put: (table, key, value) => steps.push(() => rows(table).set(key, structuredClone(value))),
      remove: (table, key) => steps.push(() => rows(table).delete(key)),
    });
    for (const step of steps) step();
  }

  async close(): Promise<void> {}
}

function rows(table: Table<unknown>): Map<string, unknown> {
  if (!(table instanceof MemoryTable)) throw new TypeError(`table ${table.name} belongs to another store`);
  return table.rows;
}
