import { ScalarType } from '@bufbuild/protobuf';

/** The bytes of the message that is being written, and the encodings of the values in it. */

/** Writes a value that is there, after its tag. */
export type ValueWriter = (value: unknown) => void;

/** Says that the library has to decide; made once, as it is thrown where bytes are made. */
export const UNUSUAL = new Error('left to the library');
const INT32_MAX = 0x7fffffff;
const INT32_MIN = -0x80000000;
const UINT32_MAX = 0xffffffff;
const TWO_POWER_32 = 0x1_0000_0000;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;
const VARINT_MAX = 10;
const TAG_MAX = 5;
/** Longer texts are faster in the platform's hands. */
const SHORT_TEXT = 32;
/** Kept between messages; what a longer one took is given back. */
const KEPT_BYTES = 1 << 18;

const utf8 = new TextEncoder();
const wide = new BigInt64Array(1);
const halves = new Int32Array(wide.buffer);
/** Index of a 64-bit integer's lower half on this machine. */
const LOW = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 0 : 1;

// One message is written at a time: nothing that is called for it comes back here.
const kept = new Uint8Array(KEPT_BYTES);
const keptView = new DataView(kept.buffer);
let bytes = kept;
let view = keptView;
let at = 0;

/** Bytes that `write` writes of a message, as a copy for the caller. @throws {@link UNUSUAL}, and whatever `write` throws. */
export function written<T>(write: (message: T) => void, message: T): Uint8Array<ArrayBuffer> {
  at = 0;
  try {
    write(message);
    return bytes.slice(0, at);
  } finally {
    if (bytes !== kept) {
      bytes = kept;
      view = keptView;
    }
  }
}

/** Writers of tagged values that the contract uses. */
export const scalarWriters: ReadonlyMap<ScalarType, (tag: number) => ValueWriter> = new Map([
  [ScalarType.STRING, (tag: number) => (value: unknown) => text(tag, value)],
  [ScalarType.BYTES, (tag: number) => (value: unknown) => blob(tag, value)],
  [
    ScalarType.BOOL,
    (tag: number) => (value: unknown) => {
      open(tag, 1);
      bytes[at++] = value ? 1 : 0;
    },
  ],
  [
    ScalarType.DOUBLE,
    (tag: number) => (value: unknown) => {
      if (typeof value !== 'number') throw UNUSUAL;
      open(tag, 8);
      view.setFloat64(at, value, true);
      at += 8;
    },
  ],
  [
    ScalarType.FLOAT,
    (tag: number) => (value: unknown) => {
      if (typeof value !== 'number' || (Number.isFinite(value) && !Number.isFinite(Math.fround(value)))) throw UNUSUAL;
      open(tag, 4);
      view.setFloat32(at, value, true);
      at += 4;
    },
  ],
  [
    ScalarType.INT32,
    (tag: number) => (value: unknown) => {
      const number = integerOf(value, INT32_MIN, INT32_MAX);
      open(tag, VARINT_MAX);
      // A negative one is extended to 64 bits.
      if (number >= 0) varint32(number);
      else varint64(number, -1);
    },
  ],
  [
    ScalarType.UINT32,
    (tag: number) => (value: unknown) => {
      const number = integerOf(value, 0, UINT32_MAX);
      open(tag, VARINT_MAX);
      varint32(number);
    },
  ],
  [ScalarType.INT64, (tag: number) => (value: unknown) => integer64(tag, value, INT64_MIN, INT64_MAX)],
  [ScalarType.UINT64, (tag: number) => (value: unknown) => integer64(tag, value, 0n, UINT64_MAX)],
]);

function integerOf(value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw UNUSUAL;
}

function blob(tag: number, value: unknown): void {
  if (!(value instanceof Uint8Array)) throw UNUSUAL;
  open(tag, VARINT_MAX + value.length);
  varint32(value.length);
  bytes.set(value, at);
  at += value.length;
}

function integer64(tag: number, value: unknown, min: bigint, max: bigint): void {
  if (typeof value !== 'bigint') throw UNUSUAL;
  open(tag, VARINT_MAX);
  // A double that holds the integer exactly has the same halves, and is much faster to split.
  const near = Number(value);
  if (near >= 0 && near <= Number.MAX_SAFE_INTEGER) {
    varint64(near | 0, (near / TWO_POWER_32) | 0);
    return;
  }
  if (value < min || value > max) throw UNUSUAL;
  wide[0] = value;
  varint64(halves[LOW] as number, halves[1 - LOW] as number);
}

function text(tag: number, value: unknown): void {
  if (typeof value !== 'string') throw UNUSUAL;
  const start = begin(tag);
  const { length } = value;
  room(3 * length);
  if (length > SHORT_TEXT || !ascii(value)) at += utf8.encodeInto(value, bytes.subarray(at)).written;
  end(start);
}

/** Writes a text of nothing but ASCII; of another, nothing. */
function ascii(value: string): boolean {
  let to = at;
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index);
    if (code > 0x7f) return false;
    bytes[to++] = code;
  }
  at = to;
  return true;
}

/** Begins something with its length before it; to be given to {@link end}. */
export function begin(tag: number): number {
  open(tag, 1);
  return at++;
}

/** Most lengths take the one byte that is kept for them. */
export function end(start: number): void {
  const from = start + 1;
  const length = at - from;
  if (length < 0x80) {
    bytes[start] = length;
    return;
  }
  room(VARINT_MAX);
  const to = at;
  at = start;
  const size = length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5;
  bytes.copyWithin(start + size, from, to);
  varint32(length);
  at += length;
}

/** There has to be room for it. */
function varint32(value: number): void {
  let rest = value;
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
}

/** Writes a varint from two 32-bit words; capacity must be reserved. */
function varint64(low: number, high: number): void {
  let lower = low >>> 0;
  let higher = high >>> 0;
  while (higher > 0) {
    bytes[at++] = (lower & 0x7f) | 0x80;
    lower = ((lower >>> 7) | (higher << 25)) >>> 0;
    higher >>>= 7;
  }
  varint32(lower);
}

/** Writes a tag, and makes room for what follows. */
function open(tag: number, size: number): void {
  room(TAG_MAX + size);
  if (tag >= 0x80) varint32(tag);
  else bytes[at++] = tag;
}

function room(count: number): void {
  const needed = at + count;
  if (needed > bytes.length) grow(needed);
}

function grow(needed: number): void {
  const before = bytes;
  bytes = new Uint8Array(Math.max(needed, 2 * before.length));
  bytes.set(before.subarray(0, at));
  view = new DataView(bytes.buffer);
}
