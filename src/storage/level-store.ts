import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { hasRoom, type OpenedDatabase, type OpenProblem, openDatabase, problemOf, ROOM_BYTES, unfinishedFile } from './level-database.js';
import type { FileWatch } from './level-files.js';
import { chunksOf, type Database, endOf, LevelArchive, LevelRows, LevelTable, reasonOf } from './level-rows.js';
import { RowBatch, type Scalar } from './row-batch.js';
import { RowFormat } from './row-format.js';
import type { ValueWriter } from './row-values.js';
import { StorageFailure } from './storage-failure.js';
import type { Archive, Store, Table, Transaction } from './store.js';

export type { OpenProblem } from './level-database.js';

/** A store with a history that can be compared with what was noted of it elsewhere. */
export interface DurableStore extends Store {
  /** Given to the database when it was made; copies share it. */
  readonly identity: string;
  /** How many flushes are on disk. It only rises, across restarts too; 0 in a database that was never written. */
  readonly sequence: number;
  /** Calls `listener` whenever {@link sequence} has risen, before the flush is acknowledged. It must not throw. */
  onDurable(listener: () => void): void;
  /** Goes on at `sequence`, where that is ahead. Resolves when it is on disk. */
  advanceTo(sequence: number): Promise<void>;
}

type AnyRows = LevelTable<unknown> | LevelArchive<unknown>;

/** One flush. */
interface Batch {
  readonly rows: RowBatch<AnyRows>;
  readonly done: Promise<void>;
  /** Somebody waits for it. */
  urgent: boolean;
  settle(failure?: StorageFailure): void;
}

const TABLES = 't/';
const ARCHIVES = 'a/';
const IDENTITY = 'm/identity';
const SEQUENCE = 'm/sequence';
/** The shapes of rows, by their numbers. */
const SHAPES = 'm/shapes/';
const SHAPE_DIGITS = 5;
/** Rows of one flush, which are handed to the database in one turn of the event loop; a change is never cut. */
const FLUSHED_ROWS_MAX = 1_000;
/** One flush is under way while the next is gathered; memory that one flush made larger than this is not kept. */
const SPARE_MAX = 2;
const SPARE_BYTES_MAX = 4 * 1024 * 1024;
/** How long a change waits for others to be flushed with that nobody waits for. */
const SOON_MS = 4;
const REFUSED = 'cannot write to the database: ';
/** How often a disk that took no writes is asked whether it has room again. */
const RETRY_MS = 1_000;
/** Bound on the writes kept in memory meanwhile, bytes. */
const OWED_BYTES_MAX = 64 * 1024 * 1024;

class LevelStore implements DurableStore {
  readonly #tables = new Map<string, LevelTable<unknown>>();
  /** Batches gathered while the disk is busy, in the order in which they are flushed. */
  readonly #waiting: Batch[] = [];
  #busy = false;
  /** Until what waits, and nobody waits for, is flushed all the same. */
  #timer: NodeJS.Timeout | undefined;
  #idle: Promise<void> = Promise.resolve();
  #failure: StorageFailure | undefined;
  readonly #listeners = new Set<() => void>();
  #flushed: () => void = () => undefined;
  #retry: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | undefined;
  #isClosed = false;
  /** Memory of flushes that are done. */
  readonly #spare: ValueWriter[] = [];

  constructor(
    private readonly folder: string,
    private readonly rows: LevelRows,
    readonly identity: string,
    private durable: number,
    private lock: FileWatch,
    private readonly format: RowFormat,
    tables: ReadonlyMap<string, Map<string, string | Scalar>>,
  ) {
    for (const [name, rows] of tables) this.#tables.set(name, new LevelTable(name, `${TABLES}${name}/`, rows, format));
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
    this.#flushed = listener;
  }

