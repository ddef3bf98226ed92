import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cipher, ownEcb, packetCipher, packetEncAlgo, plainText } from './cipher.js';

const KEY = '0123456789abcdef';
const IV = 'fedcba9876543210';
const cipherOf = (name: keyof typeof packetEncAlgo) => packetCipher(packetEncAlgo[name], KEY, IV) as Cipher;
const anyBody = fc.uint8Array({ minLength: 1, maxLength: 100 });

describe.each([
  ['ECB of its own', cipherOf('ownEcb')],
  ['ECB', cipherOf('aesEcb')],
  ['CBC', cipherOf('aesCbc')],
])('AES-128 %s', (_, cipher) => {
  it('opens what it sealed', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        expect(Buffer.from(cipher.open(cipher.seal(body))!)).toEqual(Buffer.from(body));
      }),
    );
  });

  it('never throws on foreign bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => void cipher.open(bytes)),
      { numRuns: 1000 },
    );
    for (const length of [0, 1, 15, 17, 33]) expect(cipher.open(Buffer.alloc(length))).toBeUndefined();
  });
});

// Made with: openssl enc -aes-128-ecb|-aes-128-cbc -K 3031…6566 [-iv 6665…3130] [-nopad]
describe('vectors of another implementation', () => {
  it('its own ECB: padded with zeros, then the length of the last block in the clear', () => {
    const sealed = 'd78dc68424782137e00c4cfb9025b47300000000000000000000000000000003';
    expect(ownEcb(KEY).seal(Buffer.from('abc'))).toEqual(Buffer.from(sealed, 'hex'));
  });

  it('its own ECB: a full last block has length 0', () => {
    const sealed = 'f2d11f0627a8d83b5191f4f9590923d000000000000000000000000000000000';
    expect(ownEcb(KEY).seal(Buffer.from('0123456789ABCDEF'))).toEqual(Buffer.from(sealed, 'hex'));
  });

  it('ECB with PKCS#7', () => {
    expect(cipherOf('aesEcb').seal(Buffer.from('abc'))).toEqual(Buffer.from('1d25821c3e311eea2d4dd8633a25c1b5', 'hex'));
  });

  it('CBC with PKCS#7', () => {
    expect(cipherOf('aesCbc').seal(Buffer.from('abc'))).toEqual(Buffer.from('88a72d2bb6cc078672d803b8fc0ddf52', 'hex'));
  });
});

describe('packetCipher', () => {
  it('follows the numbers of the protocol', () => {
    const body = Buffer.from('some body');
    expect(packetCipher(-1, KEY, '')).toBe(plainText);
    expect(packetCipher(0, KEY, '')?.seal(body)).toEqual(ownEcb(KEY).seal(body));
    expect(packetCipher(1, KEY, '')?.seal(body)).toEqual(cipherOf('aesEcb').seal(body));
    expect(packetCipher(2, KEY, IV)?.seal(body)).toEqual(cipherOf('aesCbc').seal(body));
    expect(packetCipher(3, KEY, IV)).toBeUndefined();
  });
});
