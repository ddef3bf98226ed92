import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '@svc-gateway/contract/json/parse';
import type { JsonValue } from '@svc-gateway/contract/json/value';
import { HttpListener } from '@svc-gateway/interfaces/common/http-listener';

/** An answer as JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Handler of a path; undefined body = the method takes none, text problem = it could not be read as JSON. */
type Handler = (body: JsonValue | undefined, problem: string | undefined, request: IncomingMessage) => JsonAnswer | Promise<JsonAnswer>;

/** By path, then by method. */
export type JsonRoutes = Readonly<Record<string, Readonly<Partial<Record<string, Handler>>>>>;

/** No request comes near it. */
const BODY_BYTES_MAX = 64 * 1024;
const CONNECTIONS_MAX = 1_000;

/** A small HTTP server of JSON bodies in and out. */
export function jsonService(routes: JsonRoutes, onDefect: (error: unknown) => void): HttpListener {
  return new HttpListener({
    connectionsMax: CONNECTIONS_MAX,
    onRequest: (request, response) => {
      answer(routes, request).then(
        (outcome) => outcome !== undefined && send(response, outcome),
        (error: unknown) => {
          onDefect(error);
          send(response, { status: 500, body: { error: 'internal error' } });
        },
      );
    },
    onHandshake: () => 'declined',
  });
}

/** undefined where the client has gone. */
async function answer(routes: JsonRoutes, request: IncomingMessage): Promise<JsonAnswer | undefined> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (methods === undefined) return { status: 404, body: { error: `unknown path; accepted: ${Object.keys(routes).join(', ')}` } };
  const method = request.method ?? '';
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (handler === undefined) return { status: 405, body: { error: `${path} takes ${Object.keys(methods).join(', ')}` } };
  if (method !== 'POST') return handler(undefined, undefined, request);
  const text = await textOf(request);
  if (text === undefined) return undefined;
  if (text === 'too_large') return { status: 413, body: { error: `a body has at most ${BODY_BYTES_MAX} bytes` } };
  const parsed = parseJson(text.text);
  if (parsed.ok) return handler(parsed.value, undefined, request);
  const { message, line, column } = parsed.error;
  return handler(undefined, `malformed JSON at line ${line}, column ${column}: ${message}`, request);
}

async function textOf(request: IncomingMessage): Promise<{ readonly text: string } | 'too_large' | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= BODY_BYTES_MAX) parts.push(chunk);
    }
  } catch {
    return undefined;
  }
  return size > BODY_BYTES_MAX ? 'too_large' : { text: Buffer.concat(parts).toString('utf8') };
}

function send(response: ServerResponse, { status, body }: JsonAnswer): void {
  if (response.destroyed) return;
  const text = Buffer.from(`${JSON.stringify(body)}\n`);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length });
  response.end(text);
}
