import { ScalarType } from '@bufbuild/protobuf';
import { stop } from '../problem.js';
import { checkText } from '../texts.js';
import { describeJson, type JsonValue } from './value.js';

/** Reads one protocol scalar from JSON; stops with a problem when the value is not of the type or out of its range. */
export type ScalarReader = (value: JsonValue, path: string) => number | bigint | boolean | string | Uint8Array;
/** Writes one protocol scalar as JSON text. */
export type ScalarWriter = (value: never) => string;

const INTEGER_TEXT = /^-?\d{1,20}$/;
const BASE64_TEXT = /^[A-Za-z0-9+/_-]*={0,2}$/;

function integer(low: bigint, high: bigint, wide: boolean): ScalarReader {
  const [least, most] = [Number(low), Number(high)];
  return (value, path) => {
    // Most values pass without a bigint; -0 becomes 0.
    if (!wide && typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value + 0;
    let number: bigint | undefined;
    if (typeof value === 'bigint') number = value;
    else if (typeof value === 'number' && Number.isSafeInteger(value)) number = BigInt(value);
    // Clients whose JSON is not exact send 64-bit integers as text.
    else if (wide && typeof value === 'string' && INTEGER_TEXT.test(value)) number = BigInt(value);
    if (number === undefined) {
      stop('wrong_type', path, `${path}: expected an integer${wide ? ' (or its decimal text)' : ''}, found ${describeJson(value)}`);
    }
    if (number < low || number > high) stop('out_of_range', path, `${path}: ${number} is out of range, accepted: ${low} to ${high}`);
    return wide ? number : Number(number);
  };
}

const readDouble: ScalarReader = (value, path) => {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' && BigInt(Number(value)) === value) return Number(value);
  if (typeof value === 'bigint' || (typeof value === 'object' && value !== null && 'text' in value)) {
    stop(
      'out_of_range',
      path,
      `${path}: ${describeJson(value)} has more digits than this field can carry exactly (15 significant digits always fit)`,
    );
  }
  stop('wrong_type', path, `${path}: expected a number, found ${describeJson(value)}`);
};

const readString: ScalarReader = (value, path) => {
  if (typeof value !== 'string') stop('wrong_type', path, `${path}: expected a string, found ${describeJson(value)}`);
  checkText(value, path);
  return value;
};

const readBoolean: ScalarReader = (value, path) =>
  typeof value === 'boolean' ? value : stop('wrong_type', path, `${path}: expected true or false, found ${describeJson(value)}`);

const readBytes: ScalarReader = (value, path) => {
  if (typeof value === 'string' && BASE64_TEXT.test(value)) return new Uint8Array(Buffer.from(value, 'base64'));
  stop('wrong_type', path, `${path}: expected base64 text, found ${describeJson(value)}`);
};

const readInt32 = integer(-(2n ** 31n), 2n ** 31n - 1n, false);
const readUint32 = integer(0n, 2n ** 32n - 1n, false);
const readInt64 = integer(-(2n ** 63n), 2n ** 63n - 1n, true);
const readUint64 = integer(0n, 2n ** 64n - 1n, true);

/** The reader of a protocol scalar type. */
export function scalarReader(type: ScalarType): ScalarReader {
  switch (type) {
    case ScalarType.BOOL:
      return readBoolean;
    case ScalarType.STRING:
      return readString;
    case ScalarType.BYTES:
      return readBytes;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return readDouble;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return readUint32;
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return readUint64;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return readInt64;
    default:
      return readInt32;
  }
}

/** How 64-bit integers are written: as exact JSON numbers, or as text for clients whose parser is not exact. */
export type Int64Format = 'number' | 'string';

/** The writer of a protocol scalar type. */
export function scalarWriter(type: ScalarType, int64: Int64Format): ScalarWriter {
  switch (type) {
    case ScalarType.STRING:
      return (value: string) => JSON.stringify(value);
    case ScalarType.BYTES:
      return (value: Uint8Array) => `"${Buffer.from(value).toString('base64')}"`;
    case ScalarType.DOUBLE:
      return (value: number) => (Number.isFinite(value) ? String(value) : 'null');
    case ScalarType.FLOAT:
      return (value: number) => (Number.isFinite(value) ? shortestFloat(value) : 'null');
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return int64 === 'string' ? (value: bigint) => `"${value}"` : (value: bigint) => String(value);
    default:
      return (value: number | boolean) => String(value);
  }
}

/** The shortest decimal that reads back as the same 32-bit float: 0.1, not 0.10000000149011612. */
function shortestFloat(value: number): string {
  const float = Math.fround(value);
  for (let digits = 6; digits < 9; digits++) {
    const text = Number(float.toPrecision(digits));
    if (Math.fround(text) === float) return String(text);
  }
  return String(float);
}
