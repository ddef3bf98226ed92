import {
  type DescField,
  type DescMessage,
  fromBinary,
  fromJson,
  type MessageShape,
  type JsonValue as PlainJson,
  ScalarType,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { describeJson, InexactNumber, isJsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { missingFieldsOf } from '@svc-gateway/contract/missing-field';
import { collectProblem, type Problem, stop, stopMissing } from '@svc-gateway/contract/problem';

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
  const bytes = toBinary(desc, message);
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
  const read = parseBody(desc, bytes, format);
  if (!read.ok) return read;
  const missing = missingFieldsOf(desc)(read.message);
  if (missing.length === 0) return read;
  const checked = collectProblem(() => stopMissing(missing));
  return checked.ok ? read : checked;
}

/** Reads a body as {@link decodeBody} does; required fields may be missing. */
export function parseBody<D extends DescMessage>(desc: D, bytes: Uint8Array, format: BodyFormat): BodyRead<D> {
  if (bytes.length === 0) return invalid(`empty body, expected a ${desc.typeName} as ${format}`);
  return format === 'json' ? readJson(desc, bytes) : readProtobuf(desc, bytes);
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
  const read = attempt(() => fromJson(desc, plain(parsed.value), { ignoreUnknownFields: true }));
  if (read.ok) return read;
  const found = collectProblem(() => refuseValue(desc, parsed.value, ''));
  return found.ok ? read : found;
}

/** Stops for the value that the library does not read, by its path within `desc`; returns where there is none. */
function refuseValue(desc: DescMessage, json: JsonValue, path: string): void {
  if (path !== '' && !isJsonObject(json)) stop('wrong_type', path, `${path}: expected an object, found ${describeJson(json)}`);
  if (!isJsonObject(json)) return;
  for (const [name, value] of Object.entries(json)) {
    const field = desc.fields.find((one) => one.name === name || one.jsonName === name);
    if (field === undefined || value === null) continue;
    const at = path === '' ? field.name : `${path}.${field.name}`;
    const isList = field.fieldKind === 'list';
    if (isList && !Array.isArray(value)) stop('wrong_type', at, `${at}: expected an array, found ${describeJson(value)}`);
    for (const [index, element] of (isList && Array.isArray(value) ? value : [value]).entries()) {
      refuseElement(field, element, isList ? `${at}[${index}]` : at);
    }
  }
}

function refuseElement(field: DescField, json: JsonValue, path: string): void {
  if (field.message !== undefined) {
    refuseValue(field.message, json, path);
    return;
  }
  const value = field.fieldKind === 'list' ? [json] : json;
  // The library reads fields in messages alone.
  const read = attempt(() => fromJson(field.parent, plain({ [field.name]: value }), { ignoreUnknownFields: true }));
  if (!read.ok) stop('wrong_type', path, `${path}: expected ${expected(field)}, found ${describeJson(json)}`);
}

function expected({ scalar = ScalarType.INT32 }: DescField): string {
  switch (scalar) {
    case ScalarType.STRING:
      return 'a string';
    case ScalarType.BYTES:
      return 'bytes in base64';
    case ScalarType.BOOL:
      return 'true or false';
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return 'a number';
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return `an unsigned integer of ${scalar === ScalarType.UINT32 || scalar === ScalarType.FIXED32 ? 32 : 64} bits`;
    default:
      return `an integer of ${scalar === ScalarType.INT64 || scalar === ScalarType.SINT64 || scalar === ScalarType.SFIXED64 ? 64 : 32} bits`;
  }
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
