import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { hasRoom, type OpenedDatabase, type OpenProblem, openDatabase, problemOf, ROOM_BYTES, unfinishedFile } from './level-database.js';
import type { FileWatch } from './level-files.js';
import { chunksOf, type Database, endOf, LevelArchive, LevelRows, LevelTable, reasonOf } from './level-rows.js';
import { type Row, RowBatch } from './row-batch.js';
import { decodeRow, encodeRow } from './row-format.js';
import { StorageFailure } from './storage-failure.js';
import type { Archive, Store, Table, Transaction } from './store.js';

export type { OpenProblem } from './level-database.js';

/** A store whose progress can be compared with a marker kept elsewhere. */
export interface DurableStore extends Store {
  /** Random id, given to the database when it was made; copies share it. */
  readonly identity: string;
  /** Number of flushes on disk. It only rises, across restarts too; 0 in a database that was never written. */
  readonly sequence: number;
  /** Calls `listener` whenever {@link sequence} has risen, before the flush is acknowledged. It must not throw. */
  onDurable(listener: () => void): void;
  /** Raises {@link sequence} to at least this number. Resolves when that is on disk. */
  advanceTo(sequence: number): Promise<void>;
}

type AnyRows = LevelTable<unknown> | LevelArchive<unknown>;

/** Changes of one flush. */
interface Batch {
  readonly rows: RowBatch<AnyRows>;
  readonly done: Promise<void>;
  /** A caller waits for it. */
  urgent: boolean;
  settle(failure?: StorageFailure): void;
}

const TABLES = 't/';
const ARCHIVES = 'a/';
const IDENTITY = 'm/identity';
const SEQUENCE = 'm/sequence';
/** Rows after which another flush begins: one flush is handed to the database in one turn of the event loop. A change is never split. */
const FLUSHED_ROWS_MAX = 1_000;
/** Delay of a flush that no caller waits for, so that others join it. */
const SOON_MS = 4;
const REFUSED = 'cannot write to the database: ';
const RESTART = 'restart the daemon';
/** Interval at which a disk that refused a write is probed for room. */
const RETRY_MS = 1_000;
/** Bound on the rows kept in memory meanwhile, bytes. */
const PENDING_BYTES_MAX = 64 * 1024 * 1024;

