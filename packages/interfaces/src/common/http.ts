import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** The token of `Authorization: Bearer <token>` (RFC 6750, section 2.1), if there is one. */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers.authorization;
  if (value === undefined) return undefined;
  // As nearly every client writes it; the scheme's name is case-insensitive.
  if (!value.startsWith('Bearer ') && value.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return value.slice(7).trim();
}

/** The remote end of a socket; equal for a TLS socket and the one below it. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;

/** Whether an address of a socket is of this machine. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK.test(address);
}

/** Whether a Host header names more than one host: no name of one has a comma. */
export function isDoubled(host: string | undefined): boolean {
  return host?.includes(',') === true;
}

/** The path of a request target, as it came: nothing decoded, and without the query, which may hold a key. */
export function pathOf(target = '/'): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

/** Whether the client asks for RFC 9457 problem details. */
export function wantsProblem(headers: IncomingHttpHeaders): boolean {
  return headers.accept?.includes('application/problem+json') ?? false;
}
