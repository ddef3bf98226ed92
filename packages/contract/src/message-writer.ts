import { create, type DescField, type DescMessage, type Message, type MessageShape, ScalarType, toBinary } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import type { Fields } from './json/fields.js';
import { begin, end, scalarWriters, UNUSUAL, type ValueWriter, written } from './protobuf-bytes.js';

/**
 * Message → protobuf bytes, compiled once per message: what every answer and push costs. The bytes are those of the library's
 * `toBinary`; whatever is not as the contract's types have it is left to that, which writes or refuses it.
 */

/** Writes a message, without a tag or a length. */
type Body = (message: Fields) => void;

interface FieldWriter {
  readonly localName: string;
  /** Every message has a value for it, if only `undefined`: fields without presence, lists, and what is required. */
  readonly always: boolean;
  readonly write: ValueWriter;
  /** Default of an unset field. */
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

/** Objects with more properties than these and `$typeName` may be hash tables, of which names and values are slow to list. */
const FEW_FIELDS = 15;
/** Orders in which messages of one type have their properties: who makes them has one or two, strangers any. */
const PLANS_MAX = 16;
const IMPLICIT = 2;
const LEGACY_REQUIRED = 3;

const bodies = new Map<DescMessage, Body>();
const writers = new Map<DescMessage, (message: Message) => Uint8Array<ArrayBuffer>>();

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
    try {
      return written(body, message as unknown as Fields);
    } catch (thrown) {
      if (thrown !== UNUSUAL) throw thrown;
      return toBinary(desc, message);
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
      // An unset field has its default from the prototype; any other value is the message's own. `Object.hasOwn` costs more.
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

/** Default value of a field without presence. */
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
