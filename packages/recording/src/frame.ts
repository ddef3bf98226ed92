import { crc32 } from 'node:zlib';

/** The first bytes of a file of a recording. */
export const FILE_HEAD = Buffer.from('svc-recording 2\n');
/** Name ending of a recording's files. */
export const FILE_ENDING = '.svcrec';

const HEADER_BYTES = 8;

/** Compressed bytes as they stand in a file: their length, their CRC-32, both as unsigned little-endian integers of four bytes, and they themselves. */
export function framed(bytes: Buffer): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32LE(bytes.length, 0);
  header.writeUInt32LE(crc32(bytes), 4);
  return Buffer.concat([header, bytes]);
}

/** The whole frames that `bytes` begin with, what they take, and whether what follows is a frame whose checksum differs. */
export function framesIn(bytes: Buffer): { readonly contents: readonly Buffer[]; readonly length: number; readonly damaged: boolean } {
  const contents: Buffer[] = [];
  let length = 0;
  while (bytes.length - length >= HEADER_BYTES) {
    const end = length + HEADER_BYTES + bytes.readUInt32LE(length);
    if (bytes.length < end) break;
    const content = bytes.subarray(length + HEADER_BYTES, end);
    if (crc32(content) !== bytes.readUInt32LE(length + 4)) return { contents, length, damaged: true };
    contents.push(content);
    length = end;
  }
  return { contents, length, damaged: false };
}
