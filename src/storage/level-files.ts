import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** LevelDB's log format: blocks of records, each with checksum (4 bytes), length (2) and type (1). */
const BLOCK = 32_768;
const HEADER = 7;
const TYPE_MAX = 4;
/** The last eight bytes of a table file. */
const TABLE_MAGIC = Buffer.from('57fb808b247547db', 'hex');
/** The library's checksums are stored masked, since they cover data that may hold checksums. */
const MASK_DELTA = 0xa282ead8;

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
 * at the log's end was not.
 */
export function damageOf(folder: string): string | undefined {
  if (!existsSync(join(folder, 'CURRENT'))) {
    const left = readdirSync(folder).find((name) => /\.(?:ldb|sst|log)$/.test(name) && statSync(join(folder, name)).size > 0);
    return left === undefined ? undefined : `the file CURRENT is missing beside ${left}`;
  }
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.endsWith('.log')) {
      const offset = damageInLog(readFileSync(path));
      if (offset !== undefined) return `${name} cannot be read from byte ${offset} on, and has more records behind it`;
    } else if (/\.(?:ldb|sst)$/.test(name) && !endsAsTable(path)) return `${name} is cut short or overwritten`;
  }
  return undefined;
}

/** Where the first unreadable record stands that others follow. */
function damageInLog(log: Buffer): number | undefined {
  let offset = 0;
  while (offset < log.length) {
    const left = BLOCK - (offset % BLOCK);
    if (left < HEADER) {
      offset += left;
      continue;
    }
    const length = recordAt(log, offset);
    if (length === undefined) return recordFollows(log, offset + 1) ? offset : undefined;
    offset += HEADER + length;
  }
  return undefined;
}

/** The length of the intact record at `offset`; undefined where there is none. */
function recordAt(log: Buffer, offset: number): number | undefined {
  if (offset + HEADER > log.length || (offset % BLOCK) + HEADER > BLOCK) return undefined;
  const length = log.readUInt16LE(offset + 4);
  const type = log[offset + 6] ?? 0;
  if (type === 0 || type > TYPE_MAX) return undefined;
  if ((offset % BLOCK) + HEADER + length > BLOCK || offset + HEADER + length > log.length) return undefined;
  return unmasked(log.readUInt32LE(offset)) === crc32c(log.subarray(offset + 6, offset + HEADER + length)) ? length : undefined;
}

function recordFollows(log: Buffer, from: number): boolean {
  for (let offset = from; offset + HEADER <= log.length; offset++) if (recordAt(log, offset) !== undefined) return true;
  return false;
}

function endsAsTable(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const { size } = statSync(path);
    const end = Buffer.alloc(TABLE_MAGIC.length);
    readSync(file, end, 0, end.length, Math.max(0, size - end.length));
    return end.equals(TABLE_MAGIC);
  } finally {
    closeSync(file);
  }
}

function unmasked(stored: number): number {
  const rotated = (stored - MASK_DELTA) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}

/** CRC-32C (Castagnoli), which zlib does not have. */
const crc32cTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1;
  return remainder;
});

function crc32c(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (crc32cTable[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return ~sum >>> 0;
}
