import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import { isDoubled, isLoopback } from './http.js';
import type { TlsPair } from './tls.js';

/**
 * Tells pages of the daemon's own from those of others. A page whose own name was made to resolve to this machine (DNS rebinding) sends
 * that name as Host and as Origin: the two agreeing says nothing, so the name itself has to be known. Known are addresses, localhost, the
 * names of the certificate, and the hosts of the origins that the operator allows.
 */
export class PageOrigins {
  readonly allowed: readonly string[];
  readonly #hosts: ReadonlySet<string>;
  #certificate: X509Certificate | undefined;

  /** @param allowed origins of pages that may call: "https://desk.example" */
  constructor(allowed: readonly string[], tls?: TlsPair) {
    this.allowed = allowed;
    this.#hosts = new Set(allowed.map((origin) => new URL(origin).host));
    if (tls !== undefined) this.setTls(tls);
  }

  /** Goes by the names of this certificate from now on. */
  setTls({ cert }: TlsPair): void {
    this.#certificate = new X509Certificate(cert);
  }

  /**
   * Refuses a request with more than one Host header (RFC 9112, section 3.2), which node:http joins by commas, and one of a page that
   * nobody allowed. Where nobody needs a key, also one without an Origin under an unknown host: the name is all there is to tell it by.
   */
  check({ origin, host }: IncomingHttpHeaders, { scopeMode }: { readonly scopeMode: boolean }): Rejection | undefined {
    if (isDoubled(host)) return new Rejection('request.invalid', 'more than one Host header: send exactly one, with one host');
    if (!scopeMode && !this.#isOwn(host)) {
      return new Rejection(
        'auth.origin',
        `host ${quoted(String(host))} is not this machine: without a keys file, call it by IP address or localhost`,
      );
    }
    if (origin === undefined || this.allowed.includes(origin)) return undefined;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (url !== undefined && (isThisMachine(url.hostname) || (url.host === host && this.#isOwn(host)))) return undefined;
    return new Rejection('auth.origin', `origin ${quoted(origin)} may not call this daemon; list it in --allowed-origins`);
  }

  #isOwn(host: string | undefined): boolean {
    if (host === undefined || this.#hosts.has(host)) return true;
    const name = nameOf(host);
    return isThisMachine(name) || isIP(name) !== 0 || this.#certificate?.checkHost(name, { subject: 'never' }) !== undefined;
  }
}

/** A host without its port and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}

function isThisMachine(name: string): boolean {
  return name.toLowerCase() === 'localhost' || isLoopback(nameOf(name));
}
