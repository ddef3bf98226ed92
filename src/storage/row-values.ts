import type { RowShapes } from './row-shapes.js';
import { WORD_MAX, type Words } from './words.js';

/** Tags, which stand before each value. None is the first byte of V8's structured-clone format. */
const UNDEFINED = 0;
const NULL = 1;
const FALSE = 2;
const TRUE = 3;
/** Whole numbers of 32 bits: the sign in the lowest bit, seven bits a byte. */
const INTEGER = 4;
/** Eight bytes (IEEE 754). */
const NUMBER = 5;
/** As INTEGER; eight bytes in two's complement; decimal digits. */
const BIGINT_32 = 6;
const BIGINT_64 = 7;
const BIGINT_TEXT = 8;
/** One byte a character (Latin-1), or two (UTF-16). */
const TEXT_8 = 9;
const TEXT_16 = 10;
const BYTES = 11;
const ARRAY = 12;
/** The number of its shape in two bytes, and its values in that order. */
const OBJECT = 13;

/** The highest byte that a written value can begin with. */
export const TAG_MAX = OBJECT;

const DEPTH_MAX = 16;
const ROOM_AT_FIRST = 65_536;
/** No number, bigint or tag takes more. */
const SCALAR_BYTES_MAX = 16;

/** Writes values into one piece of memory, which is used again and again. */
export class ValueWriter {
  #bytes = Buffer.allocUnsafe(ROOM_AT_FIRST);
  #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
  #length = 0;

  constructor(private readonly shapes: RowShapes) {}

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory that it has. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** A part of what was written; holds until the next write. */
  bytes(start: number, end = this.#length): Buffer {
    return this.#bytes.subarray(start, end);
  }

  /** Takes back all but the first bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Bytes as they are, or room for so many. */
  append(bytes: Buffer | number): void {
    const length = typeof bytes === 'number' ? bytes : bytes.length;
    this.#reserve(length);
    if (typeof bytes !== 'number') bytes.copy(this.#bytes, this.#length);
    this.#length += length;
  }

  /** Writes over four bytes. */
  setUint32(offset: number, value: number): void {
    this.#view.setUint32(offset, value, true);
  }

  /** The characters as UTF-8, without anything before them. */
  raw(text: string): void {
    this.#reserve(text.length * 3);
    const bytes = this.#bytes;
    const start = this.#length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.#length = start + index + bytes.write(text.slice(index), start + index, 'utf8');
        return;
      }
      bytes[start + index] = code;
    }
    this.#length = start + text.length;
  }

  /** False where this format has no way to write the value; then what was written of it is of no use. */
  value(value: unknown, depth = 0): boolean {
    this.#reserve(SCALAR_BYTES_MAX);
    switch (typeof value) {
      case 'string':
        this.#text(value);
        return true;
      case 'number':
        this.#number(value);
        return true;
      case 'bigint':
        this.#bigint(value);
        return true;
      case 'boolean':
        this.#byte(value ? TRUE : FALSE);
        return true;
      case 'undefined':
        this.#byte(UNDEFINED);
        return true;
      case 'object':
        return this.#structure(value, depth);
      default:
        return false;
    }
  }

  #structure(value: object | null, depth: number): boolean {
    if (value === null) {
      this.#byte(NULL);
      return true;
    }
    if (depth >= DEPTH_MAX) return false;
    if (Array.isArray(value)) {
      this.#byte(ARRAY);
      this.#unsigned(value.length);
      for (let index = 0; index < value.length; index++) if (!this.value(value[index], depth + 1)) return false;
      return true;
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype) return this.#object(value as Record<string, unknown>, depth);
    if (prototype !== Uint8Array.prototype) return false;
    const bytes = value as Uint8Array;
    this.#byte(BYTES);
    this.#unsigned(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return true;
  }

  #object(value: Record<string, unknown>, depth: number): boolean {
    this.#byte(OBJECT);
    const at = this.#length;
    this.#length += 2;
    let node = this.shapes.root;
    for (const name in value) {
      const next = this.shapes.step(node, name);
      if (next === undefined || !this.value(value[name], depth + 1)) return false;
      node = next;
    }
    const number = this.shapes.numberOf(node);
    if (number === undefined) return false;
    this.#view.setUint16(at, number, true);
    return true;
  }

  #text(text: string): void {
    this.#byte(TEXT_8);
    const start = this.#length;
    this.#unsigned(text.length);
    this.#reserve(text.length * 2 + SCALAR_BYTES_MAX);
    const bytes = this.#bytes;
    const from = this.#length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0xff) {
        bytes[start - 1] = TEXT_16;
        this.#length = from + bytes.write(text, from, 'utf16le');
        return;
      }
      bytes[from + index] = code;
    }
    this.#length = from + text.length;
  }

  #number(value: number): void {
    if ((value | 0) === value && !Object.is(value, -0)) {
      this.#byte(INTEGER);
      this.#signed(value);
      return;
    }
    this.#byte(NUMBER);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  #bigint(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) {
      this.#byte(BIGINT_TEXT);
      const digits = value.toString();
      this.#unsigned(digits.length);
      this.#reserve(digits.length);
      this.#length += this.#bytes.write(digits, this.#length, 'latin1');
    } else if (BigInt.asIntN(32, value) === value) {
      this.#byte(BIGINT_32);
      this.#signed(Number(value));
    } else {
      this.#byte(BIGINT_64);
      this.#view.setBigInt64(this.#length, value, true);
      this.#length += 8;
    }
  }

  #byte(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  /** Signed integer of 32 bits. */
  #signed(value: number): void {
    this.#unsigned(((value << 1) ^ (value >> 31)) >>> 0);
  }

  #unsigned(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#byte(rest);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer, larger.byteOffset, larger.length);
  }
}

