import { mkdirSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { type Database, open, type RootDatabase } from 'lmdb';
import { StorageFailure } from './storage-failure.js';
import type { Store, Table, Transaction } from './store.js';

/** Values are kept in V8's structured-clone format: exact for bigints of any size, and readable by every later V8. */
class LmdbTable<V> implements Table<V> {
  constructor(
    readonly name: string,
    readonly database: Database<Buffer, string>,
  ) {}

  get(key: string): V | undefined {
    const bytes = this.database.get(key);
    return bytes === undefined ? undefined : (deserialize(bytes) as V);
  }

  *entries(range: { start?: string; end?: string } = {}): Iterable<[string, V]> {
    for (const { key, value } of this.database.getRange(range)) yield [key, deserialize(value) as V];
  }
}

class LmdbStore implements Store {
  readonly #root: RootDatabase<Buffer, string>;
  readonly #tables = new Map<string, LmdbTable<unknown>>();

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Without overlapping sync, a write's promise resolves when the commit is on disk, not merely visible.
    this.#root = open<Buffer, string>({
      path: folder,
      encoding: 'binary',
      maxDbs: 64,
      overlappingSync: false,
      permissionsMode: 0o600,
    } as Parameters<typeof open>[0] & { path: string });
  }

  table<V>(name: string): Table<V> {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new LmdbTable(name, this.#root.openDB<Buffer, string>({ name, encoding: 'binary' }));
      this.#tables.set(name, table);
    }
    return table as unknown as Table<V>;
  }

  async write(change: (transaction: Transaction) => void): Promise<void> {
    const steps: (() => void)[] = [];
    change({
      put: (table, key, value) => {
        const bytes = serialize(value);
        steps.push(() => void databaseOf(table).put(key, bytes).catch(toldByBatch));
      },
      remove: (table, key) => steps.push(() => void databaseOf(table).remove(key).catch(toldByBatch)),
    });
    try {
      await this.#root.batch(() => {
        for (const step of steps) step();
      });
    } catch (error) {
      const reason = await reasonOf(error);
      throw new StorageFailure(`cannot write to the database: ${reason.message}`, { cause: reason });
    }
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}

/** Each part of a failed batch rejects as well; the batch itself tells its caller. */
function toldByBatch(): void {}

/** What the database says of a failed commit, which it tells in a promise beside the error itself. */
async function reasonOf(error: unknown): Promise<Error> {
  const known = error instanceof Error ? error : new Error(String(error));
  const { commitError } = known as { commitError?: Promise<never> };
  if (commitError === undefined) return known;
  const later = new Promise<Error>((resolve) => setImmediate(resolve, known));
  return Promise.race([commitError.catch((reason: unknown) => (reason instanceof Error ? reason : known)), later]);
}

function databaseOf(table: Table<unknown>): Database<Buffer, string> {
  if (!(table instanceof LmdbTable)) throw new TypeError(`table ${table.name} belongs to another store`);
  return table.database;
}

/**
 * Whether an unhandled rejection is the database's own: with a failed commit it rejects a promise that it keeps for
 * itself (the batch that it opens around each turn's writes). Whoever wrote is told by {@link StorageFailure}.
 */
export function isStrayCommitFailure(reason: unknown): boolean {
  return reason instanceof Error && 'commitError' in reason;
}

/** Opens (or creates, mode 0700) the database in `folder`. Throws when the folder cannot be written or another process has broken it. */
export function openLmdbStore(folder: string): Store {
  return new LmdbStore(folder);
}
