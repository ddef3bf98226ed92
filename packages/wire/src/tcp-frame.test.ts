import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cipher, packetCipher, packetEncAlgo, plainText } from './cipher.js';
import { rsaCipher } from './rsa.js';
import { aroundSerial, encodeFrame, FRAME_HEADER_BYTES, type Frame, type FrameRead, FrameReader } from './tcp-frame.js';

const ciphers: Record<string, Cipher> = {
  none: plainText,
  'AES ECB': packetCipher(packetEncAlgo.ownEcb, '0123456789abcdef', '') as Cipher,
  'AES ECB, PKCS#7': packetCipher(packetEncAlgo.aesEcb, '0123456789abcdef', '') as Cipher,
  'AES CBC': packetCipher(packetEncAlgo.aesCbc, '0123456789abcdef', 'fedcba9876543210') as Cipher,
  RSA: rsaCipher(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
};

const uint32 = fc.oneof(fc.constantFrom(0, 1, 1001, 2 ** 31, 2 ** 32 - 1), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const anyFrame: fc.Arbitrary<Frame> = fc.record({
  protoId: uint32,
  format: fc.constantFrom('protobuf', 'json'),
  serial: uint32,
  body: fc.uint8Array({ minLength: 1, maxLength: 300 }),
});

/** Where to cut a stream, as fractions of its length. */
const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

function cut(stream: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => Math.floor(cut * stream.length)).sort((a, b) => a - b), stream.length];
  return places.slice(1).map((end, index) => stream.subarray(places[index], end));
}

function drain(reader: FrameReader): FrameRead[] {
  const reads: FrameRead[] = [];
  for (let read = reader.next(); read !== undefined; read = reader.next()) {
    reads.push(read);
    if (!read.ok) break;
  }
  return reads;
}

function readAll(chunks: readonly Buffer[], cipher = plainText, bodyBytesMax?: number): FrameRead[] {
  const reader = new FrameReader(bodyBytesMax);
  reader.cipher = cipher;
  return chunks.flatMap((chunk) => {
    reader.push(chunk);
    return drain(reader);
  });
}

/** Comparable: bodies as plain buffers. */
function framesOf(reads: readonly FrameRead[]): Frame[] {
  return reads.map((read) => {
    if (!read.ok) throw new Error(read.error.message);
    return { ...read.frame, body: Buffer.from(read.frame.body) };
  });
}

/** Protocol id 1004, serial 7, the protobuf body "abc"; its SHA-1 is the first test vector of FIPS 180. */
const vector = Buffer.from(
  ['4654', 'ec030000', '00', '00', '07000000', '03000000', 'a9993e364706816aba3e25717850c26c9cd0d89d', '0000000000000000', '616263'].join(
    '',
  ),
  'hex',
);
const vectorFrame: Frame = { protoId: 1004, format: 'protobuf', serial: 7, body: Buffer.from('abc') };

describe('encodeFrame', () => {
  it('writes the published header', () => {
    expect(encodeFrame(vectorFrame)).toEqual(vector);
  });

  it('takes the digest of the plain body and the length of the sealed one', () => {
    const encoded = encodeFrame(vectorFrame, ciphers['AES ECB']);
    expect(encoded.subarray(16, 36)).toEqual(vector.subarray(16, 36));
    expect(encoded.readUInt32LE(12)).toBe(32);
    expect(encoded).toHaveLength(FRAME_HEADER_BYTES + 32);
  });

  it('is the same around its serial, whatever that is', () => {
    const { head, tail } = aroundSerial(encodeFrame(vectorFrame));
    const serial = Buffer.alloc(4);
    serial.writeUInt32LE(4_000_000_000);
    expect(Buffer.concat([head, serial, tail])).toEqual(encodeFrame({ ...vectorFrame, serial: 4_000_000_000 }));
  });
});

