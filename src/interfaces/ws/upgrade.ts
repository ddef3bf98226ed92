import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RejectionCode } from '../../contract/rejection.js';
import type { WireFormat } from '../../gateway/push/index.js';

/** A handshake that is refused, as an HTTP answer. */
export interface UpgradeRefusal {
  readonly status: number;
  /** The JSON error body. */
  readonly body: string;
}

export function refusal(status: number, code: RejectionCode, message: string): UpgradeRefusal {
  return { status, body: JSON.stringify({ error: message, code, ret_type: -1, ret_msg: message, err_code: code }) };
}

/** Answers a handshake on its raw socket with a plain HTTP response, and closes it. */
export function refuseUpgrade(socket: Duplex, { status, body }: UpgradeRefusal): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 401 ? ['WWW-Authenticate: Bearer'] : []),
    'Connection: close',
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** What a handshake says beside who it is. */
export function queryOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

/** The key text of a handshake: the Authorization header, or `?token=` for browsers, which cannot set one. */
export function tokenOf(request: IncomingMessage): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
  return bearer?.[1] ?? queryOf(request).get('token') ?? undefined;
}

/** `?format=json|protobuf` and `?int64=number|string` (or the header `X-Svc-Int64`). */
export function wireFormatOf(request: IncomingMessage): WireFormat | UpgradeRefusal {
  const query = queryOf(request);
  const format = query.get('format') ?? 'json';
  if (format !== 'json' && format !== 'protobuf') {
    return refusal(400, 'request.out_of_range', `format: accepted are json and protobuf, found ${JSON.stringify(format.slice(0, 40))}`);
  }
  const int64 = query.get('int64') ?? request.headers['x-svc-int64'] ?? 'number';
  if (int64 !== 'number' && int64 !== 'string') {
    return refusal(
      400,
      'request.out_of_range',
      `int64: accepted are number and string, found ${JSON.stringify(String(int64).slice(0, 40))}`,
    );
  }
  return { format, int64 };
}

/**
 * Whether a page of this origin may open the stream. Programs send no Origin. Browsers always do, and would carry a
 * stranger's page to a daemon on the user's own machine: only pages of the daemon itself, of the machine, and those
 * that are listed get in.
 */
export function isOriginAllowed(request: IncomingMessage, allowedOrigins: ReadonlySet<string>): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || allowedOrigins.has(origin)) return true;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || url.host === '') return false;
  return url.host === host || isLoopback(url.hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
