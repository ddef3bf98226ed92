import { err, ok, type Result } from '../../access/index.js';
import { parseJson } from '../../contract/json/parse.js';
import { InexactNumber, isJsonObject, type JsonObject, type JsonValue } from '../../contract/json/value.js';
import { INVALID_REQUEST, PARSE_ERROR, type RpcError } from './rpc-error.js';

/**
 * What the bridge must know of a message that a client wrote. The message itself stays the bytes that came: nothing is
 * written anew, so no digit of a number is lost. Ids are JSON text, as `1` or `"a"`.
 */
export interface ClientMessage {
  readonly bytes: Uint8Array;
  readonly kind: 'request' | 'notification' | 'response' | 'batch';
  /** Ids of the requests in it: one of a request, any number of a batch, none otherwise. */
  readonly ids: readonly string[];
  /** Undefined for a response and a batch. */
  readonly method: string | undefined;
  /** Protocol revision that the `_meta` envelope names; only revisions without sessions have one. */
  readonly claim: string | undefined;
  /** What the header `Mcp-Name` repeats, where the method has such. */
  readonly name: string | undefined;
  /** Id of the request that a `notifications/cancelled` calls off. */
  readonly cancels: string | undefined;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Methods whose requests repeat a field of their params in `Mcp-Name` (revision 2026-07-28, Streamable HTTP). */
const nameFields: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Reads one line of the input. The error is what JSON-RPC 2.0 has a server answer, with id null. */
export function readClientMessage(bytes: Uint8Array): Result<ClientMessage, RpcError> {
  const text = decode(bytes);
  if (text === undefined) return err({ code: PARSE_ERROR, message: 'not UTF-8' });
  const parsed = parseJson(text);
  if (!parsed.ok) return err({ code: PARSE_ERROR, message: `not JSON: ${parsed.error.message} (column ${parsed.error.column})` });
  const { value } = parsed;
  if (Array.isArray(value)) {
    const ids = value.flatMap((element) => (isJsonObject(element) && typeof element.method === 'string' ? requestId(element) : []));
    return ok({ bytes, kind: 'batch', ids, method: undefined, claim: undefined, name: undefined, cancels: undefined });
  }
  if (!isJsonObject(value)) return err({ code: INVALID_REQUEST, message: 'a message must be a JSON object' });
  return readObject(bytes, value);
}

function readObject(bytes: Uint8Array, value: JsonObject): Result<ClientMessage, RpcError> {
  const { method } = value;
  if (method === undefined && ('result' in value || 'error' in value)) {
    return ok({ bytes, kind: 'response', ids: [], method: undefined, claim: undefined, name: undefined, cancels: undefined });
  }
  if (typeof method !== 'string')
    return err({ code: INVALID_REQUEST, message: 'a message must have a "method", a "result" or an "error"' });
  const params = isJsonObject(value.params) ? value.params : undefined;
  const meta = isJsonObject(params?._meta) ? params._meta : undefined;
  const nameField = nameFields.get(method);
  const common = {
    bytes,
    method,
    claim: textOf(meta?.[VERSION_KEY]),
    name: nameField === undefined ? undefined : textOf(params?.[nameField]),
  };
  if (!('id' in value)) {
    const cancels = method === 'notifications/cancelled' ? idText(params?.requestId) : undefined;
    return ok({ ...common, kind: 'notification', ids: [], cancels });
  }
  const ids = requestId(value);
  if (ids.length === 0) return err({ code: INVALID_REQUEST, message: '"id" must be a string or a number' });
  return ok({ ...common, kind: 'request', ids, cancels: undefined });
}

function requestId(request: JsonObject): string[] {
  const id = idText(request.id);
  return id === undefined ? [] : [id];
}

function idText(id: JsonValue | undefined): string | undefined {
  if (typeof id === 'string') return JSON.stringify(id);
  if (typeof id === 'number' || typeof id === 'bigint') return String(id);
  return id instanceof InexactNumber ? id.text : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
