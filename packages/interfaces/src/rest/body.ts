import { isUtf8 } from 'node:buffer';
import type { Message } from '@bufbuild/protobuf';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { emptyObject, type JsonValue } from '@svc-gateway/contract/json/value';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { readRequest } from '@svc-gateway/contract/request';
import { quoted } from '@svc-gateway/contract/shown';

/** Reads a POST body or a GET's query (the text after the "?") into the operation's request. */
export function decodeRequest(
  operation: Operation,
  method: 'GET' | 'POST',
  bytes: Buffer | Rejection | undefined,
  query: string,
): Message | Rejection {
  const body = method === 'GET' ? readQuery(new URLSearchParams(query)) : (refuseQuery(query) ?? readJson(bytes));
  return body instanceof Rejection ? body : readRequest(operation, 'rest', body);
}

/** Stands in a text for each sequence of bytes that is not UTF-8. */
const REPLACEMENT = '\ufffd';

/** Reads a body as JSON; undefined where there is none. */
export function readJson(bytes: Buffer | Rejection | undefined): JsonValue | undefined | Rejection {
  if (bytes instanceof Rejection) return bytes;
  // No body, as curl -X POST sends it, asks for the defaults.
  if (bytes === undefined || bytes.length === 0) return undefined;
  const text = bytes.toString();
  // RFC 8259, section 8.1. A replacement character that nobody wrote would ask for something else; most texts have none.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) {
    return new Rejection('request.malformed_json', 'malformed JSON: the body is not valid UTF-8');
  }
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  const { message, line, column } = parsed.error;
  return new Rejection('request.malformed_json', `malformed JSON at line ${line}, column ${column}: ${message}`);
}

/** A field in the query of a POST would be passed over, or contradict the body. */
function refuseQuery(query: string): Rejection | undefined {
  if (query === '') return undefined;
  const [name] = new URLSearchParams(query).keys();
  if (name === undefined) return undefined;
  const message = `unknown query parameter ${quoted(name)}: a POST takes its fields in the JSON body`;
  return new Rejection('request.unknown_field', message, { field: name });
}

const INTEGER_TEXT = /^-?\d{1,20}$/;

/** Query parameters by the rules of the body: digits are integers, true and false booleans, everything else text. */
function readQuery(query: URLSearchParams): JsonValue | Rejection {
  const object = emptyObject();
  for (const [name, text] of query) {
    if (name in object) return new Rejection('request.invalid', `the query parameter ${quoted(name)} appears twice`, { field: name });
    object[name] = queryValue(text);
  }
  return object;
}

function queryValue(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!INTEGER_TEXT.test(text)) return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
