import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { RowShapes } from './row-shapes.js';
import { TAG_MAX, ValueReader, ValueWriter } from './row-values.js';
import { StorageFailure } from './storage-failure.js';
import { Words } from './words.js';

const CHECKSUM_BYTES = 4;

/**
 * How a value stands in the database: a CRC-32 of key and value, and the value. Property names are kept once for all rows, as
 * shapes. What that format has no way to write (a Map, a Date, objects with keys instead of names) stands in V8's
 * structured-clone format, which every later V8 reads.
 */
export class RowFormat {
  readonly shapes = new RowShapes();
  readonly #writer = new ValueWriter(this.shapes);
  readonly #words = new Words();

  /** A row by itself. */
  encode(key: string, value: unknown): Buffer {
    const writer = this.#writer;
    writer.truncate(0);
    return Buffer.from(writer.bytes(this.append(writer, '', key, value)));
  }

  /**
   * Appends a row to what was written.
   * @param prefix stands before the key.
   * @returns where the row begins; it ends where the writer stands now.
   */
  append(writer: ValueWriter, prefix: string, key: string, value: unknown): number {
    // The checksum is of the key and the value, which lie side by side until it is known; then it takes the place before the value.
    writer.append(CHECKSUM_BYTES);
    const from = writer.length;
    writer.raw(prefix);
    writer.raw(key);
    const start = writer.length;
    if (!writer.value(value)) {
      writer.truncate(start);
      writer.append(serialize(value));
    }
    writer.setUint32(start - CHECKSUM_BYTES, crc32(writer.bytes(from)));
    return start - CHECKSUM_BYTES;
  }

  /** The value of a row. Throws {@link StorageFailure} when it is not what was written under this key. */
  decode(key: string, row: Buffer): unknown {
    const bytes = row.subarray(CHECKSUM_BYTES);
    if (row.length < CHECKSUM_BYTES || row.readUInt32LE(0) !== crc32(bytes, crc32(key))) throw damaged(key);
    const first = bytes[0] ?? TAG_MAX + 1;
    if (first > TAG_MAX) return deserialize(bytes);
    try {
      return new ValueReader(bytes, this.shapes, this.#words).value();
    } catch (cause) {
      throw damaged(key, cause);
    }
  }
}

function damaged(key: string, cause?: unknown): StorageFailure {
  return new StorageFailure(`the database is damaged: the row ${JSON.stringify(key)} is not what was written`, { cause });
}
