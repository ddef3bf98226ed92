import { crc32 } from 'node:zlib';

/** The first bytes of a file of a recording. */
export const FILE_HEAD = Buffer.from('svc-recording 1\n');
/** Of a file of a recording. */
export const FILE_ENDING = '.svcrec';

const HEADER_BYTES = 8;

/** Compressed bytes as they stand in a file: their length, their CRC-32, both as unsigned little-endian integers of four bytes, and they themselves. */
export function framed(bytes: Buffer): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32LE(bytes.length, 0);
  header.writeUInt32LE(crc32(bytes), 4);
  return Buffer.concat([header, bytes]);
}

/** The frame at the start of `bytes`, and what it takes; undefined where they end within it, 'damaged' where its checksum differs. */
export function frameOf(bytes: Buffer): { readonly content: Buffer; readonly length: number } | 'damaged' | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const length = HEADER_BYTES + bytes.readUInt32LE(0);
  if (bytes.length < length) return undefined;
  const content = bytes.subarray(HEADER_BYTES, length);
  return crc32(content) === bytes.readUInt32LE(4) ? { content, length } : 'damaged';
}
