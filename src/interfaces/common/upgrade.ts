import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
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

/** What a handshake says beside who it is. */
export function queryOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

/** The key text of a handshake: the Authorization header, or `?token=` for browsers, which cannot set one. */
export function tokenOf(request: IncomingMessage): string | undefined {
  return bearerOf(request.headers) ?? queryOf(request).get('token') ?? undefined;
}
