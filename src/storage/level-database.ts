import { existsSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { ensurePrivateFolder } from './folders.js';
import { damageOf, FileWatch } from './level-files.js';
import { type Database, reasonOf } from './level-rows.js';
import { StorageFailure } from './storage-failure.js';

/** Why a database cannot be opened: what is wrong, where, and what to do. */
export interface OpenProblem {
  readonly kind: 'locked' | 'damaged' | 'unusable';
  readonly message: string;
}

export interface OpenedDatabase {
  readonly database: Database;
  /** Removing the locked file lets another process in. */
  readonly lock: FileWatch;
}

/**
 * Written rows that the database holds in memory before it sorts them into files. A row that is written twice in that time is
 * filed once: with its default of 4 MiB, filing took 60 to 140 µs of a core for each order under an idempotency key, with this
 * 15 to 38. As much at most is read again at a start, in up to a fifth of a second.
 */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;
const LOCKED = 'LEVEL_LOCKED';
/** Stands beside a database until it has its identity: one without either has lost what it held. */
const UNFINISHED_FILE = 'UNFINISHED';
/** Opening files what the log holds in a table and begins another log. */
export const ROOM_BYTES = 2 * WRITE_BUFFER_BYTES;
/** Written to see whether the disk takes it: a quota or a limit on files is not in the disk's own figures. */
const PROBE_BYTES = 1024 * 1024;
const PROBE_FILE = 'ROOM';

/** The file that stands beside the database until it has its identity. */
export function unfinishedFile(folder: string): string {
  return join(folder, UNFINISHED_FILE);
}

/** Opens (or creates, mode 0700) the database in `folder`. Throws what {@link problemOf} explains, and has nothing open then. */
export async function openDatabase(folder: string): Promise<OpenedDatabase> {
  const database: Database = new ClassicLevel<string, Buffer>(folder, { valueEncoding: 'buffer', writeBufferSize: WRITE_BUFFER_BYTES });
  try {
    ensurePrivateFolder(folder);
    const unfinished = unfinishedFile(folder);
    const damage = damageOf(folder, existsSync(unfinished));
    if (damage !== undefined) {
      // Refused because it exists, once the lock is had: before anything is read, since opening would tidy the damage away.
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

/** Whether the disk has room for `bytes` more beside what opening needs, and takes them. */
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
    // It was never made, or the disk takes nothing at all: the next probe writes over it.
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
