import { create, type DescField, type DescMessage, type Message, type MessageShape, ScalarType, toBinary } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import type { Fields } from './json/message-json.js';

/**
 * Message → protobuf bytes, compiled once per message: what every answer and push costs. The bytes are those of the library's
 * `toBinary`; whatever is not as the contract's types have it is left to that, which writes or refuses it.
 */

/** Writes a message, without a tag or a length. */
type Body = (message: Fields) => void;
/** Writes a value that is there, after its tag. */
type ValueWriter = (value: unknown) => void;

interface FieldWriter {
  readonly localName: string;
  /** Every message has a value for it, if only `undefined`: fields without presence, lists, and what is required. */
  readonly always: boolean;
  readonly write: ValueWriter;
  /** Of what nobody has set. */
  readonly byDefault: unknown;
}

/** How messages are written that have the same properties in the same order. */
interface Plan {
  readonly names: readonly string[];
  readonly typeAt: number;
  /** In the order of the fields' numbers, for each the place of its value. */
  readonly places: readonly number[];
  readonly fields: readonly FieldWriter[];
}

/** Says that the library has to decide; made once, as it is thrown where bytes are made. */
const UNUSUAL = new Error('left to the library');
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
/** Objects with more properties than these and `$typeName` may be hash tables, of which names and values are slow to list. */
const FEW_FIELDS = 15;
/** Orders in which messages of one type have their properties: who makes them has one or two, strangers any. */
const PLANS_MAX = 16;
const IMPLICIT = 2;
const LEGACY_REQUIRED = 3;

const bodies = new Map<DescMessage, Body>();
const writers = new Map<DescMessage, (message: Message) => Uint8Array<ArrayBuffer>>();
const utf8 = new TextEncoder();
const wide = new BigInt64Array(1);
const halves = new Int32Array(wide.buffer);
/** Where a 64-bit integer has its lower half on this machine. */
const LOW = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 0 : 1;

// One message is written at a time: nothing that is called for it comes back here.
const kept = new Uint8Array(KEPT_BYTES);
const keptView = new DataView(kept.buffer);
let bytes = kept;
let view = keptView;
let at = 0;

/** The protobuf bytes of a message, for the caller alone. @throws what `toBinary` throws, for what it throws at. */
export function messageBytes<D extends DescMessage>(desc: D, message: MessageShape<D>): Uint8Array<ArrayBuffer> {
  let writer = writers.get(desc);
  if (writer === undefined) {
    writer = isPlain(desc, new Set()) ? compile(desc) : (one) => toBinary(desc, one as MessageShape<D>);
    writers.set(desc, writer);
  }
  return writer(message);
}

function compile(desc: DescMessage): (message: Message) => Uint8Array<ArrayBuffer> {
  const body = bodyOf(desc);
  return (message) => {
    at = 0;
    try {
      body(message as unknown as Fields);
      return bytes.slice(0, at);
    } catch (thrown) {
      if (thrown !== UNUSUAL) throw thrown;
      return toBinary(desc, message);
    } finally {
      if (bytes !== kept) {
        bytes = kept;
        view = keptView;
      }
    }
  };
}

/** Nothing but fields and lists of the encodings that the contract uses, of messages that are no more than their fields. */
function isPlain(desc: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(desc)) return true;
  seen.add(desc);
  // The library keeps some of these as other values than messages.
  if (desc.typeName.startsWith('google.protobuf.')) return false;
  return desc.fields.every(
    (field) =>
      field.oneof === undefined &&
      field.fieldKind !== 'map' &&
      !('delimitedEncoding' in field && field.delimitedEncoding) &&
      !('packed' in field && field.packed) &&
      (field.message === undefined ? scalarWriters.has(scalarOf(field)) : isPlain(field.message, seen)),
  );
}

function bodyOf(desc: DescMessage): Body {
  const known = bodies.get(desc);
  if (known !== undefined) return known;
  const fields: FieldWriter[] = [];
  const body = desc.fields.length > FEW_FIELDS ? bodyByName(desc, fields) : bodyByPlan(desc, fields);
  // Known before its fields are looked at: a message may hold itself.
  bodies.set(desc, body);
  const prototype = prototypeOf(desc);
  for (const field of desc.fields.toSorted((one, other) => one.number - other.number)) fields.push(fieldWriter(field, prototype));
  return body;
}

/** Asks a message for each of its type's fields. */
function bodyByName(desc: DescMessage, fields: readonly FieldWriter[]): Body {
  const { typeName } = desc;
  const prototype = prototypeOf(desc);
  return (message) => {
    if (message.$typeName !== typeName || message.$unknown !== undefined) throw UNUSUAL;
    const isMade = Object.getPrototypeOf(message) === prototype;
    for (let index = 0; index < fields.length; index++) {
      const { localName, byDefault, always, write } = fields[index] as FieldWriter;
      const value = message[localName];
      // What is not set has its default from the prototype: anything else is the message's own, which costs more to ask.
      if (value !== undefined && ((isMade && value !== byDefault) || Object.hasOwn(message, localName))) write(value);
      else if (always) throw UNUSUAL;
    }
  };
}