describe('FrameReader', () => {
  it.each(Object.entries(ciphers))('reads what was written, however the stream is cut (%s)', (_, cipher) => {
    fc.assert(
      fc.property(fc.array(anyFrame, { minLength: 1, maxLength: 5 }), anyCuts, (frames, cuts) => {
        const stream = Buffer.concat(frames.map((frame) => encodeFrame(frame, cipher)));
        expect(framesOf(readAll(cut(stream, cuts), cipher))).toEqual(frames.map((frame) => ({ ...frame, body: Buffer.from(frame.body) })));
      }),
    );
  });

  it('reads two frames cut at every single place, and byte by byte', () => {
    const stream = Buffer.concat([vector, encodeFrame({ ...vectorFrame, serial: 8 })]);
    const expected = [vectorFrame, { ...vectorFrame, serial: 8 }];
    for (let place = 0; place <= stream.length; place++) {
      expect(framesOf(readAll([stream.subarray(0, place), stream.subarray(place)]))).toEqual(expected);
    }
    expect(framesOf(readAll(Array.from(stream, (byte) => Buffer.of(byte))))).toEqual(expected);
  });

  it('copies nothing when a frame lies in one chunk', () => {
    const chunk = Buffer.concat([vector, vector]);
    for (const { body } of readAll([chunk]).map((read) => (read.ok ? read.frame : expect.fail()))) expect(body.buffer).toBe(chunk.buffer);
  });

  it('takes another cipher between two frames of one chunk', () => {
    const reader = new FrameReader();
    reader.cipher = ciphers.RSA!;
    reader.push(Buffer.concat([encodeFrame(vectorFrame, ciphers.RSA), encodeFrame(vectorFrame, ciphers['AES CBC'])]));
    const first = reader.next();
    reader.cipher = ciphers['AES CBC']!;
    expect(framesOf([first!, ...drain(reader)])).toEqual([vectorFrame, vectorFrame]);
  });

  it.each([
    ['bad_magic', { 0: 0x48 }, 'found the bytes 4854'],
    ['bad_magic', { 1: 0x74 }, 'found the bytes 4674'],
    ['unknown_version', { 7: 1 }, 'unknown header version 1'],
    ['unknown_format', { 6: 2 }, 'unknown body format 2, accepted: 0 (protobuf), 1 (JSON)'],
    ['body_too_long', { 15: 0xff }, 'a body of 4278190083 bytes is too long; at most 16777216 are accepted'],
    ['wrong_digest', { 16: 0 }, 'the body of frame 7 (protocol id 1004) does not match its SHA-1'],
    ['wrong_digest', { 46: 0 }, 'does not match its SHA-1'],
  ])('ends with %s for %j, however the stream is cut', (kind, changes, message) => {
    const stream = Buffer.concat([vector, vector, vector]);
    for (const [at, byte] of Object.entries(changes)) stream[vector.length + Number(at)] = byte;
    fc.assert(
      fc.property(anyCuts, (cuts) => {
        const reader = new FrameReader();
        const reads = cut(stream, cuts).flatMap((chunk) => {
          reader.push(chunk);
          return drain(reader);
        });
        expect(framesOf(reads.slice(0, 1))).toEqual([vectorFrame]);
        const failure = { ok: false, error: { kind, message: expect.stringContaining(message) } };
        expect(reads[1]).toEqual(failure);
        // The error is final: nothing of the third frame is read.
        expect(reads.slice(2).every((read) => !read.ok)).toBe(true);
        reader.push(vector);
        expect(reader.next()).toEqual(failure);
      }),
    );
  });

  it.each(Object.entries(ciphers))('tells a broken seal and a wrong digest apart by nothing (%s)', (_, cipher) => {
    const body = Buffer.alloc(250, 'x');
    const encoded = encodeFrame({ ...vectorFrame, body }, cipher);
    fc.assert(
      fc.property(fc.integer({ min: FRAME_HEADER_BYTES, max: encoded.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(encoded);
        changed[at] = changed[at]! ^ flip;
        const [read] = readAll([changed], cipher);
        if (read?.ok) {
          // Bytes of the length block that say nothing.
          expect(read.frame.body).toEqual(body);
          expect(cipher).toBe(ciphers['AES ECB']);
        } else {
          expect(read).toEqual({
            ok: false,
            error: { kind: 'wrong_digest', message: 'the body of frame 7 (protocol id 1004) does not match its SHA-1' },
          });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes a body of exactly the bound and none longer', () => {
    const encoded = encodeFrame({ ...vectorFrame, body: Buffer.alloc(1000) });
    expect(readAll([encoded], plainText, 1000)).toMatchObject([{ ok: true }]);
    expect(readAll([encoded], plainText, 999)).toMatchObject([{ ok: false, error: { kind: 'body_too_long' } }]);
  });

  it('sets memory aside for what has come, not for what a header claims', () => {
    const claim = Buffer.from(vector.subarray(0, FRAME_HEADER_BYTES + 1));
    claim.writeUInt32LE(16 * 1024 * 1024, 12);
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 1000 }, () => {
      const reader = new FrameReader();
      reader.push(claim);
      expect(reader.next()).toBeUndefined();
      return reader;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(readers.length * 1024);
  });

  it('refuses a chunk before the frames of the last were read', () => {
    const reader = new FrameReader();
    reader.push(Buffer.concat([vector, vector]));
    expect(reader.next()).toMatchObject({ ok: true });
    expect(() => reader.push(vector)).toThrow('before the frames of the one before were read');
  });

  it('answers any header with a frame, an error or a wait', () => {
    const header = fc.uint8Array({ minLength: FRAME_HEADER_BYTES, maxLength: FRAME_HEADER_BYTES + 64 });
    fc.assert(
      fc.property(header, fc.boolean(), (bytes, magic) => {
        const stream = Buffer.from(bytes);
        if (magic) vector.copy(stream, 0, 0, 8);
        const reads = readAll([stream], plainText, 32);
        for (const read of reads) if (read.ok) expect(read.frame.body.length).toBeLessThanOrEqual(32);
      }),
      { numRuns: 2000 },
    );
  });
});
