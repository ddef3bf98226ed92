import {
  type DescField,
  type DescMessage,
  fromBinary,
  fromJson,
  type Message,
  type MessageShape,
  type JsonValue as PlainJson,
  toJson,
} from '@bufbuild/protobuf';
import { requireFields } from '../contract/json/message-json.js';
import { parseJson } from '../contract/json/parse.js';
import { InexactNumber, type JsonValue } from '../contract/json/value.js';
import { messageBytes } from '../contract/message-writer.js';
import { collectProblem, type Problem } from '../contract/problem.js';

/** How a message is written on the wire. */
export type BodyFormat = 'protobuf' | 'json';

export type BodyRead<D extends DescMessage> =
  | { readonly ok: true; readonly message: MessageShape<D> }
  | { readonly ok: false; readonly problem: Problem };

/**
 * The body of a `Request` or `Response`. JSON has the original field names of the `.proto` files, by which the published
 * clients read answers; 64-bit integers are texts, as in all protobuf JSON, so that no reader rounds them.
 * @throws when the message lacks a required field or would be empty, on which the published clients wait for ever.
 */
export function encodeBody<D extends DescMessage>(desc: D, message: MessageShape<D>, format: BodyFormat): Uint8Array {
  if (format === 'json') return jsonBody(desc, message);
  const bytes = messageBytes(desc, message);
  if (bytes.length === 0) throw new Error(`${desc.typeName}: a body is never empty`);
  return bytes;
}

/** A payload without a field is left away, as the published servers do: what their clients read of one is not all there. */
function jsonBody<D extends DescMessage>(desc: D, message: MessageShape<D>): Uint8Array {
  const json = toJson(desc, message, { useProtoFieldName: true, enumAsInteger: true }) as { s2c?: object };
  if (json.s2c !== undefined && Object.keys(json.s2c).length === 0) delete json.s2c;
  return Buffer.from(JSON.stringify(json));
}

/**
 * Reads a body. Fields that are not known here are passed over, in either format: the client may be newer than we are.
 *
 * JSON is protobuf JSON: names in lowerCamelCase or as in the `.proto` file, 64-bit integers as texts or as exact numbers.
 */
export function decodeBody<D extends DescMessage>(desc: D, bytes: Uint8Array, format: BodyFormat): BodyRead<D> {
  if (bytes.length === 0) return invalid(`empty body, expected a ${desc.typeName} as ${format}`);
  const read = format === 'json' ? readJson(desc, bytes) : readProtobuf(desc, bytes);
  if (!read.ok) return read;
  const checked = collectProblem(() => requireAll(read.message, desc, ''));
  return checked.ok ? read : checked;
}

function invalid(message: string): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: { kind: 'invalid', path: '', message } };
}

// The library answers any malformed text with an exception.
function attempt<D extends DescMessage>(decode: () => MessageShape<D>): BodyRead<D> {
  try {
    return { ok: true, message: decode() };
  } catch (error) {
    return invalid(error instanceof Error ? error.message : String(error));
  }
}

function readProtobuf<D extends DescMessage>(desc: D, bytes: Uint8Array): BodyRead<D> {
  // Unknown fields are dropped: nobody passes them on.
  return attempt(() => fromBinary(desc, bytes, { readUnknownFields: false }));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readJson<D extends DescMessage>(desc: D, bytes: Uint8Array): BodyRead<D> {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return invalid('the body is not UTF-8 text');
  }
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const { message, line, column } = parsed.error;
    return invalid(`malformed JSON at line ${line}, column ${column}: ${message}`);
  }
  return attempt(() => fromJson(desc, plain(parsed.value), { ignoreUnknownFields: true }));
}

/**
 * A value as the library takes it. Numbers that a double does not hold become their text, which protobuf JSON accepts for
 * every numeric field: exact for integers, and rounded to the nearest double where the field is one, because
 * clients print a double with more digits than it needs.
 */
function plain(value: JsonValue): PlainJson {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof InexactNumber) return value.text;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, plain(child)]));
}

/** Stops for the first required field that is missing anywhere in a message: "c2s.header.accID". */
function requireAll(message: Message, desc: DescMessage, path: string): void {
  requireFields(message, desc, path, (field) => field.name);
  for (const field of messageFields(desc)) {
    const value = (message as unknown as Record<string, unknown>)[field.localName] as Message | readonly Message[] | undefined;
    const here = path === '' ? field.name : `${path}.${field.name}`;
    const child = field.message;
    if (value === undefined || child === undefined) continue;
    if (Array.isArray(value)) for (const [index, item] of value.entries()) requireAll(item, child, `${here}[${index}]`);
    else requireAll(value as Message, child, here);
  }
}

const fieldsWithMessages = new WeakMap<DescMessage, readonly DescField[]>();

function messageFields(desc: DescMessage): readonly DescField[] {
  let fields = fieldsWithMessages.get(desc);
  if (fields === undefined) {
    fields = desc.fields.filter((field) => field.message !== undefined);
    fieldsWithMessages.set(desc, fields);
  }
  return fields;
}
