import type { TlsOptions } from 'node:tls';

/** A certificate with its chain, and its key: PEM texts. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** Forward secrecy and authenticated encryption alone (RFC 7525, section 4.2, and every suite of TLS 1.3 that OpenSSL offers by default). */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** TLS handshake timeout. */
const HANDSHAKE_MS_MAX = 10_000;

/** Options of every TLS listener, set again when the certificate changes. */
export function tlsOptions({ cert, key }: TlsPair): TlsOptions {
  return { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS, handshakeTimeout: HANDSHAKE_MS_MAX };
}
