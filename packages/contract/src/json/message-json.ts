import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { decimalKind, isDecimal, nearestDecimal } from '../decimal-fields.js';
import {
  type Dialect,
  type Enumeration,
  enumerationOf,
  knownNumbers,
  listAccepted,
  listNamed,
  memberNamed,
  sendableNumbers,
  writtenValues,
} from '../enums.js';
import { childPath } from '../field-path.js';
import { documentedEnumeration, shownEnumeration } from '../named-numbers.js';
import { snakeCase } from '../names.js';
import { inWords, orderFields } from '../order-words.js';
import { stop } from '../problem.js';
import { quoted } from '../shown.js';
import { fieldMeant } from '../trade-words.js';
import type { Fields } from './fields.js';
import { type Int64Format, scalarReader, scalarWriter } from './scalars.js';
import { describeJson, InexactNumber, isJsonObject, type JsonValue } from './value.js';

/**
 * JSON ↔ message by reflection, compiled once per message and dialect. Field names are the snake_case of the
 * protocol's; unknown names, wrong types and numbers outside an enumeration stop the decoder with the path.
 */

/** Reads a JSON value into what a message holds in a field. */
export type ValueReader = (value: JsonValue, path: string) => unknown;

export interface MessageReader {
  readonly desc: DescMessage;
  /** Readers of the fields by their snake_case name. */
  readonly fields: ReadonlyMap<string, FieldReader>;
  /** Whether required fields are there is for the reader of the whole request to say, once what it fills in is in it. */
  read(value: JsonValue, path: string): Message;
}

export interface FieldReader {
  readonly field: DescField;
  readonly read: ValueReader;
}

const readers = new Map<string, MessageReader>();

/** The reader of a message in a dialect; made on first use. */
export function messageReader(desc: DescMessage, dialect: Dialect): MessageReader {
  const key = `${dialect} ${desc.typeName}`;
  const known = readers.get(key);
  if (known !== undefined) return known;
  const fields = new Map<string, FieldReader>();
  const reader: MessageReader = {
    desc,
    fields,
    read(value, path) {
      if (!isJsonObject(value)) stop('wrong_type', path, `${path || 'body'}: expected an object, found ${describeJson(value)}`);
      const message = create(desc) as Message & Fields;
      for (const name in value) {
        const child = value[name];
        const entry = fields.get(name);
        if (entry === undefined) unknownField(childPath(path, name), name, fields.keys());
        // null says "not given", as in protobuf JSON.
        if (child !== null && child !== undefined) message[entry.field.localName] = entry.read(child, childPath(path, name));
      }
      return message;
    },
  };
  readers.set(key, reader);
  for (const field of desc.fields) fields.set(snakeCase(field.name), { field, read: fieldReader(field, dialect) });
  return reader;
}

const LEGACY_REQUIRED = 3;

/** The message cannot do without it (proto2 `required`). */
export function isRequiredField(field: DescField): boolean {
  return field.presence === LEGACY_REQUIRED;
}

/** Stops with `unknown field "<path>"` and the accepted name that is meant, or all of them. */
export function unknownField(path: string, name: string, accepted: Iterable<string>): never {
  const names = [...accepted];
  const meant = fieldMeant(name, names);
  const hint = meant === undefined ? `; accepted: ${names.join(', ') || 'none'}` : `; did you mean "${meant}"?`;
  stop('unknown_field', path, `unknown field ${quoted(path)}${hint}`);
}

function fieldReader(field: DescField, dialect: Dialect): ValueReader {
  switch (field.fieldKind) {
    case 'message': {
      const desc = field.message;
      return (value, path) => messageReader(desc, dialect).read(value, path);
    }
    case 'scalar':
      return scalarFieldReader(field, field.scalar, dialect);
    case 'enum':
      return scalarFieldReader(field, ScalarType.INT32, dialect);
    case 'list': {
      const element: ValueReader =
        field.listKind === 'message'
          ? (value, path) => messageReader(field.message, dialect).read(value, path)
          : scalarFieldReader(field, field.listKind === 'scalar' ? field.scalar : ScalarType.INT32, dialect);
      return listReader(element);
    }
    default:
      throw new Error(`${field}: maps are not part of the protocol`);
  }
}

/** Reads an array by its elements' reader. */
export function listReader(element: ValueReader): ValueReader {
  return (value, path) => {
    if (!Array.isArray(value)) stop('wrong_type', path, `${path}: expected an array, found ${describeJson(value)}`);
    return value.map((item, index) => element(item, `${path}[${index}]`));
  };
}

