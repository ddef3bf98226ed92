import type { IncomingHttpHeaders } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { Rejection } from '../../contract/rejection.js';

/** The token of `Authorization: Bearer <token>` (RFC 6750, section 2.1), if there is one. */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  const value = headers.authorization;
  if (value === undefined) return undefined;
  // As nearly every client writes it; the scheme's name is case-insensitive.
  if (!value.startsWith('Bearer ') && value.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return value.slice(7).trim();
}

/** Who is at the other end of a socket: what a TLS socket and the one below it have in common. */
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

/**
 * Whether the Host header names this machine in a way that no foreign web page can: an address, or localhost. A page
 * whose own name was made to resolve to 127.0.0.1 (DNS rebinding) sends its name here.
 */
function isTrustedHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name.toLowerCase() === 'localhost' || isIP(name) !== 0;
}

/**
 * Refuses a request with more than one Host header (RFC 9112, section 3.2), which node:http joins by commas. Where nobody needs a key, also
 * one by a name that a foreign web page could have come by: with keys, a page would need one; without, the name it was loaded by is all
 * there is to tell it by.
 */
export function checkHost(host: string | undefined, { scopeMode }: { readonly scopeMode: boolean }): Rejection | undefined {
  if (isDoubled(host)) return new Rejection('request.invalid', 'more than one Host header: send exactly one, with one host');
  if (scopeMode || isTrustedHost(host)) return undefined;
  return new Rejection('auth.origin', `host ${host} is not this machine: without a keys file, call it by IP address or localhost`);
}

/** Whether a browser page of this origin may call: its own, one of this machine, or one that the daemon was told of. */
export function isAllowedOrigin(origin: string | undefined, host: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host || isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1')) || url.hostname === 'localhost';
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
