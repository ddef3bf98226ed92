import { existsSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { ensurePrivateFolder } from './folders.js';
import { damageOf, FileWatch } from './level-files.js';
import { type Database, reasonOf } from './level-rows.js';
import { StorageFailure } from './storage-failure.js';

/** Reason why a database cannot be opened; the message says what is wrong, where, and what to do. */
export interface OpenProblem {
  readonly kind: 'locked' | 'damaged' | 'unusable';
  readonly message: string;
}

export interface OpenedDatabase {
  readonly database: Database;
  /** Watch on the lock file: removing it lets another process in. */
  readonly lock: FileWatch;
}

/**
 * Rows that LevelDB holds in memory before it writes them to a table; a row that is written twice meanwhile goes to the table
 * once. With LevelDB's default of 4 MiB, writing and merging tables took 60 to 140 µs of a core for each order under an
 * idempotency key, with this 15 to 38. At most this much log is replayed at start, in up to 0.2 s.
 */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;
const LOCKED = 'LEVEL_LOCKED';
/** Marks a database that has no identity yet: one with neither has lost its contents. */
const UNFINISHED_FILE = 'UNFINISHED';
/** Free space that opening needs, bytes: it writes the rows of the log to a table, and begins another log. */
export const ROOM_BYTES = 2 * WRITE_BUFFER_BYTES;
/** Size of a file that is written to see whether the disk takes it: quotas and limits on files are not in its free space. */
const PROBE_BYTES = 1024 * 1024;
const PROBE_FILE = 'ROOM';

/** Path of the file that marks a database without an identity. */
export function unfinishedFile(folder: string): string {
  return join(folder, UNFINISHED_FILE);
}

/** Opens (or creates, mode 0700) the database in `folder`. Throws errors that {@link problemOf} explains, with nothing left open. */
export async function openDatabase(folder: string): Promise<OpenedDatabase> {
  ensurePrivateFolder(folder);
  const unfinished = unfinishedFile(folder);
  const damage = await damageOf(folder, existsSync(unfinished));
  // Opens itself in the next turn, unless `open` is called in this one.
  const database: Database = new ClassicLevel<string, Buffer>(folder, { valueEncoding: 'buffer', writeBufferSize: WRITE_BUFFER_BYTES });
  try {
    if (damage !== undefined) {
      // Fails on a locked database, and otherwise because it exists, before LevelDB reads it and tidies the damage away.
      await database.open({ errorIfExists: true, createIfMissing: false }).catch(throwIfLocked);
      throw new StorageFailure(damage);
    }
    if (!existsSync(join(folder, 'CURRENT'))) writeFileSync(unfinished, '', { mode: 0o600 });
    await database.open();
    return { database, lock: new FileWatch(join(folder, 'LOCK')) };
  } catch (error) {
    await database.close().catch(() => undefined);
    throw error;
  }
}

/** Whether the disk has room for `bytes` more than opening needs, and takes writes. */
export function hasRoom(folder: string, bytes: number): boolean {
  const probe = join(folder, PROBE_FILE);
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < ROOM_BYTES + bytes) return false;
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flush: true });
    return true;
  } catch {
    return false;
  } finally {
    removeFile(probe);
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The file was never made, or the disk takes nothing at all: the next probe writes over it.
  }
}

function throwIfLocked(error: unknown): void {
  if (hasCode(error, LOCKED)) throw error;
}

export function problemOf(folder: string, thrown: unknown): OpenProblem {
  const reason = reasonOf(thrown);
  if (hasCode(thrown, LOCKED)) return { kind: 'locked', message: `another process uses the database in ${folder}` };
  if (thrown instanceof StorageFailure || hasCode(thrown, 'LEVEL_CORRUPTION')) {
    const remedy = 'put a backup of the whole state folder in its place, or move the folder away to start empty';
    return { kind: 'damaged', message: `the database in ${folder} is damaged: ${reason}; ${remedy}` };
  }
  return { kind: 'unusable', message: `cannot open the database in ${folder}: ${reason}` };
}

function hasCode(error: unknown, code: string): boolean {
  const { code: own, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return own === code || cause?.code === code;
}
