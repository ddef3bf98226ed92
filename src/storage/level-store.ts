import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { Company } from './company.js';
import { ensurePrivateFolder } from './folders.js';
import { damageOf, FileWatch } from './level-files.js';
import { RowBatch, type Scalar } from './row-batch.js';
import { RowFormat } from './row-format.js';
import type { ValueWriter } from './row-values.js';
import { StorageFailure } from './storage-failure.js';
import type { Archive, Range, Store, Table, Transaction } from './store.js';

/** Why a database cannot be opened: what is wrong, where, and what to do. */
export interface OpenProblem {
  readonly kind: 'locked' | 'damaged' | 'foreign' | 'unusable';
  readonly message: string;
}

/** A store with a history that can be compared with what was noted of it elsewhere. */
export interface DurableStore extends Store {
  /** Given to the database when it was made; copies share it. */
  readonly identity: string;
  /** How many flushes are on disk. It only rises, across restarts too; 0 in a database that was never written. */
  readonly sequence: number;
  /** Goes on at `sequence`, where that is ahead. Resolves when it is on disk. */
  advanceTo(sequence: number): Promise<void>;
}

type LevelRows = LevelTable<unknown> | LevelArchive<unknown>;
type Database = ClassicLevel<string, Buffer>;

/** One flush. */
interface Batch {
  readonly rows: RowBatch<LevelRows>;
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
/** Rows fetched from the disk at once: a few hundred kilobytes at most, and some milliseconds of work. */
const CHUNK_ROWS = 200;
/** Rows of one flush, which are handed to the database in one turn of the event loop; a change is never cut. */
const FLUSHED_ROWS_MAX = 1_000;
/** One flush is under way while the next is gathered; memory that one flush made larger than this is not kept. */
const SPARE_MAX = 2;
const SPARE_BYTES_MAX = 4 * 1024 * 1024;
/** How long a change waits for others to be flushed with that nobody waits for. */
const SOON_MS = 4;
/**
 * Written rows that the database holds in memory before it sorts them into files. A row that is written twice in that time is
 * filed once: with its default of 4 MiB, filing took 60 to 140 µs of a core for each order under an idempotency key, with this
 * 15 to 38. As much at most is read again at a start, in up to a fifth of a second.
 */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;
const LOCKED = 'LEVEL_LOCKED';
/** Stands beside a database until it has its identity: one without either has lost what it held. */
const UNFINISHED_FILE = 'UNFINISHED';
/** LMDB's, which earlier versions kept. */
const FOREIGN_FILE = 'data.mdb';

class LevelTable<V> implements Table<V> {
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

class LevelArchive<V> implements Archive<V> {
  readonly kind = 'archive';

  constructor(
    readonly name: string,
    readonly prefix: string,
    private readonly database: Database,
    private readonly format: RowFormat,
  ) {}

  get(key: string): V | undefined {
    const whole = this.prefix + key;
    const row = reading(() => this.database.getSync(whole));
    return row === undefined ? undefined : (this.format.decode(whole, row) as V);
  }

  async *entries({ start, end, reverse = false }: Range & { reverse?: boolean } = {}): AsyncIterable<[string, V]> {
    const { prefix } = this;
    const iterator = this.database.iterator({
      gte: prefix + (start ?? ''),
      lt: end === undefined ? endOf(prefix) : prefix + end,
      reverse,
    });
    for await (const chunk of chunksOf(iterator, damagedReading)) {
      for (const [key, row] of chunk) yield [key.slice(prefix.length), this.format.decode(key, row) as V];
    }
  }
}

class LevelStore implements DurableStore {
  readonly #tables = new Map<string, LevelTable<unknown>>();
  /** What is gathered while the disk is busy, in the order in which it is flushed. */
  readonly #waiting: Batch[] = [];
  #busy = false;
  /** Until what waits, and nobody waits for, is flushed all the same. */
  #timer: NodeJS.Timeout | undefined;
  #idle: Promise<void> = Promise.resolve();
  #failure: StorageFailure | undefined;
  readonly #company = new Company();
  /** Memory of flushes that are done. */
  readonly #spare: ValueWriter[] = [];