/** Reads one value that a {@link ValueWriter} wrote with the same shapes. Throws where the bytes are no such value. */
export class ValueReader {
  #offset = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly shapes: RowShapes,
    private readonly words: Words,
  ) {}

  value(): unknown {
    const tag = this.#byte();
    switch (tag) {
      case UNDEFINED:
        return undefined;
      case NULL:
        return null;
      case FALSE:
        return false;
      case TRUE:
        return true;
      case INTEGER:
        return this.#signed();
      case NUMBER:
        return this.bytes.readDoubleLE(this.#skip(8));
      case BIGINT_32:
        return BigInt(this.#signed());
      case BIGINT_64:
        return this.bytes.readBigInt64LE(this.#skip(8));
      case BIGINT_TEXT:
        return BigInt(this.#text('latin1', 1));
      case TEXT_8:
        return this.#text8();
      case TEXT_16:
        return this.#text('utf16le', 2);
      case BYTES: {
        const length = this.#unsigned();
        const start = this.#skip(length);
        return new Uint8Array(this.bytes.subarray(start, start + length));
      }
      case ARRAY:
        return Array.from({ length: this.#unsigned() }, () => this.value());
      case OBJECT:
        return this.#object();
      default:
        throw new RangeError(`no value begins with ${tag}`);
    }
  }

  #object(): Record<string, unknown> {
    const number = this.bytes.readUInt16LE(this.#skip(2));
    const shape = this.shapes.shape(number);
    if (shape === undefined) throw new RangeError(`no object has the shape ${number}`);
    // An object that is grown name by name is copied again and again on its way.
    const object = { ...shape.blank };
    for (const name of shape.names) object[name] = this.value();
    return object;
  }

  #text8(): string {
    const length = this.#unsigned();
    const start = this.#skip(length);
    return length <= WORD_MAX ? this.words.text(this.bytes, start, length) : this.bytes.toString('latin1', start, start + length);
  }

  #text(encoding: 'latin1' | 'utf16le', bytesEach: number): string {
    const length = this.#unsigned() * bytesEach;
    const start = this.#skip(length);
    return this.bytes.toString(encoding, start, start + length);
  }

  #signed(): number {
    const value = this.#unsigned();
    return (value >>> 1) ^ -(value & 1);
  }

  #unsigned(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  #byte(): number {
    return this.bytes.readUInt8(this.#skip(1));
  }

  #skip(bytes: number): number {
    const start = this.#offset;
    this.#offset += bytes;
    return start;
  }
}
