import { DAY_MS } from '@svc-gateway/contract/time';
import { writePrivateFile } from '@svc-gateway/storage';
import { loadTlsMaterial } from './tls.js';

/** The longest that Apple's platforms accept, and they judge private roots by it too. */
const VALID_DAYS = 825;
const RENEW_MS = 7 * DAY_MS;
/** Clients whose clock lags a little must accept the certificate at once. */
const BACKDATE_MS = DAY_MS;

/**
 * Sees to it that a self-signed certificate for this machine's loopback names lies at `certPath`, its key at `keyPath`,
 * both mode 0600. What is there is kept until a week before it expires. `now` is epoch ms.
 *
 * The certificate is its own authority, so that a client trusts it by the file alone: `curl --cacert`,
 * NODE_EXTRA_CA_CERTS, `--ca-file`. It may sign no other (path length 0), and its names reach no further than loopback.
 */
export async function ensureSelfSigned(certPath: string, keyPath: string, now: number): Promise<'kept' | 'made'> {
  if (isUsable(certPath, keyPath, now)) return 'kept';
  const from = now - BACKDATE_MS;
  const made = await selfSignedPair(from, from + VALID_DAYS * DAY_MS);
  // The key first: a crash in between leaves a pair that does not match, which the next start replaces.
  for (const [path, pem] of [[keyPath, made.key] as const, [certPath, made.cert] as const]) writePrivateFile(path, pem);
  return 'made';
}

/** A new self-signed certificate for loopback names and its key, both in PEM; it is valid from `from` until `until`, epoch ms. */
export async function selfSignedPair(from: number, until: number): Promise<{ readonly cert: string; readonly key: string }> {
  // Hardly ever needed, and slow to load.
  const { generate } = await import('selfsigned');
  const pair = await generate([{ name: 'commonName', value: 'svc-gateway on this machine' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(from),
    notAfterDate: new Date(until),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { cert: pair.cert, key: pair.private };
}

function isUsable(certPath: string, keyPath: string, now: number): boolean {
  const loaded = loadTlsMaterial(certPath, keyPath, now);
  return loaded.ok && loaded.value.expiresAt - now > RENEW_MS;
}
