import { constants, createPublicKey, generateKeyPairSync, publicEncrypt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRsaKey, rsaCipher } from './rsa.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const publicKey = createPublicKey(privateKey);
const cipher = rsaCipher(privateKey);

/** A piece whose text under the padding is exactly these 128 bytes. */
function sealRaw(block: Buffer): Buffer {
  return publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, block);
}

/** 00, type, padding of ones, 00, text: 128 bytes. */
function padded(type: number, paddingBytes: number, text: string): Buffer {
  return Buffer.concat([Buffer.of(0, type), Buffer.alloc(paddingBytes, 1), Buffer.of(0), Buffer.from(text)], 128);
}

describe('rsaCipher', () => {
  it('opens what it sealed, in pieces of 100 and 128 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 450 }), (body) => {
        const sealed = cipher.seal(body);
        expect(sealed).toHaveLength(Math.ceil(body.length / 100) * 128);
        expect(Buffer.from(cipher.open(sealed)!)).toEqual(Buffer.from(body));
      }),
      { numRuns: 50 },
    );
  });

  it('takes every legal padding', () => {
    const shortest = padded(2, 8, 'x'.repeat(117));
    expect(cipher.open(sealRaw(shortest))).toEqual(Buffer.from('x'.repeat(117)));
    const longest = padded(2, 124, 'x');
    expect(cipher.open(sealRaw(longest))).toEqual(Buffer.from('x'));
    const zerosInText = padded(2, 100, 'a\0b');
    expect(Buffer.from(cipher.open(sealRaw(zerosInText))!).toString('latin1')).toMatch(/^a\0b\0+$/);
  });

  it.each([
    ['the first byte', () => padded(2, 8, 'x').fill(1, 0, 1)],
    ['the type', () => padded(1, 8, 'x')],
    ['the padding, too short by one', () => padded(2, 7, 'x')],
    ['the padding, empty', () => padded(2, 0, 'x')],
    ['the separator, missing', () => Buffer.concat([Buffer.of(0, 2), Buffer.alloc(126, 1)])],
  ])('refuses a fault in %s', (_, block) => {
    expect(cipher.open(sealRaw(block()))).toBeUndefined();
  });

  it('refuses what is no whole number of pieces, too many of them, or not below the modulus', () => {
    for (const length of [0, 1, 127, 129]) expect(cipher.open(Buffer.alloc(length, 1))).toBeUndefined();
    expect(cipher.open(Buffer.alloc(128, 0xff))).toBeUndefined();
    const piece = cipher.seal(Buffer.from('x'));
    expect(cipher.open(Buffer.concat(Array(64).fill(piece)))).toEqual(Buffer.from('x'.repeat(64)));
    expect(cipher.open(Buffer.concat(Array(65).fill(piece)))).toBeUndefined();
  });

  it('refuses the whole when one piece is wrong', () => {
    const sealed = cipher.seal(Buffer.alloc(300, 'x'));
    for (const at of [0, 130, 383]) {
      const changed = Buffer.from(sealed);
      changed[at] = changed[at]! ^ 1;
      expect(cipher.open(changed)).not.toEqual(Buffer.alloc(300, 'x'));
    }
  });
});

describe('readRsaKey', () => {
  const keyOf = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
  const pem = (bits: number, type: 'pkcs1' | 'pkcs8') => keyOf(bits).export({ type, format: 'pem' }).toString();
  const sealed = (type: 'pkcs1' | 'pkcs8') =>
    keyOf(1024).export({ type, format: 'pem', cipher: 'aes-128-cbc', passphrase: 'secret' }).toString();
  const COMMAND = 'openssl rsa -in /keys/api.pem -out /keys/api.pem.plain';

  it.each([1024, 1536, 2048, 3072, 4096])(
    'reads keys of %i bits, PKCS#1 and PKCS#8, which seal and open InitConnects longer than a block',
    (bits) => {
      const body = Buffer.alloc(650, 'InitConnect ');
      const key = keyOf(bits);
      const [one, other] = (['pkcs1', 'pkcs8'] as const).map((type) => {
        const read = readRsaKey(key.export({ type, format: 'pem' }).toString());
        return rsaCipher(read.ok ? read.key : expect.fail(read.message));
      });
      const text = one!.seal(body);
      expect(text).toHaveLength(7 * (bits / 8));
      expect(Buffer.from(other!.open(text)!)).toEqual(body);
    },
  );

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['a byte order mark', (text: string) => `\uFEFF${text}`],
    ['blank lines around it', (text: string) => `\n \n${text}\n\r\n \n`],
    ['all of them', (text: string) => `\uFEFF\r\n${text.replaceAll('\n', '\r\n')}\r\n\r\n`],
  ])('reads a key with %s', (_, change) => {
    for (const type of ['pkcs1', 'pkcs8'] as const) expect(readRsaKey(change(pem(1024, type)))).toMatchObject({ ok: true });
  });

  it.each([
    ['512 bits', () => pem(512, 'pkcs1'), 'unsupported RSA key of 512 bits; accepted: 1024 to 4096'],
    ['a cut file', () => pem(1024, 'pkcs1').slice(0, 200), 'the RSA key cannot be read'],
    ['an encrypted PKCS#1', () => sealed('pkcs1'), COMMAND],
    ['an encrypted PKCS#8', () => sealed('pkcs8').replaceAll('\n', '\r\n'), COMMAND],
    [
      'the public half',
      () => createPublicKey(keyOf(1024)).export({ type: 'spki', format: 'pem' }).toString(),
      'found "-----BEGIN PUBLIC KEY-----"',
    ],
    [
      'a key of another kind',
      () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'expected an RSA private key; found one of type ed25519',
    ],
    ['no key', () => '', 'expected an RSA private key'],
  ])('refuses %s', (_, text, message) => {
    expect(readRsaKey(text(), '/keys/api.pem')).toEqual({ ok: false, message: expect.stringContaining(message) });
  });
});