  table<V>(name: string): Table<V> {
    const prefix = prefixOf(TABLES, name);
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new LevelTable(name, prefix, new Map(), this.format);
      this.#tables.set(name, table);
    }
    return table as unknown as Table<V>;
  }

  archive<V>(name: string): Archive<V> {
    return new LevelArchive<V>(name, prefixOf(ARCHIVES, name), this.rows, this.format);
  }

  write(change: (transaction: Transaction) => void, when: 'now' | 'soon' = 'now'): Promise<void> {
    if (this.#failure?.kept === false) return Promise.reject(this.#failure);
    const batch = this.#open();
    batch.rows.take(change);
    if (when === 'now') batch.urgent = true;
    this.#schedule();
    return batch.done;
  }

  async advanceTo(sequence: number): Promise<void> {
    if (sequence <= this.durable) return;
    const batch = this.#open();
    this.durable = sequence;
    batch.urgent = true;
    this.#schedule();
    await batch.done;
  }

  async close(): Promise<void> {
    for (this.#start(); this.#busy; this.#start()) await this.#idle;
    clearTimeout(this.#retry);
    await this.#recovering;
    // A last time: what is owed would be lost.
    if (this.#failure?.kept) await this.#recover();
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.rows.database.close();
    if (this.rows.owed.size > 0)
      throw new StorageFailure(`${this.rows.owed.size} rows did not reach the disk and are lost: ${namesOf(this.rows.owed.keys())}`);
  }

  /** Batch that is flushed next: after this turn or in a while, or when the flush under way is done. */
  #open(): Batch {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.rows.size < FLUSHED_ROWS_MAX) return last;
    const batch = newBatch(new RowBatch(this.format, anyRowsOf, this.#spare.pop()));
    this.#waiting.push(batch);
    return batch;
  }

  #schedule(): void {
    if (this.#busy || this.#waiting.length === 0) return;
    if (this.#waiting.length > 1 || this.#waiting[0]?.urgent) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), SOON_MS);
  }

  /** Flushes what waits at the end of this turn. */
  #start(): void {
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

  /** Puts a batch on disk, or says why it is not there. */
  async #flush(batch: Batch): Promise<StorageFailure | undefined> {
    const { rows } = batch;
    if (this.#failure !== undefined) return this.#keep(batch);
    const sequence = this.durable + 1;
    let shapes: [string, Buffer][] = [];
    try {
      const change = this.rows.database.batch();
      rows.writeTo((key, row) => {
        if (row === undefined) change.del(key);
        else change.put(key, row);
      });
      shapes = this.#newShapes();
      for (const [key, row] of shapes) change.put(key, row);
      change.put(SEQUENCE, this.format.encode(SEQUENCE, sequence));
      await change.write({ sync: true });
    } catch (error) {
      return this.#beginOutage(error, [batch, ...this.#waiting.splice(0)], shapes);
    }
    // Looked at last: what a second process reads when it opens the database has all that was acknowledged here.
    if (!this.lock.isThere()) return this.#end('its lock file was removed or replaced, so that another process may use it too');
    this.durable = sequence;
    this.#flushed();
    this.#show(rows);
    if (this.#spare.length < SPARE_MAX && rows.bytes.capacity <= SPARE_BYTES_MAX) this.#spare.push(rows.bytes);
    return undefined;
  }

  #newShapes(): [string, Buffer][] {
    return this.format.shapes.takeNew().map(({ number, names }) => {
      const key = SHAPES + String(number).padStart(SHAPE_DIGITS, '0');
      return [key, this.format.encode(key, names)];
    });
  }

  /** Has reads see the rows of tables that were handed over. */
  #show(rows: RowBatch<AnyRows>): void {
    for (const [table, key, row] of rows.tabled()) {
      if (table.kind !== 'table') continue;
      if (row === undefined) table.rows.delete(key);
      else table.rows.set(key, row);
    }
  }

  /** The disk took no write: nothing that waits for it is acknowledged, and all of it is kept for later. */
  #beginOutage(error: unknown, batches: readonly Batch[], shapes: readonly [string, Buffer][]): StorageFailure {
    if (this.#isClosed || !this.lock.isThere()) return this.#end(reasonOf(error), error);
    for (const [key, row] of shapes) this.rows.owe(key, row);
    const remedy = `the daemon goes on by itself once the disk takes writes and has ${ROOM_BYTES / 1024 ** 2} MiB free`;
    const failure = new StorageFailure(`${REFUSED}${reasonOf(error)}; ${remedy}`, { cause: error, kept: true });
    for (const batch of batches) this.#keep(batch);
    const outcome = this.#failure ?? failure;
    this.#setFailure(outcome);
    for (const batch of batches.slice(1)) batch.settle(outcome);
    if (outcome.kept) this.#retryLater();
    return outcome;
  }

  /** Keeps a batch in memory until the disk takes it; says why where it does not. */
  #keep({ rows }: Batch): StorageFailure | undefined {
    if (this.#failure?.kept === false) return this.#failure;
    rows.writeTo((key, row) => this.rows.owe(key, row));
    for (const [key, row] of this.#newShapes()) this.rows.owe(key, row);
    this.#show(rows);
    if (this.rows.owedBytes <= OWED_BYTES_MAX) return undefined;
    return this.#end(`it took none for so long that ${OWED_BYTES_MAX / 1024 ** 2} MiB wait in memory`);
  }

  /** Takes nothing more. */
  #end(reason: string, cause?: unknown): StorageFailure {
    clearTimeout(this.#retry);
    const failure = new StorageFailure(`${REFUSED}${reason}; restart the daemon`, { cause });
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
        if (this.#failure?.kept && !this.#isClosed) this.#retryLater();
      });
    }, RETRY_MS).unref();
  }

  /** Opens the database anew, since the log of one that failed may end in part of a record, and puts on disk what is owed. */
  async #recover(): Promise<void> {
    if (!hasRoom(this.folder, this.rows.owedBytes)) return;
    if (!this.lock.isThere()) return void this.#end('its lock file was removed or replaced, so that another process may use it too');
    try {
      await this.rows.database.close();
      const { database, lock } = await openDatabase(this.folder);
      this.rows.database = database;
      this.lock = lock;
      const found = metadata(database, this.format, SEQUENCE);
      // The flush that failed may be there all the same.
      const isOurs = metadata(database, this.format, IDENTITY) === this.identity && (found === this.durable || found === this.durable + 1);
      if (isOurs) await this.#pay();
      else this.#end('another process has written to it');
    } catch (error) {
      const { kind, message } = problemOf(this.folder, error);
      if (kind !== 'unusable') this.#end(message);
    }
  }

  async #pay(): Promise<void> {
    while (this.rows.owed.size > 0) {
      const rows = [...this.rows.owed];
      const sequence = this.durable + 1;
      const change = this.rows.database.batch();
      for (const [key, row] of rows) {
        if (row === undefined) change.del(key);
        else change.put(key, row);
      }
      change.put(SEQUENCE, this.format.encode(SEQUENCE, sequence));
      await change.write({ sync: true });
      this.durable = sequence;
      this.#flushed();
      this.rows.paid(rows);
    }
    if (this.#failure?.kept) this.#setFailure(undefined);
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
  const format = new RowFormat();
  const identity = metadata(database, format, IDENTITY);
  const sequence = metadata(database, format, SEQUENCE) ?? 0;
  for await (const [key, row] of database.iterator({ gte: SHAPES, lt: endOf(SHAPES) })) {
    format.shapes.restore(format.decode(key, row) as string[]);
  }
  const tables = new Map<string, Map<string, string | Scalar>>();
  for await (const chunk of chunksOf(database.iterator({ gte: TABLES, lt: endOf(TABLES) }), rethrown)) {
    for (const [key, row] of chunk) {
      const value = format.decode(key, row);
      const [name, own] = splitKey(key);
      const rows = tables.get(name) ?? new Map<string, string | Scalar>();
      tables.set(name, rows.set(copyOf(own), typeof value === 'bigint' || typeof value === 'number' ? value : row.toString('latin1')));
    }
  }
  if (typeof identity === 'string' && typeof sequence === 'number')
    return new LevelStore(folder, new LevelRows(database), identity, sequence, lock, format, tables);
  if (!unfinished || sequence !== 0 || tables.size > 0) throw new StorageFailure('it has lost its identity');
  const fresh = randomUUID();
  await database.put(IDENTITY, format.encode(IDENTITY, fresh), { sync: true });
  return new LevelStore(folder, new LevelRows(database), fresh, 0, lock, format, tables);
}

function metadata(database: Database, format: RowFormat, key: string): unknown {
  const row = database.getSync(key);
  return row === undefined ? undefined : format.decode(key, row);
}

function newBatch(rows: Batch['rows']): Batch {
  let settle: Batch['settle'] = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = (failure) => (failure === undefined ? resolve() : reject(failure));
  });
  return { rows, done, urgent: false, settle };
}

function anyRowsOf(rows: Table<unknown> | Archive<unknown>): AnyRows {
  if (rows instanceof LevelTable || rows instanceof LevelArchive) return rows;
  throw new TypeError(`${rows.kind} ${rows.name} belongs to another store`);
}

function prefixOf(kind: string, name: string): string {
  if (name === '' || name.includes('/')) throw new TypeError(`${JSON.stringify(name)} cannot name rows`);
  return `${kind}${name}/`;
}

/** "halts (1), orders (12)": how many rows there are of each table and archive. */
function namesOf(keys: Iterable<string>): string {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const [kind, name = ''] = key.split('/');
    if (kind !== 'm') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} (${count})`).join(', ');
}

/** The table's name and the row's own key of "t/name/key". */
function splitKey(key: string): [string, string] {
  const end = key.indexOf('/', TABLES.length);
  return [key.slice(TABLES.length, end), key.slice(end + 1)];
}

/** The text by itself: a part cut from a key keeps the whole of it in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

function rethrown(error: unknown): never {
  throw error;
}