function scalarFieldReader(field: DescField, scalar: ScalarType, dialect: Dialect): ValueReader {
  const enumeration = enumerationOf(field.parent.typeName, field.name);
  if (enumeration !== undefined) return enumerationReader(enumeration, dialect);
  return decimalKind(field) === undefined ? namedReader(field, scalarReader(scalar), dialect) : decimalReader;
}

const readDouble = scalarReader(ScalarType.DOUBLE);

/** Reads a price or a quantity: what binary floats make of a decimal is refused, and the decimal named. */
export const decimalReader: ValueReader = (value, path) => {
  const number = value instanceof InexactNumber ? Number(value.text) : value;
  if (typeof number !== 'number' || (number === value && isDecimal(number))) return readDouble(value, path);
  const meant = nearestDecimal(number);
  // Too small to be a price: 0 would say something else.
  const hint = meant === 0 || !Number.isFinite(meant) ? '' : `; did you mean ${meant}?`;
  stop('out_of_range', path, `${path}: expected a number of at most nine decimal places, found ${describeJson(value)}${hint}`);
};

/**
 * Takes numbers as they are and, from tools, the names that the definitions have for them, which is how tools see them; a number
 * without a name is shown as text.
 */
export function namedReader(field: DescField, numbers: ValueReader, dialect: Dialect): ValueReader {
  const enumeration = documentedEnumeration(field);
  if (enumeration === undefined) return numbers;
  const names = enumerationReader(enumeration, dialect);
  return (value, path) => {
    if (typeof value !== 'string') return numbers(value, path);
    return dialect === 'mcp' && /^-?\d{1,10}$/.test(value) ? numbers(Number(value), path) : names(value, path);
  };
}

/** Reads a number (or, where the dialect takes them, a name) of an enumeration into the public number. */
export function enumerationReader(enumeration: Enumeration, dialect: Dialect, names = dialect === 'mcp'): ValueReader {
  const known = knownNumbers(enumeration, dialect);
  const list = names ? listNamed(enumeration, dialect) : listAccepted(enumeration, dialect);
  return (value, path) => {
    const member =
      typeof value === 'number' ? known.get(value) : names && typeof value === 'string' ? memberNamed(enumeration, value) : undefined;
    if (member?.untraded) stop('out_of_range', path, `${path}: market ${member.name} is not traded here; accepted: ${list}`);
    if (member !== undefined) return member.public;
    if (enumeration.ofMarkets) stop('invalid_market', path, `${path}: invalid market, found ${describeJson(value)}; accepted: ${list}`);
    stop(problemKind(enumeration, dialect, value), path, `${path}: expected one of ${list}, found ${describeJson(value)}`);
  };
}

/** A whole number or a text that stands for no member is out of range; whatever else is not accepted has the wrong type. */
function problemKind(enumeration: Enumeration, dialect: Dialect, value: JsonValue): 'out_of_range' | 'wrong_type' {
  if (typeof value !== 'string') return typeof value === 'bigint' || Number.isInteger(value) ? 'out_of_range' : 'wrong_type';
  const isMember = memberNamed(enumeration, value) !== undefined || knownNumbers(enumeration, dialect).has(Number(value || 'NaN'));
  return isMember ? 'wrong_type' : 'out_of_range';
}

/** Writes a message as JSON text. */
export type MessageWriter = (message: Message) => string;

interface Part {
  readonly name: string;
  readonly prefix: string;
  readonly list: boolean;
  readonly write: (value: never) => string;
}

interface Writing {
  readonly parts: readonly Part[];
  readonly write: MessageWriter;
}

const writings = new Map<string, Writing>();

/**
 * The writer of a message in a dialect; made on first use. Optional fields that are not set are left out, lists never are.
 * Enumerations are written as REST's numbers, and for tools by name.
 */
export function messageWriter(desc: DescMessage, dialect: Dialect, int64: Int64Format = 'number'): MessageWriter {
  return writingOf(desc, dialect, int64).write;
}

/** The same text in pieces, each with at most so many elements of the lists at the top of the message. */
export function* messagePieces(
  desc: DescMessage,
  dialect: Dialect,
  int64: Int64Format,
  message: Message,
  elementsMax: number,
): Iterable<string> {
  const values = message as unknown as Fields;
  let text = '{';
  let separator = '';
  for (const { name, prefix, list, write } of writingOf(desc, dialect, int64).parts) {
    if (!Object.hasOwn(values, name)) continue;
    text += separator + prefix;
    separator = ',';
    if (!list) {
      text += write(values[name] as never);
      continue;
    }
    text += '[';
    for (const [index, element] of (values[name] as readonly never[]).entries()) {
      text += index === 0 ? write(element) : `,${write(element)}`;
      if ((index + 1) % elementsMax > 0) continue;
      yield text;
      text = '';
    }
    text += ']';
  }
  yield `${text}}`;
}

