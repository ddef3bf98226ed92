import { X509Certificate } from 'node:crypto';

const loopback: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * The host by which a listener is reached from this machine, in an address's form: where it listens everywhere, loopback, or the first name of
 * the certificate where that is not for loopback, so that a client that verifies it can paste the address.
 *
 * @param bind as `--bind` has it
 * @param cert PEM; undefined without TLS
 */
export function printedHost(bind: string, cert?: string): string {
  const own = loopback.get(bind);
  const host = own === undefined ? bind : isFor(own, cert) ? own : (firstNameOf(cert) ?? own);
  return host.includes(':') ? `[${host}]` : host;
}

function isFor(address: string, cert: string | undefined): boolean {
  return cert === undefined || new X509Certificate(cert).checkIP(address) !== undefined;
}

/** The first name or address of a certificate that stands for one host. */
function firstNameOf(cert: string | undefined): string | undefined {
  const names = cert === undefined ? '' : (new X509Certificate(cert).subjectAltName ?? '');
  return names
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):([^*]+)$/.exec(entry)?.[1] ?? [])
    .at(0);
}
