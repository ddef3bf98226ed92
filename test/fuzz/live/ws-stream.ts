import { encodeWsRequest } from '@svc-gateway/wire';
import { below, mutated, pick, type Random } from '../mutate.js';
import type { Stream } from './channel.js';
import { INIT_WEBSOCKET, initWebSocketBody, liveSamples } from './corpus.js';
import { readWsStream } from './ws-oracle.js';

const FRAMES_MAX = 48;
const BROKEN_SHARE = 0.3;
const SAME_BODY_SHARE = 0.15;
const FRAGMENTED_SHARE = 0.15;
const PING_SHARE = 0.05;
const FRAMES_AFTER = 3;

const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const FIN = 0x80;

/** One frame as a client sends it, masked with a random key. */
function clientFrame(random: Random, first: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = length < 126 ? Buffer.of(first, 0x80 | length) : Buffer.of(first, 0x80 | 126, length >> 8, length & 0xff);
  const mask = Buffer.from(Array.from({ length: 4 }, () => below(random, 256)));
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ mask.readUInt8(index % 4))]);
}

/** Frames of one client: its sections must differ, but for those that a mutation makes the same. */
function anyRequest(random: Random): Buffer {
  const section = (BigInt(1 + below(random, 2 ** 32 - 1)) << 32n) | BigInt(below(random, 2 ** 32));
  if (random() < 0.02) return encodeWsRequest({ command: INIT_WEBSOCKET, section, body: mutated(initWebSocketBody, random) });
  const { protoId, body } = pick(random, liveSamples);
  return encodeWsRequest({ command: protoId, section, body: random() < SAME_BODY_SHARE ? body : mutated(body, random) });
}

/** A request in one frame or several, perhaps with a ping among them. */
function anyMessage(random: Random): Buffer[] {
  const request = anyRequest(random);
  if (random() < PING_SHARE)
    return [clientFrame(random, FIN | opcode.ping, Buffer.from('still there?')), clientFrame(random, FIN | opcode.binary, request)];
  if (random() >= FRAGMENTED_SHARE) return [clientFrame(random, FIN | opcode.binary, request)];
  const places = Array.from({ length: 1 + below(random, 3) }, () => below(random, request.length + 1)).sort((a, b) => a - b);
  const ends = [...places, request.length];
  return ends.flatMap((end, index) => {
    const first = (index === 0 ? opcode.binary : opcode.continuation) | (end === request.length && index === ends.length - 1 ? FIN : 0);
    const piece = clientFrame(random, first, request.subarray(ends[index - 1] ?? 0, end));
    return random() < PING_SHARE ? [piece, clientFrame(random, FIN | opcode.ping, Buffer.alloc(0))] : [piece];
  });
}

const spoilers: readonly ((request: Buffer, random: Random) => Buffer)[] = [
  // The message, its frame, or both.
  (request, random) => clientFrame(random, FIN | opcode.binary, mutated(request, random)),
  (request, random) => mutated(clientFrame(random, FIN | opcode.binary, request), random),
  (request, random) => clientFrame(random, FIN | opcode.text, request),
  (_request, random) => clientFrame(random, FIN | opcode.text, Buffer.from('{"cmd":"ping"}')),
  (request) => Buffer.concat([Buffer.of(FIN | opcode.binary, request.length & 0x7d), request]),
  (request, random) => clientFrame(random, FIN | pick(random, [0x10, 0x20, 0x40]) | opcode.binary, request),
  (request, random) => clientFrame(random, FIN | pick(random, [3, 7, 11, 15]), request),
  (request, random) => clientFrame(random, FIN | opcode.continuation, request),
  (request, random) => Buffer.concat([clientFrame(random, opcode.binary, request), clientFrame(random, FIN | opcode.binary, request)]),
  (_request, random) => clientFrame(random, pick(random, [0, FIN]) | opcode.ping, Buffer.alloc(126)),
  (_request, random) =>
    clientFrame(random, FIN | opcode.close, pick(random, [Buffer.alloc(0), Buffer.of(3, 232), Buffer.of(3), Buffer.of(0, 1)])),
  (_request, random) => Buffer.concat([declared(pick(random, [2n ** 20n + 1n, 2n ** 32n - 1n, 2n ** 53n, 2n ** 63n])), Buffer.alloc(40)]),
  (request, random) => clientFrame(random, FIN | opcode.binary, request.subarray(0, below(random, 20))),
  (request, random) => clientFrame(random, FIN | opcode.binary, request).subarray(0, 1 + below(random, 10)),
];

/** The head of a frame that is said to be so long. */
function declared(length: bigint): Buffer {
  const head = Buffer.alloc(14);
  head.writeUInt16BE(((FIN | opcode.binary) << 8) | 0xff);
  head.writeBigUInt64BE(length, 2);
  return head;
}

/** Stream of a logged-in client: mutated requests in sound frames, and now and then a wrong frame, and some after it. */
export function wsStream(random: Random): Stream {
  const frames = Array.from({ length: 1 + below(random, FRAMES_MAX) }, () => anyMessage(random)).flat();
  if (random() < BROKEN_SHARE) {
    frames.push(pick(random, spoilers)(anyRequest(random), random));
    for (let left = below(random, FRAMES_AFTER); left > 0; left--) frames.push(...anyMessage(random));
  }
  const bytes = Buffer.concat(frames);
  return { bytes, frames: frames.length, ...readWsStream(bytes) };
}

/** Stream of a client that does not log in first. Everything in it is answered, with a refusal, as long as it is read. */
export function wsOpening(random: Random): Stream {
  const login = encodeWsRequest({ command: INIT_WEBSOCKET, section: 1n, body: initWebSocketBody });
  const first = pick<() => Buffer>(random, [
    () => clientFrame(random, FIN | opcode.binary, mutated(login, random)),
    () => pick(random, spoilers)(login, random),
    () => clientFrame(random, FIN | opcode.binary, anyRequest(random)),
  ])();
  const frames = [first, ...Array.from({ length: below(random, FRAMES_AFTER) }, () => anyMessage(random)).flat()];
  const bytes = Buffer.concat(frames);
  return { bytes, frames: frames.length, ...readWsStream(bytes), end: 'broken' };
}

/** One request in one frame. */
export function wsRequest(random: Random, command: number, section: bigint, body: Uint8Array): Buffer {
  return clientFrame(random, FIN | opcode.binary, encodeWsRequest({ command, section, body }));
}

/** A ping as long as may be. */
export function wsPing(random: Random): Buffer {
  return clientFrame(random, FIN | opcode.ping, Buffer.alloc(125));
}
