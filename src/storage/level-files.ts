import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { damageInLog } from './level-log.js';
import { liveFiles } from './level-manifest.js';

/** The last eight bytes of a table file. */
const TABLE_MAGIC = Buffer.from('57fb808b247547db', 'hex');

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
 * What is wrong with the files of a LevelDB database, as a clause; undefined where nothing is. LevelDB itself goes on
 * without the records of a log that it cannot read, and so forgets what was acknowledged; a record that a crash cut off
 * at the log's end was not. Nor is a table lost that a crash cut off: it belongs to the database once the manifest names it.
 */
export function damageOf(folder: string): string | undefined {
  const names = readdirSync(folder);
  if (!existsSync(join(folder, 'CURRENT'))) {
    const left = names.find((name) => /\.(?:ldb|sst|log)$/.test(name) && statSync(join(folder, name)).size > 0);
    return left === undefined ? undefined : `the file CURRENT is missing beside ${left}`;
  }
  const live = liveFiles(folder);
  if (live === undefined) return undefined;
  const missing = new Map(live.tables);
  for (const name of names) {
    const [, digits, extension] = /^(\d+)\.(ldb|sst|log)$/.exec(name) ?? [];
    if (digits === undefined) continue;
    const number = BigInt(digits);
    const path = join(folder, name);
    if (extension === 'log') {
      const offset = number < live.firstLog ? undefined : damageInLog(readFileSync(path));
      if (offset !== undefined) return `${name} cannot be read from byte ${offset} on, and has more records behind it`;
      continue;
    }
    const size = live.tables.get(number);
    if (size !== undefined && !isTable(path, size)) return `${name} is cut short or overwritten`;
    missing.delete(number);
  }
  for (const number of missing.keys()) return `table ${number} is missing`;
  return undefined;
}

function isTable(path: string, size: bigint): boolean {
  const file = openSync(path, 'r');
  try {
    const stored = fstatSync(file, { bigint: true }).size;
    const end = Buffer.alloc(TABLE_MAGIC.length);
    readSync(file, end, 0, end.length, stored - BigInt(end.length));
    return stored === size && end.equals(TABLE_MAGIC);
  } finally {
    closeSync(file);
  }
}
