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
  const host = own === undefined ? bind : verifiedName(own, cert);
  return host.includes(':') ? `[${host}]` : host;
}

/** An address where the certificate is for it, or else the first name or address of the certificate that stands for one host. */
function verifiedName(address: string, cert: string | undefined): string {
  if (cert === undefined) return address;
  const certificate = new X509Certificate(cert);
  if (certificate.checkIP(address) !== undefined) return address;
  const entries = (certificate.subjectAltName ?? '').split(', ');
  return entries.flatMap((entry) => /^(?:DNS|IP Address):([^*]+)$/.exec(entry)?.[1] ?? [])[0] ?? address;
}
