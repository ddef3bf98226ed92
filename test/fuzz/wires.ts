import { createHash } from 'node:crypto';
import { BODY_BYTES_MAX, type Cipher, encodeFrame, encodeWsRequest } from '@svc-gateway/wire';
import { samples } from './corpus.js';
import { below, cut, mutated, pick, type Random } from './mutate.js';

/** Values that an answer must repeat: the protocol id, and the serial or section of the request. */
export interface Asked {
  readonly protoId: number;
  readonly number: bigint;
}

/** Requests in a stream of bytes. A server answers all of them or, when the stream is broken, some and then closes. */
export interface Reading {
  readonly asked: readonly Asked[];
  readonly end: 'whole' | 'partial' | 'broken';
}

/** A way of framing: makes hostile input for it, and knows what is asked in it. */
export interface Wire {
  /** One connection's bytes, in the chunks in which they arrive, made of this many mutated frames. */
  make(random: Random): { readonly chunks: readonly Buffer[]; readonly frames: number };
  /** The requests that a server may answer, in order. Reads headers by hand: an oracle must not share the codec's mistakes. */
  requestsIn(chunks: readonly Buffer[]): readonly Asked[];
}

const FRAMES_MAX = 3;
/** Fraction of the frames whose body is mutated under a correct digest: most others end at the digest. */
const BODY_SHARE = 0.7;

/** A sample whose body was changed, or not. */
function anySample(random: Random, change: boolean) {
  const sample = pick(random, samples);
  return change ? { ...sample, body: mutated(sample.body, random) } : sample;
}

/** Streams of frames over TCP. */
export function tcpWire(cipher: Cipher): Wire {
  return {
    make(random) {
      const frames = 1 + below(random, FRAMES_MAX);
      const inside = random() < BODY_SHARE;
      const encoded = Array.from({ length: frames }, () => {
        const frame = encodeFrame({ ...anySample(random, inside), serial: below(random, 2 ** 32) }, cipher);
        return inside ? frame : mutated(frame, random);
      });
      return { chunks: cut(Buffer.concat(encoded), random), frames };
    },
    requestsIn: (chunks) => readTcpStream(Buffer.concat(chunks), cipher, BODY_BYTES_MAX).asked,
  };
}

/**
 * The sound frames at the start of a stream, and how it ends: after one, in the middle of one that may still become sound, or
 * with one that cannot.
 */
export function readTcpStream(bytes: Buffer, cipher: Cipher, bodyBytesMax: number): Reading {
  const asked: Asked[] = [];
  let rest = bytes;
  while (rest.length >= 44) {
    const length = rest.readUInt32LE(12);
    const known = rest.toString('latin1', 0, 2) === 'FT' && rest.readUInt8(6) < 2 && rest.readUInt8(7) === 0;
    if (!known || length > bodyBytesMax) return { asked, end: 'broken' };
    if (rest.length < 44 + length) return { asked, end: 'partial' };
    const plain = cipher.open(rest.subarray(44, 44 + length));
    if (plain === undefined || createHash('sha1').update(plain).digest('hex') !== rest.toString('hex', 16, 36))
      return { asked, end: 'broken' };
    asked.push({ protoId: rest.readUInt32LE(2), number: BigInt(rest.readUInt32LE(8)) });
    rest = rest.subarray(44 + length);
  }
  return { asked, end: rest.length === 0 ? 'whole' : 'partial' };
}

/** Single messages of the core WebSocket: each chunk is one. */
export const wsWire: Wire = {
  make(random) {
    const inside = random() < BODY_SHARE;
    const { protoId, body } = anySample(random, inside);
    const section = (BigInt(below(random, 2 ** 32)) << 32n) | BigInt(below(random, 2 ** 32));
    const message = encodeWsRequest({ command: protoId, section, body });
    return { chunks: [inside ? message : mutated(message, random)], frames: 1 };
  },
  requestsIn(chunks) {
    return chunks
      .filter((message) => message.length >= 20 && message.toString('latin1', 0, 8) === 'ft-v1.0\0')
      .map((message) => ({
        protoId: message.readUInt32BE(8),
        number: (BigInt(message.readUInt32BE(12)) << 32n) | BigInt(message.readUInt32BE(16)),
      }));
  },
};
