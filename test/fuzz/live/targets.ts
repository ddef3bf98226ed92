import { create } from '@bufbuild/protobuf';
import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import { type Cipher, encodeBody, encodeFrame, packetEncAlgo, plainText, rsaCipher } from '@svc-gateway/wire';
import type { Sample } from '../corpus.js';
import { pick, type Random } from '../mutate.js';
import type { Channel, Stream } from './channel.js';
import { INIT_CONNECT, INIT_WEBSOCKET, initConnectBody, KEEP_ALIVE, keepAliveBody, liveSamples } from './corpus.js';
import { logIn, loginRequest, shakeHands } from './handshakes.js';
import type { Listeners } from './listeners.js';
import { TcpChannel } from './tcp-channel.js';
import { tcpOpening, tcpStream } from './tcp-stream.js';
import { WsChannel } from './ws-channel.js';
import { wsOpening, wsPing, wsRequest, wsStream } from './ws-stream.js';

/** A live listener, as clients of it begin. */
export interface LiveTarget {
  readonly name: string;
  /** A connection that has not shaken hands, and what it sends instead. */
  stranger(random: Random): Promise<{ readonly channel: Channel; readonly stream: Stream }>;
  /** A connection that has shaken hands, and what it sends then. */
  client(random: Random): Promise<{ readonly channel: Channel; readonly stream: Stream }>;
  /** A connection without a handshake, a stream of the handshake and two requests, all sound. */
  sound(): Promise<{ readonly channel: Channel; readonly stream: Stream }>;
  /** Floods, each with a connection: chunks that a client repeats which never reads what they cause. */
  readonly floods: readonly (() => Promise<{ readonly name: string; readonly channel: Channel; readonly chunk: Buffer }>)[];
}

const GET_GLOBAL_STATE = 1002;
const FLOOD_CHUNK_BYTES = 256 * 1024;
const getGlobalStateBody = encodeBody(
  GetGlobalState.RequestSchema,
  create(GetGlobalState.RequestSchema, { c2s: { userID: 0n } }),
  'protobuf',
);

/** Answered later, not in the turn in which it is read. */
const registerPush = sampleOf(3002);

/** Core TCP, with or without encryption. */
export function tcpTarget(name: string, { port, cipher }: { readonly port: number; readonly cipher: Cipher }): LiveTarget {
  const connect = () => TcpChannel.connect(port, cipher);
  const request = (protoId: number, serial: number, body: Uint8Array, sealing = plainText) =>
    encodeFrame({ protoId, format: 'protobuf', serial, body }, sealing);
  const encrypted = cipher !== plainText;
  const flood = (what: string, protoId: number, body: Uint8Array) => async () => {
    const channel = await connect();
    const opened = await shakeHands(channel, cipher, encrypted ? packetEncAlgo.ownEcb : packetEncAlgo.none, () => 0);
    return { name: what, channel, chunk: repeated(request(protoId, 7, body, opened)) };
  };
  return {
    name,
    async stranger(random) {
      // The cipher after the handshake depends on its mutation.
      return { channel: await TcpChannel.connect(port, encrypted ? undefined : plainText), stream: tcpOpening(random, cipher) };
    },
    async client(random) {
      const channel = await connect();
      const algorithm = pick(random, [packetEncAlgo.none, packetEncAlgo.ownEcb, packetEncAlgo.aesEcb, packetEncAlgo.aesCbc]);
      const opened = await shakeHands(channel, cipher, encrypted ? algorithm : packetEncAlgo.none, random);
      return { channel, stream: tcpStream(random, opened) };
    },
    async sound() {
      const frames = [
        request(INIT_CONNECT, 1, initConnectBody(packetEncAlgo.none, 'protobuf'), cipher),
        request(KEEP_ALIVE, 2, keepAliveBody),
        request(GET_GLOBAL_STATE, 3, getGlobalStateBody),
      ];
      const asked = [INIT_CONNECT, KEEP_ALIVE, GET_GLOBAL_STATE].map((protoId, index) => ({ protoId, number: BigInt(index + 1) }));
      const channel = await TcpChannel.connect(port, encrypted ? undefined : plainText);
      return { channel, stream: { bytes: Buffer.concat(frames), frames: frames.length, asked, end: 'whole' } };
    },
    floods: [
      flood('requests', KEEP_ALIVE, keepAliveBody),
      // Encryption makes no difference to when an answer comes, and these take their time.
      ...(encrypted ? [] : [flood('requests answered later', registerPush.protoId, registerPush.body)]),
    ],
  };
}

/** The core WebSocket. */
function wsTarget({ websocketPort, keyText }: Listeners): LiveTarget {
  const connect = () => WsChannel.connect(websocketPort, keyText);
  const zero = () => 0;
  const flood = (name: string, frame: Buffer, loggedIn: boolean) => async () => {
    const channel = await connect();
    if (loggedIn) await logIn(channel);
    return { name, channel, chunk: repeated(frame) };
  };
  return {
    name: 'core WebSocket, live',
    async stranger(random) {
      return { channel: await connect(), stream: wsOpening(random) };
    },
    async client(random) {
      const channel = await connect();
      await logIn(channel);
      return { channel, stream: wsStream(random) };
    },
    async sound() {
      const frames = [
        loginRequest(1n),
        wsRequest(zero, KEEP_ALIVE, 2n, keepAliveBody),
        wsRequest(zero, GET_GLOBAL_STATE, 3n, getGlobalStateBody),
      ];
      const asked = [INIT_WEBSOCKET, KEEP_ALIVE, GET_GLOBAL_STATE].map((protoId, index) => ({ protoId, number: BigInt(index + 1) }));
      return { channel: await connect(), stream: { bytes: Buffer.concat(frames), frames: frames.length, asked, end: 'whole' } };
    },
    floods: [
      flood('requests', wsRequest(zero, KEEP_ALIVE, 7n, keepAliveBody), true),
      flood('requests answered later', wsRequest(zero, registerPush.protoId, 7n, registerPush.body), true),
      flood('requests before the login', wsRequest(zero, KEEP_ALIVE, 7n, keepAliveBody), false),
      flood('repeated logins', loginRequest(7n), true),
      flood('pings', wsPing(zero), true),
      flood('pings before the login', wsPing(zero), false),
    ],
  };
}

/** The targets over these listeners. */
export function liveTargets(listeners: Listeners): readonly LiveTarget[] {
  return [
    tcpTarget('core TCP, live', { port: listeners.tcpPort, cipher: plainText }),
    tcpTarget('core TCP, encrypted, live', { port: listeners.encryptedPort, cipher: rsaCipher(listeners.rsaKey) }),
    wsTarget(listeners),
  ];
}

function sampleOf(protoId: number): Sample {
  const sample = liveSamples.find((each) => each.protoId === protoId && each.format === 'protobuf');
  if (sample === undefined) throw new Error(`the corpus has no request of protocol id ${protoId}`);
  return sample;
}

function repeated(bytes: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: Math.floor(FLOOD_CHUNK_BYTES / bytes.length) }, () => bytes));
}