class LevelStore implements DurableStore {
  readonly #tables = new Map<string, LevelTable<unknown>>();
  /** Batches gathered while a flush is under way, in the order in which they are flushed. */
  readonly #waiting: Batch[] = [];
  #busy = false;
  /** Timer of a flush that no caller waits for. */
  #timer: NodeJS.Timeout | undefined;
  #idle: Promise<void> = Promise.resolve();
  #failure: StorageFailure | undefined;
  readonly #listeners = new Set<() => void>();
  #onDurable: () => void = () => undefined;
  #retry: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    private readonly folder: string,
    private readonly rows: LevelRows,
    readonly identity: string,
    private durable: number,
    private lock: FileWatch,
    tables: ReadonlyMap<string, Map<string, string>>,
  ) {
    for (const [name, rows] of tables) this.#tables.set(name, new LevelTable(name, `${TABLES}${name}/`, rows));
  }

  get sequence(): number {
    return this.durable;
  }

  get failure(): StorageFailure | undefined {
    return this.#failure;
  }

  onFailure(listener: () => void): void {
    this.#listeners.add(listener);
  }

  onDurable(listener: () => void): void {
    this.#onDurable = listener;
  }

  table<V>(name: string): Table<V> {
    const prefix = prefixOf(TABLES, name);
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new LevelTable(name, prefix, new Map());
      this.#tables.set(name, table);
    }
    return table as unknown as Table<V>;
  }

  archive<V>(name: string): Archive<V> {
    return new LevelArchive<V>(name, prefixOf(ARCHIVES, name), this.rows);
  }

  write(change: (transaction: Transaction) => void, when: 'now' | 'soon' = 'now'): Promise<void> {
    if (this.#failure?.kept === false) return Promise.reject(this.#failure);
    const batch = this.#currentBatch();
    batch.rows.take(change);
    if (when === 'now') batch.urgent = true;
    this.#schedule();
    return batch.done;
  }

  async advanceTo(sequence: number): Promise<void> {
    if (sequence <= this.durable) return;
    const batch = this.#currentBatch();
    this.durable = sequence;
    batch.urgent = true;
    this.#schedule();
    await batch.done;
  }

  async close(): Promise<void> {
    for (this.#startFlush(); this.#busy; this.#startFlush()) await this.#idle;
    clearTimeout(this.#retry);
    await this.#recovering;
    // Last attempt: pending rows are lost after this.
    if (this.#failure?.passes) await this.#recover();
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.rows.database.close();
    if (this.rows.pending.size > 0)
      throw new StorageFailure(`${this.rows.pending.size} rows did not reach the disk and are lost: ${namesOf(this.rows.pending.keys())}`);
  }

  /** Batch that new changes join. */
  #currentBatch(): Batch {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.rows.size < FLUSHED_ROWS_MAX) return last;
    const batch = newBatch();
    this.#waiting.push(batch);
    return batch;
  }

  #schedule(): void {
    if (this.#busy || this.#waiting.length === 0) return;
    if (this.#waiting.length > 1 || this.#waiting[0]?.urgent) this.#startFlush();
    else this.#timer ??= setTimeout(() => this.#startFlush(), SOON_MS);
  }

  /** Flushes waiting batches at the end of this turn. */
  #startFlush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = true;
    this.#idle = new Promise((resolve) => setImmediate(() => this.#flushAll().then(resolve)));
  }

  async #flushAll(): Promise<void> {
    do {
      const batch = this.#waiting.shift();
      const refused = batch && (await this.#flush(batch));
      batch?.settle(refused);
    } while (this.#waiting.length > 1 || this.#waiting[0]?.urgent);
    this.#busy = false;
    this.#schedule();
  }

  /** Puts a batch on disk; resolves to the failure if that does not work. */
  async #flush(batch: Batch): Promise<StorageFailure | undefined> {
    if (this.#failure !== undefined) return this.#keep(batch);
    let sequence: number;
    try {
      sequence = await this.#commit(batch.rows.encoded());
    } catch (error) {
      if (this.#isClosed) return this.#fail(reasonOf(error), error);
      const failure = this.lock.isThere() ? noRoom(error) : lockRemoved(error);
      return this.#beginOutage(failure, [batch, ...this.#waiting.splice(0)]);
    }
    // Checked after the write: a second process that opens the database then reads everything acknowledged here.
    if (!this.lock.isThere()) return this.#beginOutage(lockRemoved(), [batch, ...this.#waiting.splice(0)]);
    this.#committed(sequence);
    this.#apply(batch);
    return undefined;
  }

  /** Writes rows and the next sequence number in one synced batch; resolves to that number. */
  async #commit(rows: Iterable<readonly [string, Row]>): Promise<number> {
    const sequence = this.durable + 1;
    const change = this.rows.database.batch();
    for (const [key, row] of rows) {
      if (row === undefined) change.del(key);
      else change.put(key, row);
    }
    change.put(SEQUENCE, encodeRow(SEQUENCE, sequence));
    await change.write({ sync: true });
    return sequence;
  }

  #committed(sequence: number): void {
    this.durable = sequence;
    this.#onDurable();
  }

  /** Makes the rows of a batch visible to reads of tables. */
  #apply({ rows }: Batch): void {
    for (const { target, key, row } of rows.merged().values()) {
      if (target.kind !== 'table') continue;
      if (row === undefined) target.rows.delete(key);
      else target.rows.set(key, row.toString('latin1'));
    }
  }

  /** The disk refused a write: nothing that waits is acknowledged, and all of it becomes pending. */
  #beginOutage(failure: StorageFailure, batches: readonly Batch[]): StorageFailure {
    for (const batch of batches) this.#keep(batch);
    const outcome = this.#failure ?? failure;
    this.#setFailure(outcome);
    for (const batch of batches.slice(1)) batch.settle(outcome);
    if (outcome.passes) this.#retryLater();
    return outcome;
  }

  /** Keeps a batch in memory until the disk takes it; returns the failure if there is too much. */
  #keep(batch: Batch): StorageFailure | undefined {
    if (this.#failure?.kept === false) return this.#failure;
    for (const [key, row] of batch.rows.encoded()) this.rows.setPending(key, row);
    this.#apply(batch);
    if (this.rows.pendingBytes <= PENDING_BYTES_MAX) return undefined;
    return this.#fail(`it took none for so long that ${PENDING_BYTES_MAX / 1024 ** 2} MiB wait in memory`);
  }

  /** Refuses all writes from now on. */
  #fail(reason: string, cause?: unknown): StorageFailure {
    clearTimeout(this.#retry);
    const failure = new StorageFailure(`${REFUSED}${reason}; ${RESTART}`, { cause });
    this.#setFailure(failure);
    return failure;
  }

  #setFailure(failure: StorageFailure | undefined): void {
    if (this.#failure === failure) return;
    this.#failure = failure;
    for (const listener of this.#listeners) listener();
  }

  #retryLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#recovering = this.#recover().then(() => {
        if (this.#failure?.passes && !this.#isClosed) this.#retryLater();
      });
    }, RETRY_MS).unref();
  }

  /** Opens the database anew, since its log may end in part of a record, and writes the pending rows. */
  async #recover(): Promise<void> {
    if (!this.lock.isThere()) return this.#setFailure(lockRemoved());
    if (!hasRoom(this.folder, this.rows.pendingBytes)) return;
    try {
      await this.rows.database.close();
      const { database, lock } = await openDatabase(this.folder);
      this.rows.database = database;
      this.lock = lock;
      const found = metadata(database, SEQUENCE);
      // The failed flush may be on disk all the same.
      const isOurs = metadata(database, IDENTITY) === this.identity && (found === this.durable || found === this.durable + 1);
      if (isOurs) await this.#flushPending();
      else this.#fail('another process has written to it');
    } catch (error) {
      const { kind, message } = problemOf(this.folder, error);
      if (kind !== 'unusable') this.#fail(message);
    }
  }

  async #flushPending(): Promise<void> {
    while (this.rows.pending.size > 0) {
      const rows = [...this.rows.pending];
      this.#committed(await this.#commit(rows));
      this.rows.clearPending(rows);
    }
    if (this.#failure?.passes) this.#setFailure(undefined);
  }
}

