import { constants, createPrivateKey, createPublicKey, type KeyObject, privateDecrypt, publicEncrypt } from 'node:crypto';
import type { Cipher } from './cipher.js';

const KEY_BITS_MIN = 1024;
const KEY_BITS_MAX = 4096;
/** As published clients split their text, whatever the size of the key; it fits the smallest. The padding says where a piece ends. */
const PLAIN_PIECE_BYTES = 100;
/** InitConnect takes two or three pieces. Each costs a private-key operation, so a stranger may not ask for many; of long keys it costs milliseconds. */
const piecesMax = (bits: number) => (bits > 2048 ? 16 : 64);
/** PKCS#1 v1.5: two fixed bytes, then at least 8 of padding, then a zero (RFC 8017, section 7.2.2). */
const SEPARATOR_MIN = 10;

const PEM_LABEL = /^-----BEGIN ([A-Z0-9 ]+)-----/m;
const ACCEPTED = '"-----BEGIN RSA PRIVATE KEY-----" (PKCS#1) or "-----BEGIN PRIVATE KEY-----" (PKCS#8)';

export type RsaKeyRead = { readonly ok: true; readonly key: KeyObject } | { readonly ok: false; readonly message: string };

/**
 * Reads the private key that both sides of a connection have: a PEM file, PKCS#1 or PKCS#8, 1024 to 4096 bits, no password. Byte order
 * marks, line ends of any system and blank lines do not matter.
 * @param path for the command that a message names.
 */
export function readRsaKey(pem: string, path = 'key.pem'): RsaKeyRead {
  const fail = (message: string): RsaKeyRead => ({ ok: false, message });
  const text = pem.replace(/^\uFEFF/, '').trim();
  const label = PEM_LABEL.exec(text)?.[1];
  if (label === 'ENCRYPTED PRIVATE KEY' || /^Proc-Type: 4,ENCRYPTED/m.test(text)) {
    return fail(`the key is encrypted; write it without a passphrase: openssl rsa -in ${path} -out ${path}.plain, and name that file`);
  }
  if (label !== 'RSA PRIVATE KEY' && label !== 'PRIVATE KEY') {
    const found = label === undefined ? 'none' : `"-----BEGIN ${label}-----"`;
    return fail(`expected an RSA private key: a file that starts with ${ACCEPTED}; found ${found}`);
  }
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (error) {
    return fail(`the RSA key cannot be read (${error instanceof Error ? error.message : error}); expected PEM without a passphrase`);
  }
  if (key.asymmetricKeyType !== 'rsa') return fail(`expected an RSA private key; found one of type ${key.asymmetricKeyType}`);
  const bits = bitsOf(key);
  if (bits < KEY_BITS_MIN || bits > KEY_BITS_MAX) {
    return fail(`unsupported RSA key of ${bits} bits; accepted: ${KEY_BITS_MIN} to ${KEY_BITS_MAX}`);
  }
  return { ok: true, key };
}

function bitsOf(key: KeyObject): number {
  return key.asymmetricKeyDetails?.modulusLength ?? 0;
}

/**
 * RSA with PKCS#1 v1.5 padding in pieces of 100 plain bytes, each sealed to the size of the key (128 bytes of 1024 bits): the two bodies of
 * InitConnect. Either side seals with the public half of the shared private key and opens with the private one.
 */
export function rsaCipher(privateKey: KeyObject): Cipher {
  const publicKey = createPublicKey(privateKey);
  const bits = bitsOf(privateKey);
  const sealedPieceBytes = Math.ceil(bits / 8);
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
      const count = sealed.length / sealedPieceBytes;
      if (!Number.isInteger(count) || count < 1 || count > piecesMax(bits)) return undefined;
      const pieces: (Buffer | undefined)[] = [];
      // No early end at a bad piece: the time taken must not say which one it was.
      for (let at = 0; at < sealed.length; at += sealedPieceBytes) {
        pieces.push(openPiece(privateKey, sealed.subarray(at, at + sealedPieceBytes)));
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
  for (let at = 2; at < padded.length; at++) {
    const isZero = ((padded.readUInt8(at) - 1) >>> 8) & 1;
    separator |= at & -(isZero & ~found);
    found |= isZero;
  }
  wrong |= found ^ 1;
  wrong |= (separator - SEPARATOR_MIN) >>> 31;
  return wrong === 0 ? padded.subarray(separator + 1) : undefined;
}
