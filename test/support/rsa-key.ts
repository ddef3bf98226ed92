import { generateKeyPairSync } from 'node:crypto';

/** A fresh RSA private key as the public protocol's two sides share it: PEM, PKCS#1, 1024 bits. */
export function generateRsaKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 1024,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey;
}
