import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { Rejection } from '@svc-gateway/contract/rejection';

/** Longer than any valid id, method, tool, prompt or address, in UTF-16 units. */
const LENGTH_MAX = 200;
const HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'last-event-id'];

/**
 * Refuses a message with too long a text that the protocol library repeats in answers, errors and notifications: ids, names,
 * and protocol headers. undefined if all are short.
 */
export function longName(headers: IncomingHttpHeaders, body: JsonValue | undefined): Rejection | undefined {
  const long =
    HEADERS.find((name) => isLong(headers[name])) ??
    [body]
      .flat()
      .map(longField)
      .find((name) => name !== undefined);
  if (long === undefined) return undefined;
  return new Rejection('request.out_of_range', `${long}: at most ${LENGTH_MAX} characters are accepted`, { field: long });
}

function longField(message: JsonValue | undefined): string | undefined {
  if (!isJsonObject(message)) return undefined;
  const { id, method } = message;
  const params = isJsonObject(message.params) ? message.params : {};
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const fields = { id, method, 'params.name': params.name, 'params.uri': params.uri, 'params._meta.progressToken': meta.progressToken };
  return Object.entries(fields).find(([, value]) => isLong(value))?.[0];
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > LENGTH_MAX;
}