/** Takes all that a message has at once, several times as fast as name by name. */
function bodyByPlan(desc: DescMessage, fields: readonly FieldWriter[]): Body {
  const { typeName } = desc;
  const plans: Plan[] = [];
  let last: Plan | undefined;
  return (message) => {
    const names = Object.keys(message);
    if (last === undefined || !areSame(last.names, names)) {
      last = plans.find((plan) => areSame(plan.names, names));
      if (last === undefined) {
        last = planOf(names, fields);
        if (plans.length === PLANS_MAX) plans.length = 0;
        plans.push(last);
      }
    }
    const values = Object.values(message);
    const plan = last;
    if (values[plan.typeAt] !== typeName) throw UNUSUAL;
    for (let index = 0; index < plan.fields.length; index++) {
      const value = values[plan.places[index] as number];
      const field = plan.fields[index] as FieldWriter;
      if (value !== undefined) field.write(value);
      else if (field.always) throw UNUSUAL;
    }
  };
}

function planOf(names: readonly string[], fields: readonly FieldWriter[]): Plan {
  const used = fields.filter(({ localName, always }) => always || names.includes(localName));
  return {
    names,
    // Without it nothing is written here.
    typeAt: names.includes('$unknown') ? -1 : names.indexOf('$typeName'),
    places: used.map(({ localName }) => names.indexOf(localName)),
    fields: used,
  };
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}

function prototypeOf(desc: DescMessage): Fields {
  return Object.getPrototypeOf(create(desc));
}

function fieldWriter(field: DescField, prototype: Fields): FieldWriter {
  const { localName } = field;
  const always = field.fieldKind === 'list' || field.presence === IMPLICIT || field.presence === LEGACY_REQUIRED;
  return { localName, always, write: writerOf(field), byDefault: prototype[localName] };
}

function writerOf(field: DescField): ValueWriter {
  if (field.fieldKind === 'list') return listWriter(field);
  const write = valueWriter(field);
  if (field.presence !== IMPLICIT) return write;
  const isZero = zeroOf(field);
  return (value) => {
    if (!isZero(value)) write(value);
  };
}

/** Tells what a field without presence has when nobody has set it. */
function zeroOf({ scalar, enum: members }: DescField): (value: unknown) => boolean {
  const first = members?.values[0]?.number ?? 0;
  switch (scalar) {
    case ScalarType.STRING:
      return (value) => value === '';
    case ScalarType.BYTES:
      return (value) => value instanceof Uint8Array && value.length === 0;
    case ScalarType.BOOL:
      return (value) => value === false;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return (value) => Object.is(value, 0);
    default:
      return (value) => value === first || (members === undefined && value === 0n);
  }
}

function listWriter(field: DescField): ValueWriter {
  const write = valueWriter(field);
  return (items) => {
    if (!Array.isArray(items)) throw UNUSUAL;
    for (let index = 0; index < items.length; index++) write(items[index]);
  };
}

/** Members of enumerations are written as the numbers that they are. */
function scalarOf({ scalar }: DescField): ScalarType {
  return scalar ?? ScalarType.INT32;
}

function tagOf(field: DescField): number {
  return ((field.number << 3) | wireTypeOf(field)) >>> 0;
}

function wireTypeOf(field: DescField): WireType {
  if (field.message !== undefined) return WireType.LengthDelimited;
  switch (scalarOf(field)) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
      return WireType.Bit64;
    case ScalarType.FLOAT:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}

function valueWriter(field: DescField): ValueWriter {
  const tag = tagOf(field);
  if (field.message === undefined) {
    const writer = scalarWriters.get(scalarOf(field));
    if (writer === undefined) throw new Error(`${field} is not written here`);
    return writer(tag);
  }
  const body = bodyOf(field.message);
  return (value) => {
    if (typeof value !== 'object' || value === null) throw UNUSUAL;
    const start = begin(tag);
    body(value as Fields);
    end(start);
  };
}

/** What the contract uses. */
const scalarWriters: ReadonlyMap<ScalarType, (tag: number) => ValueWriter> = new Map([
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
  // Of an integer that a double holds, the double has the same halves, and is at hand much sooner.
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
function begin(tag: number): number {
  open(tag, 1);
  return at++;
}

/** Most lengths take the one byte that is kept for them. */
function end(start: number): void {
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

/** Of its lower and its higher 32 bits. There has to be room for it. */
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
