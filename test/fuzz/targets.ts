import { create, type DescMessage, type Message } from '@bufbuild/protobuf';
import {
  type BodyFormat,
  type Cipher,
  decodeBody,
  decodeWsAnswer,
  decodeWsRequest,
  encodeBody,
  encodeFrame,
  encodeWsAnswer,
  FrameReader,
  packetCipher,
  packetEncAlgo,
  plainText,
  wsError,
} from '@svc-gateway/wire';
import { messagesOf } from './corpus.js';
import { type Asked, tcpWire, type Wire, wsWire } from './wires.js';

/**
 * The subject of fuzzing. It takes the bytes of one connection and returns its answers, in order. An exception is a finding.
 * In-process here; a live listener is one, too: connect, greet, write the chunks, read until the peer is done.
 */
export interface Target {
  readonly name: string;
  readonly wire: Wire;
  /** Whether every request is answered; otherwise some may be dropped, such as those before a connection is closed. */
  readonly answersAll: boolean;
  exchange(chunks: readonly Buffer[]): readonly Asked[] | Promise<readonly Asked[]>;
}

/** Reader, body decoder and answer over TCP frames, with the client's half behind them. */
export function tcpCodec(name: string, cipher: Cipher): Target {
  return {
    name,
    wire: tcpWire(cipher),
    answersAll: true,
    exchange(chunks) {
      const server = new FrameReader();
      const client = new FrameReader();
      server.cipher = cipher;
      client.cipher = cipher;
      const answers: Asked[] = [];
      for (const chunk of chunks) {
        server.push(chunk);
        for (let read = server.next(); read?.ok; read = server.next()) {
          const { protoId, serial, format } = read.frame;
          client.push(encodeFrame({ protoId, serial, format, body: answerTo(protoId, read.frame.body, format) }, cipher));
          const answer = client.next();
          if (!answer?.ok) throw new Error('the client does not read the answer');
          readAnswer(answer.frame.protoId, answer.frame.body, answer.frame.format);
          answers.push({ protoId: answer.frame.protoId, number: BigInt(answer.frame.serial) });
        }
      }
      return answers;
    },
  };
}

/** The same over messages of the core WebSocket. */
const wsCodec: Target = {
  name: 'core WebSocket',
  wire: wsWire,
  answersAll: true,
  exchange(chunks) {
    const answers: Asked[] = [];
    for (const chunk of chunks) {
      const request = decodeWsRequest(chunk);
      if (!request.ok) continue;
      const { command, section, body } = request.message;
      const answer = { command, section, error: wsError.none, errorText: '', body: answerTo(command, body, 'protobuf') };
      const read = decodeWsAnswer(encodeWsAnswer(answer));
      if (!read.ok) throw new Error(read.error);
      readAnswer(read.message.command, read.message.body, 'protobuf');
      answers.push({ protoId: read.message.command, number: read.message.section });
    }
    return answers;
  },
};

/** Every codec in this process. */
export const codecTargets: readonly Target[] = [
  tcpCodec('core TCP', plainText),
  tcpCodec('core TCP, its own AES ECB', packetCipher(packetEncAlgo.ownEcb, '0123456789abcdef', '') as Cipher),
  tcpCodec('core TCP, AES ECB', packetCipher(packetEncAlgo.aesEcb, '0123456789abcdef', '') as Cipher),
  tcpCodec('core TCP, AES CBC', packetCipher(packetEncAlgo.aesCbc, '0123456789abcdef', 'fedcba9876543210') as Cipher),
  wsCodec,
];

// Any Response will do for an id that nobody knows: all have the same first fields.
const fallback = messagesOf.get(1001);

function messagesFor(protoId: number) {
  const messages = messagesOf.get(protoId) ?? fallback;
  if (messages === undefined) throw new Error('the corpus has no InitConnect');
  return messages;
}

function answerTo(protoId: number, body: Uint8Array, format: BodyFormat): Uint8Array {
  const { RequestSchema, ResponseSchema } = messagesFor(protoId);
  const request = decodeBody(RequestSchema, body, format);
  if (request.ok) survivesAnotherTrip(RequestSchema, request.message, format);
  else if (request.problem.message === '') throw new Error('a problem without a text');
  const fields = request.ok ? { retType: 0 } : { retType: -1, retMsg: request.problem.message };
  return encodeBody(ResponseSchema, create(ResponseSchema, fields as Record<string, unknown>), format);
}

/** An accepted request can be forwarded to an upstream, in its format. */
function survivesAnotherTrip(desc: DescMessage, message: Message, format: BodyFormat): void {
  const again = decodeBody(desc, encodeBody(desc, message, format), format);
  if (!again.ok) throw new Error(`an accepted request is refused when it is passed on: ${again.problem.message}`);
}

function readAnswer(protoId: number, body: Uint8Array, format: BodyFormat): void {
  const read = decodeBody(messagesFor(protoId).ResponseSchema, body, format);
  if (!read.ok) throw new Error(`the client does not read the answer: ${read.problem.message}`);
}
