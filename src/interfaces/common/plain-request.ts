import type { IncomingMessage } from 'node:http';
import { isDoubled } from './http.js';

/** Of the connection that asked for another protocol (RFC 9110, section 7.8; RFC 7540, section 3.2.1). */
const LEFT_OUT: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** The head of a request as it came, but without the wish for another protocol. */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (LEFT_OUT.has(name.toLowerCase())) continue;
    lines.push(`${name}: ${name.toLowerCase() === 'connection' ? withoutOptions(value) : value}`);
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
