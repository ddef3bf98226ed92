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
  ])('refuses what is wrong in %s', (_, block) => {
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
  const pem = (bits: number, type: 'pkcs1' | 'pkcs8') => {
    const key = generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
    return key.export({ type, format: 'pem' }).toString();
  };

  it('reads a PKCS#1 key of 1024 bits', () => {
    const read = readRsaKey(privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
    const key = read.ok ? read.key : expect.fail(read.message);
    expect(cipher.open(rsaCipher(key).seal(Buffer.from('hello')))).toEqual(Buffer.from('hello'));
  });

  it.each([
    ['PKCS#8', () => pem(1024, 'pkcs8'), 'expected a PKCS#1 private key'],
    ['2048 bits', () => pem(2048, 'pkcs1'), 'unsupported RSA key of 2048 bits; accepted: 1024'],
    ['a cut file', () => pem(1024, 'pkcs1').slice(0, 200), 'the RSA key cannot be read'],
    ['no key', () => '', 'expected a PKCS#1 private key'],
  ])('refuses %s', (_, text, message) => {
    expect(readRsaKey(text())).toEqual({ ok: false, message: expect.stringContaining(message) });
  });
});
