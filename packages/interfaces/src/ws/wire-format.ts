import type { IncomingMessage } from 'node:http';
import { nearestName } from '@svc-gateway/contract/names';
import { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import { type Cursor, parseCursor } from '@svc-gateway/gateway/push';
import { enumsOf } from '../common/format-headers.js';
import { queryOf, repeatedParameter } from '../common/upgrade.js';
import type { WireFormat } from './push-formats.js';

/** Query parameters of a handshake; the token is read where the caller is identified. */
const PARAMETERS = ['token', 'format', 'int64', 'enums', 'since'];

/** Options of a handshake. */
export interface Handshake extends WireFormat {
  /** `?since=`: the last order or fill event that the client has. */
  readonly since?: Cursor;
}

/**
 * `?format=json|protobuf`, `?int64=number|string` (or the header `X-Svc-Int64`) and `?enums=numbers|names` (or `X-Svc-Enums`). Nothing in
 * the query is passed over.
 */
export function handshakeOf(request: IncomingMessage): Handshake | Rejection {
  const query = queryOf(request);
  const misread = misreadParameter(query);
  if (misread !== undefined) return misread;
  const format = query.get('format') ?? 'json';
  if (format !== 'json' && format !== 'protobuf') {
    return new Rejection('request.out_of_range', `format: expected json or protobuf, found ${quoted(format)}`, { field: 'format' });
  }
  const int64 = query.get('int64') ?? request.headers['x-svc-int64'] ?? 'number';
  if (int64 !== 'number' && int64 !== 'string') {
    return new Rejection('request.out_of_range', `int64: expected number or string, found ${quoted(String(int64))}`, {
      field: 'int64',
    });
  }
  const enums = enumsOf(query.get('enums') ?? request.headers['x-svc-enums'], 'enums');
  if (enums instanceof Rejection) return enums;
  const since = query.get('since');
  if (since === null) return { format, int64, enums };
  const cursor = cursorOf(since);
  return cursor instanceof Rejection ? cursor : { format, int64, enums, since: cursor };
}

/** The cursor that a client says. */
export function cursorOf(text: string): Cursor | Rejection {
  const message = `since: expected the "cursor" of an order or fill event, found ${quoted(text)}`;
  return parseCursor(text) ?? new Rejection('request.out_of_range', message, { field: 'since' });
}

/** A misspelt parameter would mean another stream than was asked for. */
function misreadParameter(query: URLSearchParams): Rejection | undefined {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (!PARAMETERS.includes(name)) {
      const near = nearestName(name, PARAMETERS);
      const hint = near === undefined ? `accepted: ${PARAMETERS.join(', ')}` : `did you mean "${near}"?`;
      return new Rejection('request.unknown_field', `unknown query parameter ${quoted(name)}; ${hint}`, { field: name });
    }
    if (seen.has(name)) return repeatedParameter(name);
    seen.add(name);
  }
  return undefined;
}
