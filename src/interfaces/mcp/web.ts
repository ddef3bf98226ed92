import type { ServerResponse } from 'node:http';
import type { Exchange } from '../common/exchange.js';

/** Fails nowhere: only path and query of the target are looked at. */
const BASE = 'http://daemon';

/**
 * The head of a `node:http` request as a web-standard one, which the protocol library works with; the body is handed to it
 * parsed. Its signal fires when the client has gone away.
 */
export function webRequest({ request, response }: Exchange): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers.set(name, value);
    else for (const each of value ?? []) headers.append(name, each);
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return new Request(BASE, { method: request.method ?? 'GET', headers, signal: gone.signal });
}

/**
 * Writes a web-standard response, streams included. It does not wait for a slow reader: what waits is in the socket's
 * buffer, where the one who pushes can see how much it is.
 */
export async function writeWebResponse(web: Response, response: ServerResponse, requestId: string): Promise<void> {
  if (response.destroyed) {
    await web.body?.cancel();
    return;
  }
  response.writeHead(web.status, { ...Object.fromEntries(web.headers), 'x-request-id': requestId });
  if (web.body === null) {
    response.end();
    return;
  }
  // The head of a stream must not wait for its first event.
  response.flushHeaders();
  const reader = web.body.getReader();
  response.once('close', () => void reader.cancel().catch(() => undefined));
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (response.destroyed) return;
    response.write(next.value);
  }
  response.end();
}

/** A refusal below the protocol's own level, in its form: a JSON-RPC error that belongs to no request. */
export function jsonRpcRefusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
