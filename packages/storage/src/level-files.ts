import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { damageOfLog } from './level-log.js';
import { isIntactTable } from './level-table.js';

const LOG = /^\d+\.log$/;
const TABLE = /^\d+\.(?:ldb|sst)$/;
const MANIFEST = /^MANIFEST-\d+$/;

/** Whether a path still leads to the file that it led to at first. */
export class FileWatch {
  readonly #file: { readonly dev: bigint; readonly ino: bigint };

  constructor(private readonly path: string) {
    this.#file = statSync(path, { bigint: true });
  }

  isThere(): boolean {
    const file = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    return file !== undefined && file.ino === this.#file.ino && file.dev === this.#file.dev;
  }
}

/**
 * Damage to the files of a LevelDB database, as a clause; undefined if there is none. Verifies every checksum, which LevelDB itself does
 * not: it skips what it cannot read, and so forgets what was acknowledged. A missing table is an error of opening.
 * @param unfinished while the database is being made it may have no log yet.
 */
export async function damageOf(folder: string, unfinished = false): Promise<string | undefined> {
  const names = readdirSync(folder);
  const logs = names.filter((name) => LOG.test(name));
  const tables = names.filter((name) => TABLE.test(name));
  if (!existsSync(join(folder, 'CURRENT'))) {
    const left = [...tables, ...logs].find((name) => statSync(join(folder, name)).size > 0);
    return left === undefined ? undefined : `the file CURRENT is missing beside ${left}`;
  }
  const manifest = readFileSync(join(folder, 'CURRENT'), 'latin1').trimEnd();
  if (!MANIFEST.test(manifest) || !names.includes(manifest)) return 'the file CURRENT does not name a manifest that is there';
  if (logs.length === 0 && !unfinished) return 'its log is missing';
  for (const name of [manifest, ...logs]) {
    const bytes = bytesOf(join(folder, name));
    const damage = bytes && damageOfLog(name, bytes);
    if (damage !== undefined) return damage;
  }
  for (const name of tables) {
    const bytes = bytesOf(join(folder, name));
    if (bytes !== undefined && !isIntactTable(bytes) && (await isInUse(folder, name))) return `${name} is cut short or overwritten`;
  }
  return undefined;
}

/**
 * Whether the manifest names a table. One that a crash cut off is not named yet. LevelDB refuses to open a database without a table
 * that is named: it is given a copy that has manifest and names of the other tables alone.
 */
async function isInUse(folder: string, table: string): Promise<boolean> {
  const copy = mkdtempSync(join(folder, 'without-'));
  const database = new ClassicLevel(copy);
  try {
    for (const name of readdirSync(folder)) {
      if (name === 'CURRENT' || MANIFEST.test(name)) copyFileSync(join(folder, name), join(copy, name));
      else if (TABLE.test(name) && name !== table) writeFileSync(join(copy, name), '');
    }
    await database.open();
    return false;
  } catch (error) {
    if ((error as { cause?: { code?: unknown } }).cause?.code === 'LEVEL_CORRUPTION') return true;
    throw error;
  } finally {
    await database.close();
    rmSync(copy, { recursive: true });
  }
}

/** Undefined where a process that uses the database has just removed the file. */
function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
