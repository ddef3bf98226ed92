import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { damageOfLog } from './level-log.js';
import { liveFiles } from './level-manifest.js';
import { isIntactTable } from './level-table.js';

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
 * Damage to the files of a LevelDB database, as a clause; undefined if there is none. Every checksum is verified:
 * LevelDB itself skips what it cannot read, and so forgets what was acknowledged. A record that a crash cut off at a log's end
 * was not. Nor is a table lost that a crash cut off: it belongs to the database once the manifest names it.
 * @param unfinished while the database is being made it may have no log yet.
 */
export function damageOf(folder: string, unfinished = false): string | undefined {
  const names = readdirSync(folder);
  if (!existsSync(join(folder, 'CURRENT'))) {
    const left = names.find((name) => /\.(?:ldb|sst|log)$/.test(name) && statSync(join(folder, name)).size > 0);
    return left === undefined ? undefined : `the file CURRENT is missing beside ${left}`;
  }
  const live = liveFiles(folder);
  if (typeof live === 'string') return live;
  const missing = new Set([...live.tables.keys(), ...(unfinished ? [] : live.logs)]);
  for (const name of names) {
    const [, digits, extension] = /^(\d+)\.(ldb|sst|log)$/.exec(name) ?? [];
    if (digits === undefined) continue;
    const number = BigInt(digits);
    const size = live.tables.get(number);
    const isLog = extension === 'log' && number >= live.firstLog;
    if (size === undefined && !isLog) continue;
    const bytes = bytesOf(join(folder, name));
    if (bytes === undefined) continue;
    missing.delete(number);
    const damage = isLog ? damageOfLog(name, bytes) : damageOfTable(name, bytes, size);
    if (damage !== undefined) return damage;
  }
  for (const number of missing) return `file ${number} is missing`;
  return undefined;
}

function damageOfTable(name: string, bytes: Buffer, size: bigint | undefined): string | undefined {
  return BigInt(bytes.length) === size && isIntactTable(bytes) ? undefined : `${name} is cut short or overwritten`;
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
