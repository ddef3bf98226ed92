import { type BodyFormat, type Cipher, encodeFrame } from '@svc-gateway/wire';
import { below, mutated, pick, type Random } from '../mutate.js';
import { type Asked, readTcpStream } from '../wires.js';
import type { Stream } from './channel.js';
import { INIT_CONNECT, initConnectBody, liveSamples } from './corpus.js';

/** The listener refuses longer requests by their header. */
const REQUEST_BYTES_MAX = 1024 * 1024;
const FRAMES_MAX = 48;
const BROKEN_SHARE = 0.3;
const SAME_BODY_SHARE = 0.15;
const FRAMES_AFTER = 3;

type Spoiler = (frame: Buffer, random: Random) => Buffer;

const lengths = [0, 1, 16, REQUEST_BYTES_MAX, REQUEST_BYTES_MAX + 1, 2 ** 31, 2 ** 32 - 1];

/** Writes a number where the header has one. */
function inHeader(write: (frame: Buffer, random: Random) => void): Spoiler {
  return (frame, random) => {
    write(frame, random);
    return frame;
  };
}

const spoilers: readonly Spoiler[] = [
  mutated,
  inHeader((frame, random) => frame.fill(below(random, 256), 0, 2)),
  inHeader((frame, random) => frame.writeUInt8(pick(random, [2, 127, 255]), 6)),
  inHeader((frame, random) => frame.writeUInt8(pick(random, [1, 128, 255]), 7)),
  inHeader((frame, random) => frame.writeUInt32LE(pick(random, lengths), 12)),
  inHeader((frame, random) => frame.writeUInt32LE(below(random, 2 ** 32), 16)),
  (frame, random) => Buffer.concat([frame.subarray(0, 44), mutated(frame.subarray(44), random)]),
  (frame, random) => frame.subarray(0, 1 + below(random, frame.length)),
];

function anyFrame(random: Random, cipher: Cipher): Buffer {
  const serial = below(random, 2 ** 32);
  if (random() < 0.02) return encodeFrame({ protoId: INIT_CONNECT, serial, ...initConnect(random) }, cipher);
  const sample = pick(random, liveSamples);
  const body = random() < SAME_BODY_SHARE ? sample.body : mutated(sample.body, random);
  return encodeFrame({ ...sample, body, serial }, cipher);
}

function initConnect(random: Random): { readonly format: BodyFormat; readonly body: Uint8Array } {
  const format = pick<BodyFormat>(random, ['protobuf', 'json']);
  return { format, body: initConnectBody(pick(random, [-1, 0, 2]), format) };
}

/** Stream of a client after its handshake: mutated bodies in sound frames, and now and then a broken frame, and some after it. */
export function tcpStream(random: Random, cipher: Cipher): Stream {
  const frames = Array.from({ length: 1 + below(random, FRAMES_MAX) }, () => anyFrame(random, cipher));
  if (random() < BROKEN_SHARE) {
    frames.push(pick(random, spoilers)(anyFrame(random, cipher), random));
    frames.push(...Array.from({ length: below(random, FRAMES_AFTER) }, () => anyFrame(random, cipher)));
  }
  const bytes = Buffer.concat(frames);
  return { bytes, frames: frames.length, ...readTcpStream(bytes, cipher, REQUEST_BYTES_MAX) };
}

/** Stream of a client without a proper handshake: anything that looks like a request may be answered if the handshake was right. */
export function tcpOpening(random: Random, cipher: Cipher): Stream {
  const handshake = encodeFrame({ protoId: INIT_CONNECT, serial: below(random, 2 ** 32), ...initConnect(random) }, cipher);
  const first = pick<() => Buffer>(random, [
    () => pick(random, spoilers)(handshake, random),
    () => {
      const { format, body } = initConnect(random);
      return encodeFrame({ protoId: INIT_CONNECT, serial: below(random, 2 ** 32), format, body: mutated(body, random) }, cipher);
    },
    () => anyFrame(random, cipher),
    () => Buffer.concat([handshake, handshake]),
  ])();
  const frames = [first, ...Array.from({ length: below(random, FRAMES_AFTER) }, () => anyFrame(random, cipher))];
  const bytes = Buffer.concat(frames);
  return { bytes, frames: frames.length, asked: answerable(bytes), end: 'broken' };
}

/** By the headers alone: what the bodies make of it depends on the keys that the handshake gives out. */
function answerable(bytes: Buffer): Asked[] {
  const asked: Asked[] = [];
  for (let rest = bytes; rest.length >= 44 && rest.toString('latin1', 0, 2) === 'FT'; rest = rest.subarray(44 + rest.readUInt32LE(12))) {
    const protoId = rest.readUInt32LE(2);
    // Nothing is served before the handshake.
    if (asked.length === 0 && protoId !== INIT_CONNECT) return [];
    asked.push({ protoId, number: BigInt(rest.readUInt32LE(8)) });
  }
  return asked;
}
