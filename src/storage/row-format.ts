import { DefaultSerializer, deserialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { StorageFailure } from './storage-failure.js';

const CHECKSUM_BYTES = 4;

/** What a bare bigint or string begins with, in place of the 0xff of V8's format: many rows are no more than one. */
const BIGINT = 0x69;
const STRING = 0x73;

/** A value in V8's structured-clone format (exact for bigints of any size, readable by every later V8) behind a CRC-32 of key and value. */
export function encodeRow(key: string, value: unknown): Buffer {
  const row = withRoom(value);
  row.writeUInt32LE(crc32(row.subarray(CHECKSUM_BYTES), crc32(key)), 0);
  return row;
}

/** The value of a row. Throws {@link StorageFailure} when it is not what was written under this key. */
export function decodeRow(key: string, row: Buffer): unknown {
  const bytes = row.subarray(CHECKSUM_BYTES);
  if (row.length < CHECKSUM_BYTES || row.readUInt32LE(0) !== crc32(bytes, crc32(key))) {
    throw new StorageFailure(`the database is damaged: the row ${JSON.stringify(key)} is not what was written`);
  }
  return decode(bytes);
}

const ROOM = Buffer.alloc(CHECKSUM_BYTES);
const ROOM_TEXT = '\0'.repeat(CHECKSUM_BYTES);

/** The encoded value behind room for its checksum, in one piece of memory. */
function withRoom(value: unknown): Buffer {
  if (typeof value === 'bigint') return Buffer.from(`${ROOM_TEXT}i${value}`, 'latin1');
  if (typeof value === 'string') return Buffer.from(`${ROOM_TEXT}s${value}`);
  const serializer = new DefaultSerializer();
  serializer.writeRawBytes(ROOM);
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

function decode(bytes: Buffer): unknown {
  if (bytes[0] === BIGINT) return BigInt(bytes.toString('latin1', 1));
  if (bytes[0] === STRING) return bytes.toString('utf8', 1);
  return deserialize(bytes);
}
