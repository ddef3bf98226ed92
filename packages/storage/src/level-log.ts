import { hasChecksum } from './crc32c.js';

/** LevelDB's log format, which its manifest has too: blocks of records, each with checksum (4 bytes), length (2) and type (1). */
const BLOCK = 32_768;
const HEADER = 7;
/** Disks write it whole or not at all. */
const SECTOR = 512;
/** Record types: a whole message, or its first, a middle or its last piece. */
const [TYPE_MIN, TYPE_MAX] = [1, 4];

/**
 * A clause on the first unreadable record, unless it is one that a crash cut off at the log's end. LevelDB itself drops unreadable
 * records, and mostly the rest of their blocks, without an error.
 */
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

/** Whether the part of some sector from `offset` on is all zeros. */
function hasUnwrittenSector(log: Buffer, offset: number): boolean {
  for (let from = offset; from < log.length; from += SECTOR - (from % SECTOR)) {
    if (log.subarray(from, from + SECTOR - (from % SECTOR)).every((byte) => byte === 0)) return true;
  }
  return false;
}

/** Offset of the first unreadable record; undefined if every record is readable. */
function readableEnd(log: Buffer): number | undefined {
  let offset = 0;
  while (offset < log.length) {
    const left = BLOCK - (offset % BLOCK);
    const length = left < HEADER ? left - HEADER : lengthOfRecord(log, offset);
    if (length === undefined) return offset;
    offset += HEADER + length;
  }
  return undefined;
}

/** Length of the intact record at `offset`; undefined if there is none. */
function lengthOfRecord(log: Buffer, offset: number): number | undefined {
  if (offset + HEADER > log.length || (offset % BLOCK) + HEADER > BLOCK) return undefined;
  const length = log.readUInt16LE(offset + 4);
  const type = log[offset + 6] ?? 0;
  if (type < TYPE_MIN || type > TYPE_MAX) return undefined;
  if ((offset % BLOCK) + HEADER + length > BLOCK || offset + HEADER + length > log.length) return undefined;
  return hasChecksum(log, offset + 6, offset + HEADER + length, log.readUInt32LE(offset)) ? length : undefined;
}

function recordFollows(log: Buffer, from: number): boolean {
  for (let offset = from; offset + HEADER <= log.length; offset++) if (lengthOfRecord(log, offset) !== undefined) return true;
  return false;
}
