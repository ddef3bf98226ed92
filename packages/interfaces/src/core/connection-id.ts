import { randomBytes } from 'node:crypto';

/**
 * `connID` of a new connection: 63 random bits, not 0. It names the connection in packet ids, so that it must not come again
 * after a restart; the sign bit is left out for clients whose integers have one.
 */
export function newConnectionId(): bigint {
  return randomBytes(8).readBigUInt64BE() >> 1n || 1n;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef';

/** `connAESKey`, `aesCBCiv`: 16 ASCII characters, five random bits each. */
export function newKeyText(): string {
  return Array.from(randomBytes(16), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
