import { constants, createPrivateKey, createPublicKey, type KeyObject, privateDecrypt, publicEncrypt } from 'node:crypto';
import type { Cipher } from './cipher.js';

const KEY_BITS = 1024;
const SEALED_PIECE_BYTES = KEY_BITS / 8;
const PLAIN_PIECE_BYTES = 100;
/** InitConnect takes two or three pieces. Each costs a private-key operation, so a stranger may not ask for many. */
const PIECES_MAX = 64;
/** PKCS#1 v1.5: two fixed bytes, then at least 8 of padding, then a zero (RFC 8017, section 7.2.2). */
const SEPARATOR_MIN = 10;

const PEM_START = '-----BEGIN RSA PRIVATE KEY-----';

export type RsaKeyRead = { readonly ok: true; readonly key: KeyObject } | { readonly ok: false; readonly message: string };

/** Reads the private key that both sides of a connection have: a PEM file, PKCS#1, 1024 bits, no password. */
export function readRsaKey(pem: string): RsaKeyRead {
  if (!pem.trimStart().startsWith(PEM_START))
    return { ok: false, message: `expected a PKCS#1 private key: a file that starts with "${PEM_START}"` };
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    return {
      ok: false,
      message: `the RSA key cannot be read (${error instanceof Error ? error.message : error}); expected PEM without a passphrase`,
    };
  }
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== KEY_BITS)
    return { ok: false, message: `unsupported RSA key of ${bits} bits; accepted: ${KEY_BITS}, the size that clients split their text for` };
  return { ok: true, key };
}

/**
 * RSA with PKCS#1 v1.5 padding in pieces of 100 plain and 128 sealed bytes: the two bodies of InitConnect. Either side
 * seals with the public half of the shared private key and opens with the private one.
 */
export function rsaCipher(privateKey: KeyObject): Cipher {
  const publicKey = createPublicKey(privateKey);
  return {
    seal(plain) {
      const pieces: Buffer[] = [];
      for (let at = 0; at < plain.length; at += PLAIN_PIECE_BYTES) {
        const piece = plain.subarray(at, at + PLAIN_PIECE_BYTES);
        pieces.push(publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, piece));
      }
      return Buffer.concat(pieces);
    },
    open(sealed) {
      const count = sealed.length / SEALED_PIECE_BYTES;
      if (!Number.isInteger(count) || count < 1 || count > PIECES_MAX) return undefined;
      const pieces: (Buffer | undefined)[] = [];
      // No early end at a bad piece: the time taken must not say which one it was.
      for (let at = 0; at < sealed.length; at += SEALED_PIECE_BYTES) {
        pieces.push(openPiece(privateKey, sealed.subarray(at, at + SEALED_PIECE_BYTES)));
      }
      const opened = pieces.filter((piece) => piece !== undefined);
      return opened.length === pieces.length ? Buffer.concat(opened) : undefined;
    },
  };
}

function openPiece(key: KeyObject, piece: Uint8Array): Buffer | undefined {
  let padded: Buffer;
  try {
    // Node (>= 20.11) refuses to remove the padding by itself, because its OpenSSL may do so in telling time.
    padded = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, piece);
  } catch {
    // Not below the modulus, which anybody can see without the key.
    return undefined;
  }
  return unpad(padded);
}

/** Removes 00 02 <at least 8 bytes that are not 0> 00. Which rule a text breaks, and where, changes neither the steps nor the result. */
function unpad(padded: Buffer): Buffer | undefined {
  let wrong = padded.readUInt8(0) | (padded.readUInt8(1) ^ 2);
  let found = 0;
  let separator = 0;
  for (let at = 2; at < SEALED_PIECE_BYTES; at++) {
    const isZero = ((padded.readUInt8(at) - 1) >>> 8) & 1;
    separator |= at & -(isZero & ~found);
    found |= isZero;
  }
  wrong |= found ^ 1;
  wrong |= (separator - SEPARATOR_MIN) >>> 31;
  return wrong === 0 ? padded.subarray(separator + 1) : undefined;
}
