import type { ServerResponse } from 'node:http';
import type { Exchange } from '../common/exchange.js';

/** Placeholder origin: only path and query of the target matter. */
const BASE = 'http://daemon';

/**
 * The head of a `node:http` request as a web-standard one, which the protocol library needs; the body is passed to it
 * parsed. By default without a signal, which costs as much again: a caller that has left is noticed when the answer
 * is written.
 */
export function webRequest({ request }: Exchange, signal?: AbortSignal): Request {
  const web = new Request(BASE, { method: request.method ?? 'GET', ...(signal === undefined ? {} : { signal }) });
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') web.headers.set(name, value);
    else for (const each of value ?? []) web.headers.append(name, each);
  }
  return web;
}

/**
 * Writes a web-standard response, streams included. It does not wait for a slow reader: unread data is in the socket's
 * buffer, whose size the push sink checks.
 */
export async function writeWebResponse(web: Response, response: ServerResponse, requestId: string): Promise<void> {
  if (response.destroyed) {
    await web.body?.cancel();
    return;
  }
  const head: Record<string, string> = { 'x-request-id': requestId };
  for (const [name, value] of web.headers) head[name] = value;
  // Answers of JSON end with a newline, as those of REST do.
  const isJson = /^application\/json\b/.test(web.headers.get('content-type') ?? '');
  if (isJson) delete head['content-length'];
  response.writeHead(web.status, head);
  if (web.body === null) {
    response.end();
    return;
  }
  const reader = web.body.getReader();
  response.once('close', () => {
    if (!response.writableFinished) reader.cancel().catch(() => undefined);
  });
  let hasBegun = false;
  // The head of a stream must not wait for its first event; data of the same turn, which is all of most answers, goes
  // into one packet with it. The response is not corked: Node 22 and 24 lose the body of one that ends corked after its head.
  setImmediate(() => {
    if (!hasBegun && !response.destroyed) response.flushHeaders();
  });
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (response.destroyed) return;
    hasBegun = true;
    response.write(next.value);
  }
  hasBegun = true;
  if (isJson) response.end('\n');
  else response.end();
}

/** A refusal at the HTTP level as a JSON-RPC error, without an id if there is no request. */
export function jsonRpcRefusal(status: number, code: number, message: string, id: string | number | null = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
}
