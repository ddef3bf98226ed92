import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { isDoubled } from './http.js';

/** Headers of a request for another protocol (RFC 9110, section 7.8; RFC 7540, section 3.2.1). */
const LEFT_OUT: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Since Node 26 the body of a request for another protocol is read apart from what follows it; before, it is the beginning of that. */
const READS_BODIES = Number.parseInt(process.versions.node, 10) >= 26;
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Calls `then` with a request as it came, and all that has come behind it, but without the wish for another protocol. The connection is
 * nobody's then. It ends instead where the body is of more than a MiB.
 *
 * @param stream and `head` as node:http's `upgrade` event has them
 */
export function takeBack(request: IncomingMessage, stream: Duplex, head: Buffer, then: (bytes: Buffer) => void): void {
  if (!READS_BODIES) {
    then(Buffer.concat([headOf(request), head]));
    return;
  }
  const { socket } = request;
  const pieces: Buffer[] = [];
  let size = 0;
  request.on('data', (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
    if (size > BODY_BYTES_MAX) socket.destroy();
  });
  request.once('end', () => {
    if (stream === socket) {
      then(Buffer.concat([headOf(request, { length: size }), ...pieces, head]));
      return;
    }
    // While its body was still coming, a stand-in for the connection was made, which reads it from now on and can be made but once.
    socket.removeAllListeners('data');
    socket.pause();
    then(Buffer.concat([headOf(request, { length: size, isLast: true }), ...pieces]));
  });
}

/**
 * @param length of a body that has been read, and is not in chunks any more
 * @param isLast on its connection
 */
function headOf(
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  { length, isLast = false }: { length?: number; isLast?: boolean } = {},
) {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const known = name.toLowerCase();
    if (LEFT_OUT.has(known)) continue;
    if (length !== undefined && known === 'transfer-encoding') lines.push(`Content-Length: ${length}`);
    else if (known !== 'connection') lines.push(`${name}: ${value}`);
    else lines.push(`${name}: ${isLast ? 'close' : withoutOptions(value)}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function withoutOptions(connection: string): string {
  const options = connection.split(',').map((option) => option.trim());
  return options.filter((option) => !LEFT_OUT.has(option.toLowerCase())).join(', ');
}

/** An absolute-form target (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i;

/**
 * Brings a request whose target is a whole URL, as clients send it to what they take for a proxy, into the usual form. Its
 * authority counts, and not the Host header.
 */
export function inOriginForm(request: IncomingMessage): void {
  const absolute = ABSOLUTE.exec(request.url ?? '');
  if (absolute === null) return;
  const [, authority = '', rest = ''] = absolute;
  // Two Host headers are refused, also where neither counts.
  if (!isDoubled(request.headers.host)) request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
