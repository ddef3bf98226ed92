import { DefaultSerializer, deserialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { StorageFailure } from './storage-failure.js';

/** Version of the format that rows are written in. A later one is a number more, and decodes the rows of all before it. */
const VERSION = 1;
const CHECKSUM_BYTES = 4;
const HEADER_BYTES = CHECKSUM_BYTES + 1;
/** Header of a row whose checksum is still to be written. */
const HEADER = Buffer.of(0, 0, 0, 0, VERSION);

/**
 * A row as it is stored: CRC-32 of the key and all that follows (little endian), version (1 byte), and the value in V8's
 * structured-clone format. That format has property names in it, so that rows can gain properties; it is exact for bigints of any
 * length, and Node documents it as safe to store: every later V8 reads it.
 */
export function encodeRow(key: string, value: unknown): Buffer {
  const serializer = new DefaultSerializer();
  serializer.writeRawBytes(HEADER);
  serializer.writeHeader();
  serializer.writeValue(value);
  const row = serializer.releaseBuffer();
  row.writeUInt32LE(checksumOf(key, row));
  return row;
}

/** The value of a row. Throws {@link StorageFailure} when the row is not what was written under this key. */
export function decodeRow(key: string, row: Buffer): unknown {
  if (row.length < HEADER_BYTES || row.readUInt32LE() !== checksumOf(key, row)) throw damaged(key);
  const version = row[CHECKSUM_BYTES];
  if (version !== VERSION) {
    throw new StorageFailure(`the row ${JSON.stringify(key)} has format ${version}; this version of svcd reads format ${VERSION}`);
  }
  try {
    return deserialize(row.subarray(HEADER_BYTES));
  } catch (cause) {
    throw damaged(key, cause);
  }
}

function checksumOf(key: string, row: Buffer): number {
  return crc32(row.subarray(CHECKSUM_BYTES), crc32(key));
}

function damaged(key: string, cause?: unknown): StorageFailure {
  return new StorageFailure(`the database is damaged: the row ${JSON.stringify(key)} is not what was written`, { cause });
}
