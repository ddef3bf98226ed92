import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import { bearerOf } from './http.js';

/** A handshake that is refused, as an HTTP answer. */
export interface UpgradeRefusal {
  readonly status: number;
  /** The JSON error body. */
  readonly body: string;
}

/** How long a peer may take to read why it was refused. */
const REFUSED_MS_MAX = 1_000;

/** Answers a handshake on its raw socket with a plain HTTP response, and closes it. */
export function refuseUpgrade(socket: Duplex, { status, body }: UpgradeRefusal): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 401 ? ['WWW-Authenticate: Bearer'] : []),
    'Connection: close',
  ];
  const cutOff = setTimeout(() => socket.destroy(), REFUSED_MS_MAX).unref();
  socket.once('close', () => clearTimeout(cutOff));
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** For `handleProtocols` of `ws`: none is spoken here, whatever a client offers. */
export function noSubprotocol(): false {
  return false;
}

/** The subprotocol under which web pages open a push stream, and what the key that they offer beside it begins with. */
const PUSH_PROTOCOL = 'svc.push';
const KEY_PREFIX = 'svc.key.';

/** For `handleProtocols` of `ws`: a browser that offers a subprotocol takes no connection that agrees to none. Others are not spoken here. */
export function pushProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(PUSH_PROTOCOL) ? PUSH_PROTOCOL : false;
}

/**
 * The key texts that a web page offers as a subprotocol, `svc.push, svc.key.<key>`: a page can set no header of a handshake, and a key
 * in its address ends up in the logs of what it passes.
 */
export function offeredKeysOf(request: IncomingMessage): string[] {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  if (!offered.includes(PUSH_PROTOCOL)) return [];
  return offered.filter((one) => one.startsWith(KEY_PREFIX)).map((one) => one.slice(KEY_PREFIX.length));
}

/** Query parameters of a handshake. */
export function queryOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

/** The query parameter that holds a key text. */
const TOKEN = 'token';

/**
 * The key text of a handshake: the Authorization header, `?token=` for browsers, which cannot set one, or one that was `offered` otherwise.
 * More than one are joined, as node:http joins doubled headers: the text is nobody's key.
 */
export function tokenOf(request: IncomingMessage, offered: readonly string[] = []): string | undefined {
  const bearer = bearerOf(request.headers);
  const keys = [...(bearer === undefined ? [] : [bearer]), ...queryOf(request).getAll(TOKEN), ...offered];
  return keys.length === 0 ? undefined : keys.join(', ');
}

/** Refuses a query that names the token twice, whatever else it says. */
export function checkOneToken(request: IncomingMessage): Rejection | undefined {
  return queryOf(request).getAll(TOKEN).length > 1 ? repeatedParameter(TOKEN) : undefined;
}

/** Refusal of a repeated parameter, of which only the first would count. */
export function repeatedParameter(name: string): Rejection {
  return new Rejection('request.invalid', `the query parameter ${quoted(name)} appears twice`, { field: name });
}
