import { hasChecksum } from './crc32c.js';

/** LevelDB's log format, which its manifest has too: blocks of records, each with checksum (4 bytes), length (2) and type (1). */
const BLOCK = 32_768;
const HEADER = 7;
/** Disks write it whole or not at all. */
const SECTOR = 512;
/** Where a record stands in its message: the whole of it, or its first, a middle or its last piece. */
const [FULL, FIRST, , LAST] = [1, 2, 3, 4];

/** A clause on the first unreadable record, unless it is one that a crash cut off at the log's end. */
export function damageOfLog(name: string, log: Buffer): string | undefined {
  const end = readableEnd(log);
  if (end === undefined) return undefined;
  if (recordFollows(log, end + 1)) return `${name} cannot be read from byte ${end} on, and has more records behind it`;
  return isCutOff(log, end) ? undefined : `the last record of ${name}, at byte ${end}, is whole and does not match its checksum`;
}

/**
 * Whether the log ends inside the record at `offset`, or a sector of it was never written: a power failure leaves the length of a file on disk
 * without all of its contents. LevelDB drops such a record, which was never acknowledged.
 */
function isCutOff(log: Buffer, offset: number): boolean {
  if (log.length - offset < HEADER || hasUnwrittenSector(log, offset)) return true;
  const end = offset + HEADER + log.readUInt16LE(offset + 4);
  if (end <= log.length || end > offset - (offset % BLOCK) + BLOCK) return false;
  // The checksum does not cover the length: where it fits all that is there, only the length is wrong.
  return !hasChecksum(log, offset + 6, log.length, log.readUInt32LE(offset));
}

/** Whether all that a sector has of the log from `offset` on is zeros. */
function hasUnwrittenSector(log: Buffer, offset: number): boolean {
  for (let from = offset; from < log.length; from += SECTOR - (from % SECTOR)) {
    if (log.subarray(from, from + SECTOR - (from % SECTOR)).every((byte) => byte === 0)) return true;
  }
  return false;
}

/** The messages of a log, up to the first record that cannot be read. */
export function messagesIn(log: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  let pieces: Buffer[] = [];
  readableEnd(log, (type, piece) => {
    if (type === FULL || type === FIRST) pieces = [];
    pieces.push(piece);
    if (type === FULL || type === LAST) messages.push(Buffer.concat(pieces));
  });
  return messages;
}

/** Where the first unreadable record stands, after a visit of all before it; undefined where every one can be read. */
function readableEnd(log: Buffer, visit: (type: number, piece: Buffer) => void = () => undefined): number | undefined {
  let offset = 0;
  while (offset < log.length) {
    const left = BLOCK - (offset % BLOCK);
    if (left < HEADER) {
      offset += left;
      continue;
    }
    const length = recordAt(log, offset);
    if (length === undefined) return offset;
    visit(log[offset + 6] ?? 0, log.subarray(offset + HEADER, offset + HEADER + length));
    offset += HEADER + length;
  }
  return undefined;
}

/** The length of the intact record at `offset`; undefined where there is none. */
function recordAt(log: Buffer, offset: number): number | undefined {
  if (offset + HEADER > log.length || (offset % BLOCK) + HEADER > BLOCK) return undefined;
  const length = log.readUInt16LE(offset + 4);
  const type = log[offset + 6] ?? 0;
  if (type < FULL || type > LAST) return undefined;
  if ((offset % BLOCK) + HEADER + length > BLOCK || offset + HEADER + length > log.length) return undefined;
  return hasChecksum(log, offset + 6, offset + HEADER + length, log.readUInt32LE(offset)) ? length : undefined;
}

function recordFollows(log: Buffer, from: number): boolean {
  for (let offset = from; offset + HEADER <= log.length; offset++) if (recordAt(log, offset) !== undefined) return true;
  return false;
}
