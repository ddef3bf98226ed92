import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { err, ok, type Result } from '@svc-gateway/access';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { InexactNumber, isJsonObject, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { INVALID_REQUEST, PARSE_ERROR, type RpcError } from './gateway-error.js';

/** A line of the client's, with the parts that the bridge looks at. Ids are JSON text, as `1` or `"a"`. */
export interface ClientMessage {
  /** Sent as they came: the arguments of a call have 64-bit integers. */
  readonly bytes: Uint8Array;
  /** The same for the protocol library, which derives headers from it; large numbers are rounded. */
  readonly json: JSONRPCMessage;
  readonly kind: 'request' | 'notification' | 'response' | 'batch';
  /** Ids of its requests: one of a request, any number of a batch, otherwise none. */
  readonly ids: readonly string[];
  /** Undefined for a response and a batch. */
  readonly method: string | undefined;
  /** Protocol revision in the `_meta` envelope; only revisions without sessions have one. */
  readonly claim: string | undefined;
  /** Id of the request that a `notifications/cancelled` cancels. */
  readonly cancels: string | undefined;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Reads one line of the input. The error is the one that JSON-RPC 2.0 asks for, with id null. */
export function readClientMessage(bytes: Uint8Array): Result<ClientMessage, RpcError> {
  const text = decode(bytes);
  if (text === undefined) return err({ code: PARSE_ERROR, message: 'not UTF-8' });
  const parsed = parseJson(text);
  if (!parsed.ok) return err({ code: PARSE_ERROR, message: `not JSON: ${parsed.error.message} (column ${parsed.error.column})` });
  const { value } = parsed;
  const message = { bytes, json: JSON.parse(text) as JSONRPCMessage, ids: [], method: undefined, claim: undefined, cancels: undefined };
  if (Array.isArray(value)) {
    const ids = value.flatMap((element) => (isJsonObject(element) && typeof element.method === 'string' ? requestId(element) : []));
    return ok({ ...message, kind: 'batch', ids });
  }
  if (!isJsonObject(value)) return err({ code: INVALID_REQUEST, message: 'a message must be a JSON object' });
  const { method } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return ok({ ...message, kind: 'response' });
  if (typeof method !== 'string')
    return err({ code: INVALID_REQUEST, message: 'a message must have a "method", a "result" or an "error"' });
  const params = isJsonObject(value.params) ? value.params : undefined;
  const version = isJsonObject(params?._meta) ? params._meta[VERSION_KEY] : undefined;
  const claim = typeof version === 'string' ? version : undefined;
  if (!('id' in value)) {
    const cancels = method === 'notifications/cancelled' ? idText(params?.requestId) : undefined;
    return ok({ ...message, kind: 'notification', method, claim, cancels });
  }
  const ids = requestId(value);
  if (ids.length === 0) return err({ code: INVALID_REQUEST, message: '"id" must be a string or a number' });
  return ok({ ...message, kind: 'request', ids, method, claim });
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

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
