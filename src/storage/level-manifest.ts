import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { damageOfLog, messagesIn } from './level-log.js';

/** The files that a LevelDB database consists of. Others in its folder are left over from a crash; opening removes them. */
export interface LiveFiles {
  /** Table files: size in bytes by number. */
  readonly tables: ReadonlyMap<bigint, bigint>;
  /** Logs from this number on are replayed at the next opening. */
  readonly firstLog: bigint;
  /** Logs that are there as long as the manifest names them. */
  readonly logs: readonly bigint[];
}

/** Tags of a version edit, with the fields that follow: `v` a varint, `b` bytes with their length before them. */
const EDIT_FIELDS: Readonly<Record<number, string>> = { 1: 'b', 2: 'v', 3: 'v', 4: 'v', 5: 'vb', 6: 'vv', 7: 'vvvbb', 9: 'v' };
const [LOG_NUMBER, DELETED_FILE, NEW_FILE, PREVIOUS_LOG_NUMBER] = [2, 6, 7, 9];

/** Files that the database's manifest names, or a clause on its damage. */
export function liveFiles(folder: string): LiveFiles | string {
  const name = readFileSync(join(folder, 'CURRENT'), 'latin1').trimEnd();
  const path = join(folder, name);
  if (!/^MANIFEST-\d+$/.test(name) || !existsSync(path)) return 'the file CURRENT does not name a manifest that is there';
  const manifest = readFileSync(path);
  const damage = damageOfLog(name, manifest);
  if (damage !== undefined) return damage;
  const tables = new Map<bigint, bigint>();
  let log = 0n;
  let previousLog = 0n;
  for (const message of messagesIn(manifest)) {
    const edits = editsIn(message);
    if (edits === undefined) return `${name} has an entry of an unknown kind`;
    for (const [tag, first = 0n, second = 0n, third = 0n] of edits) {
      if (tag === LOG_NUMBER) log = first;
      else if (tag === PREVIOUS_LOG_NUMBER) previousLog = first;
      else if (tag === DELETED_FILE) tables.delete(second);
      else if (tag === NEW_FILE) tables.set(second, third);
    }
  }
  const logs = [previousLog, log].filter((number) => number > 0n);
  return { tables, firstLog: previousLog > 0n && previousLog < log ? previousLog : log, logs };
}

/** The edits of one manifest message, each a tag and its numbers; undefined where there is a tag that LevelDB does not have. */
function editsIn(message: Buffer): [number, ...bigint[]][] | undefined {
  const edits: [number, ...bigint[]][] = [];
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; offset < message.length; shift += 7n) {
      const byte = message[offset++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (offset < message.length) {
    const tag = Number(varint());
    const fields = EDIT_FIELDS[tag];
    if (fields === undefined) return undefined;
    const numbers: bigint[] = [];
    for (const field of fields) {
      const value = varint();
      if (field === 'v') numbers.push(value);
      else offset += Number(value);
    }
    edits.push([tag, ...numbers]);
  }
  return edits;
}