  constructor(
    private readonly database: Database,
    readonly identity: string,
    private durable: number,
    /** Who removes the file that is locked lets another process in. */
    private readonly lock: FileWatch,
    private readonly format: RowFormat,
    tables: ReadonlyMap<string, Map<string, string | Scalar>>,
  ) {
    for (const [name, rows] of tables) this.#tables.set(name, new LevelTable(name, `${TABLES}${name}/`, rows, format));
  }

  get sequence(): number {
    return this.durable;
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
    return new LevelArchive<V>(name, prefixOf(ARCHIVES, name), this.database, this.format);
  }

  write(change: (transaction: Transaction) => void, when: 'now' | 'soon' = 'now'): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const batch = this.#open();
    batch.rows.take(change);
    if (when === 'now') this.#hurry(batch);
    this.#schedule();
    return batch.done;
  }

  async advanceTo(sequence: number): Promise<void> {
    if (sequence <= this.durable) return;
    const batch = this.#open();
    this.durable = sequence;
    this.#hurry(batch);
    this.#schedule();
    await batch.done;
  }

  async close(): Promise<void> {
    for (this.#start(); this.#busy; this.#start()) await this.#idle;
    await this.database.close();
  }

  /** What is flushed next: after this turn or in a while, or when the flush under way is done. */
  #open(): Batch {
    const last = this.#waiting.at(-1);
    if (last !== undefined && last.rows.size < FLUSHED_ROWS_MAX) return last;
    const batch = newBatch(new RowBatch(this.format, levelRowsOf, this.#spare.pop()));
    this.#waiting.push(batch);
    return batch;
  }

  /** Somebody waits for it. */
  #hurry(batch: Batch): void {
    batch.urgent = true;
    this.#company.joined();
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
      if (this.#waiting.length === 1) await this.#company.gather();
      const batch = this.#waiting.shift();
      const awaited = this.#company.leave();
      if (this.#failure === undefined && batch !== undefined) await this.#flush(batch);
      this.#company.flushed(awaited);
      batch?.settle(this.#failure);
    } while (this.#waiting.length > 1 || this.#waiting[0]?.urgent);
    this.#busy = false;
    this.#schedule();
  }

  async #flush({ rows }: Batch): Promise<void> {
    const sequence = this.durable + 1;
    try {
      const batch = this.database.batch();
      rows.writeTo((key, row) => {
        if (row === undefined) batch.del(key);
        else batch.put(key, row);
      });
      for (const { number, names } of this.format.shapes.takeNew()) {
        const key = SHAPES + String(number).padStart(SHAPE_DIGITS, '0');
        batch.put(key, this.format.encode(key, names));
      }
      batch.put(SEQUENCE, this.format.encode(SEQUENCE, sequence));
      await batch.write({ sync: true });
      // Looked at last: what a second process reads when it opens the database has all that was acknowledged here.
      if (!this.lock.isThere()) throw new Error('its lock file was removed or replaced, so that another process may use it too');
    } catch (error) {
      this.#failure = new StorageFailure(`cannot write to the database: ${reasonOf(error)}`, { cause: error, lasts: true });
      return;
    }
    this.durable = sequence;
    for (const [table, key, row] of rows.tabled()) {
      if (table.kind !== 'table') continue;
      if (row === undefined) table.rows.delete(key);
      else table.rows.set(key, row);
    }
    if (this.#spare.length < SPARE_MAX && rows.bytes.capacity <= SPARE_BYTES_MAX) this.#spare.push(rows.bytes);
  }
}

/**
 * Opens (or creates, mode 0700) the database in `folder`, for this process alone: the lock is the kernel's, goes with the
 * process, and holds between containers that share the volume. Nothing is started on a damaged database.
 */
export async function openLevelStore(folder: string): Promise<DurableStore | OpenProblem> {
  if (existsSync(join(folder, FOREIGN_FILE))) {
    const remedy = `move ${folder} away to start empty (its orders, totals and idempotency keys stay with the old version)`;
    return { kind: 'foreign', message: `${folder} holds the database of an earlier version, which this one cannot read; ${remedy}` };
  }
  const database: Database = new ClassicLevel<string, Buffer>(folder, { valueEncoding: 'buffer', writeBufferSize: WRITE_BUFFER_BYTES });
  try {
    ensurePrivateFolder(folder);
    const unfinished = join(folder, UNFINISHED_FILE);
    const damage = damageOf(folder, existsSync(unfinished));
    if (damage !== undefined) {
      // Refused because it exists, once the lock is had: before anything is read, since opening would tidy the damage away.
      await database.open({ errorIfExists: true, createIfMissing: false }).catch(throwIfLocked);
      throw new StorageFailure(damage);
    }
    if (!existsSync(join(folder, 'CURRENT'))) writeFileSync(unfinished, '', { mode: 0o600 });
    await database.open();
    const lock = new FileWatch(join(folder, 'LOCK'));
    const store = await load(database, lock, existsSync(unfinished));
    rmSync(unfinished, { force: true });
    return store;
  } catch (error) {
    await database.close().catch(() => undefined);
    return problemOf(folder, error);
  }
}

async function load(database: Database, lock: FileWatch, unfinished: boolean): Promise<LevelStore> {
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
    return new LevelStore(database, identity, sequence, lock, format, tables);
  if (!unfinished || sequence !== 0 || tables.size > 0) throw new StorageFailure('it has lost its identity');
  const fresh = randomUUID();
  await database.put(IDENTITY, format.encode(IDENTITY, fresh), { sync: true });
  return new LevelStore(database, fresh, 0, lock, format, tables);
}

function throwIfLocked(error: unknown): void {
  if (hasCode(error, LOCKED)) throw error;
}

function metadata(database: Database, format: RowFormat, key: string): unknown {
  const row = database.getSync(key);
  return row === undefined ? undefined : format.decode(key, row);
}

function problemOf(folder: string, thrown: unknown): OpenProblem {
  const reason = reasonOf(thrown);
  if (hasCode(thrown, LOCKED)) return { kind: 'locked', message: `another process uses the database in ${folder}` };
  if (thrown instanceof StorageFailure || hasCode(thrown, 'LEVEL_CORRUPTION')) {
    const remedy = 'put a backup of the whole state folder in its place, or move the folder away to start empty';
    return { kind: 'damaged', message: `the database in ${folder} is damaged: ${reason}; ${remedy}` };
  }
  return { kind: 'unusable', message: `cannot open the database in ${folder}: ${reason}` };
}

function newBatch(rows: Batch['rows']): Batch {
  let settle: Batch['settle'] = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = (failure) => (failure === undefined ? resolve() : reject(failure));
  });
  return { rows, done, urgent: false, settle };
}

function levelRowsOf(rows: Table<unknown> | Archive<unknown>): LevelRows {
  if (rows instanceof LevelTable || rows instanceof LevelArchive) return rows;
  throw new TypeError(`${rows.kind} ${rows.name} belongs to another store`);
}

function prefixOf(kind: string, name: string): string {
  if (name === '' || name.includes('/')) throw new TypeError(`${JSON.stringify(name)} cannot name rows`);
  return `${kind}${name}/`;
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

/** The first key after all that begin with `prefix`, whose last character is "/". */
function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return damagedReading(error);
  }
}

interface RowIterator {
  nextv(size: number): Promise<[string, Buffer][]>;
  close(): Promise<void>;
}

/** The rows of an iterator, many at a time, as one at a time takes longer than the rows themselves. It is closed at the end. */
async function* chunksOf(iterator: RowIterator, failed: (error: unknown) => never): AsyncGenerator<[string, Buffer][]> {
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

function rethrown(error: unknown): never {
  throw error;
}

function damagedReading(error: unknown): never {
  if (error instanceof StorageFailure) throw error;
  throw new StorageFailure(`cannot read from the database: ${reasonOf(error)}`, { cause: error });
}

/** What the database itself says; the library wraps it. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const innermost = cause instanceof Error ? cause : error;
  return innermost instanceof Error ? innermost.message : String(innermost);
}

function hasCode(error: unknown, code: string): boolean {
  const { code: own, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return own === code || cause?.code === code;
}
