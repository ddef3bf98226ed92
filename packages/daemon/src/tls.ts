import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { err, ok, type Result } from '@svc-gateway/access';
import { DAY_MS } from '@svc-gateway/contract/time';
import { readPlainFile } from '@svc-gateway/storage';

/** A certificate and its key, checked: they can be read, belong together, and the certificate holds now. */
export interface TlsMaterial {
  /** PEM: the certificate, then its chain if it has one. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /** Epoch ms of the first moment at which clients refuse the certificate. */
  readonly expiresAt: number;
  /** Sentences for the operator: nothing that stops the start. */
  readonly warnings: readonly string[];
}

/** A chain takes a few kilobytes. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;
const EXPIRY_WARNING_MS = 14 * DAY_MS;

/** Reads and checks a certificate and its key. `now` is epoch ms. The error is a whole sentence that names the file at fault. */
export function loadTlsMaterial(certPath: string, keyPath: string, now: number): Result<TlsMaterial, string> {
  const cert = readPem('--rest-tls-cert', certPath);
  if (!cert.ok) return cert;
  const key = readPem('--rest-tls-key', keyPath);
  if (!key.ok) return key;
  const certificate = parseCertificate(cert.value);
  if (certificate === undefined) return err(`--rest-tls-cert ${certPath} holds no PEM certificate`);
  const privateKey = parseKey(key.value);
  if (!privateKey.ok) return err(`--rest-tls-key ${keyPath} ${privateKey.error}`);
  if (!certificate.checkPrivateKey(privateKey.value)) {
    return err(`--rest-tls-key ${keyPath} is not the key of the certificate ${certPath}`);
  }
  const validity = checkValidity(certificate, now);
  if (!validity.ok) return err(`--rest-tls-cert ${certPath} ${validity.error}`);
  const { expiresAt, warnings } = validity.value;
  return ok({ cert: cert.value, key: key.value, expiresAt, warnings: warnings.map((warning) => `${certPath} ${warning}`) });
}

/** Whether the first certificate of a PEM text holds at `now`, and for how long yet. */
function checkValidity(certificate: X509Certificate, now: number): Result<{ expiresAt: number; warnings: string[] }, string> {
  const [startsAt, expiresAt] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (now >= expiresAt) return err(`expired at ${isoTime(expiresAt)}`);
  if (now < startsAt) return err(`is not valid before ${isoTime(startsAt)} (is this machine's clock right?)`);
  const soon = expiresAt - now < EXPIRY_WARNING_MS;
  return ok({ expiresAt, warnings: soon ? [`expires at ${isoTime(expiresAt)}: renew it and reload (svcctl reload)`] : [] });
}

/** The first certificate of a PEM text, if there is one. */
function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function parseKey(pem: string): Result<KeyObject, string> {
  try {
    return ok(createPrivateKey(pem));
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    const encrypted = code === 'ERR_MISSING_PASSPHRASE' || pem.includes('ENCRYPTED');
    return err(encrypted ? 'is encrypted: give it without a passphrase, readable by its owner only' : 'holds no PEM private key');
  }
}

function readPem(flag: string, path: string): Result<string, string> {
  try {
    return ok(readPlainFile(path, FILE_BYTES_MAX).toString('utf8'));
  } catch (thrown) {
    return err(`${flag} ${path} cannot be read: ${(thrown as Error).message}`);
  }
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