function writingOf(desc: DescMessage, dialect: Dialect, int64: Int64Format): Writing {
  const key = `${dialect} ${int64} ${desc.typeName}`;
  const known = writings.get(key);
  if (known !== undefined) return known;
  const parts: Part[] = [];
  const write: MessageWriter = (message) => {
    const values = message as unknown as Fields;
    let text = '';
    for (const part of parts) {
      if (!Object.hasOwn(values, part.name)) continue;
      const value = values[part.name] as never;
      text += text === '' ? part.prefix : `,${part.prefix}`;
      text += part.list ? writeList(value, part.write) : part.write(value);
    }
    return `{${text}}`;
  };
  const writing = { parts, write };
  writings.set(key, writing);
  for (const field of desc.fields) {
    const prefix = `${JSON.stringify(snakeCase(field.name))}:`;
    const choices = field.fieldKind === 'list' ? enumerationOf(field.parent.typeName, field.name) : undefined;
    const [list, writeValue] =
      choices === undefined
        ? [field.fieldKind === 'list', fieldWriter(field, dialect, int64)]
        : [false, choicesWriter(choices, dialect) as (value: never) => string];
    parts.push({ name: field.localName, prefix, list, write: writeValue });
  }
  return writing;
}

/** The writers of a message's fields by their snake_case names; each writes a value of the field, and null where it is not set. */
export function fieldWriters(desc: DescMessage, dialect: Dialect, int64: Int64Format): ReadonlyMap<string, MessageWriter> {
  const { parts } = writingOf(desc, dialect, int64);
  return new Map(
    desc.fields.map((field, index) => {
      const part = parts[index] as Part;
      const write: MessageWriter = (message) => {
        if (!Object.hasOwn(message, part.name)) return 'null';
        const value = (message as unknown as Fields)[part.name] as never;
        return part.list ? writeList(value, part.write) : part.write(value);
      };
      return [snakeCase(field.name), write];
    }),
  );
}

function writeList(values: readonly never[], write: (value: never) => string): string {
  let text = '';
  for (const value of values) text += text === '' ? write(value) : `,${write(value)}`;
  return `[${text}]`;
}

function fieldWriter(field: DescField, dialect: Dialect, int64: Int64Format): (value: never) => string {
  const message = field.fieldKind === 'message' || field.fieldKind === 'list' ? field.message : undefined;
  if (message !== undefined) {
    let writer: MessageWriter | undefined;
    return (value: Message) => {
      writer ??= messageWriter(message, dialect, int64);
      return writer(value);
    };
  }
  const enumeration = shownEnumeration(field, dialect);
  if (enumeration !== undefined) return enumerationWriter(enumeration, dialect);
  const scalar = field.fieldKind === 'scalar' || field.fieldKind === 'list' ? field.scalar : undefined;
  const write = scalarWriter(scalar ?? ScalarType.INT32, int64);
  if (!brokerageTexts.has(`${field.parent.typeName}.${field.name}`)) return write;
  return (text: string) => write(inWords(orderFields, dialect, text) as never);
}

/** Fields with the brokerage's words about an order, kept as it said them. */
const brokerageTexts: ReadonlySet<string> = new Set(['Trd_Common.Order.lastErrMsg', 'svc.get_brackets.Bracket.note']);

/** A number that no name stands for is written as it is: to tools as text, since every other member is a name. */
function enumerationWriter(enumeration: Enumeration, dialect: Dialect): (value: number) => string {
  const texts = new Map([...writtenValues(enumeration, dialect)].map(([number, written]) => [number, JSON.stringify(written)]));
  return (value) => texts.get(value) ?? (dialect === 'mcp' ? `"${value}"` : String(value));
}

/**
 * Writes a list of an enumeration's members. It says what a caller may choose from (markets of an account, types of a
 * market), so it holds each choice once, and none that the interface does not take.
 */
function choicesWriter(enumeration: Enumeration, dialect: Dialect): (values: readonly number[]) => string {
  const write = enumerationWriter(enumeration, dialect);
  const sendable = sendableNumbers(enumeration, dialect);
  return (values) => `[${[...new Set(values.filter((value) => sendable.has(value)).map(write))].join(',')}]`;
}