/**
 * Opens (or creates, mode 0700) the database in `folder`, for this process alone: the lock is the kernel's, goes with the
 * process, and holds between containers that share the volume. Nothing is started on a damaged database.
 */
export async function openLevelStore(folder: string): Promise<DurableStore | OpenProblem> {
  let opened: OpenedDatabase | undefined;
  try {
    opened = await openDatabase(folder);
    const unfinished = unfinishedFile(folder);
    const store = await load(folder, opened, existsSync(unfinished));
    rmSync(unfinished, { force: true });
    return store;
  } catch (error) {
    await opened?.database.close().catch(() => undefined);
    return problemOf(folder, error);
  }
}

async function load(folder: string, { database, lock }: OpenedDatabase, unfinished: boolean): Promise<LevelStore> {
  const identity = metadata(database, IDENTITY);
  const sequence = metadata(database, SEQUENCE) ?? 0;
  const tables = new Map<string, Map<string, string>>();
  for await (const chunk of chunksOf(database.iterator({ gte: TABLES, lt: endOf(TABLES) }), rethrown)) {
    for (const [key, row] of chunk) {
      decodeRow(key, row);
      const [name, own] = splitKey(key);
      const rows = tables.get(name) ?? new Map<string, string>();
      tables.set(name, rows.set(copyOf(own), row.toString('latin1')));
    }
  }
  if (typeof identity === 'string' && typeof sequence === 'number')
    return new LevelStore(folder, new LevelRows(database), identity, sequence, lock, tables);
  if (!unfinished || sequence !== 0 || tables.size > 0) throw new StorageFailure('it has lost its identity');
  const fresh = randomUUID();
  await database.put(IDENTITY, encodeRow(IDENTITY, fresh), { sync: true });
  return new LevelStore(folder, new LevelRows(database), fresh, 0, lock, tables);
}

/** The disk takes nothing for now. */
function noRoom(error: unknown): StorageFailure {
  const remedy = `the daemon goes on by itself once the disk takes writes and has ${ROOM_BYTES / 1024 ** 2} MiB free`;
  return new StorageFailure(`${REFUSED}${reasonOf(error)}; ${remedy}`, { cause: error, kept: true });
}

/** Another process may have opened the database since: what is written to it may not be what the next start finds. */
function lockRemoved(cause?: unknown): StorageFailure {
  const reason = 'its folder or its lock file was removed or replaced, so that another process may use it too';
  return new StorageFailure(`${REFUSED}${reason}; ${RESTART}`, { cause, kept: true, passes: false });
}

function metadata(database: Database, key: string): unknown {
  const row = database.getSync(key);
  return row === undefined ? undefined : decodeRow(key, row);
}

function newBatch(): Batch {
  let settle: Batch['settle'] = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = (failure) => (failure === undefined ? resolve() : reject(failure));
  });
  return { rows: new RowBatch(anyRowsOf), done, urgent: false, settle };
}

function anyRowsOf(rows: Table<unknown> | Archive<unknown>): AnyRows {
  if (rows instanceof LevelTable || rows instanceof LevelArchive) return rows;
  throw new TypeError(`${rows.kind} ${rows.name} belongs to another store`);
}

function prefixOf(kind: string, name: string): string {
  if (name === '' || name.includes('/')) throw new TypeError(`${JSON.stringify(name)} cannot name rows`);
  return `${kind}${name}/`;
}

/** Number of rows of each table and archive: "halts (1), orders (12)". */
function namesOf(keys: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const [kind, name = ''] = key.split('/');
    if (kind !== 'm') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} (${count})`).join(', ');
}

/** Splits "t/name/key" into the table's name and the row's own key. */
function splitKey(key: string): [string, string] {
  const end = key.indexOf('/', TABLES.length);
  return [key.slice(TABLES.length, end), key.slice(end + 1)];
}

/** Copy of a text: a slice would keep the whole key in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

function rethrown(error: unknown): never {
  throw error;
}
