import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import { type Cipher, packetCipher, packetEncAlgo, plainText } from '@svc-gateway/wire';
import { encodeRequest, readResponse } from './bodies.js';
import { CipherUnknown, ConnectFailure, HandshakeRefused } from './connect-failure.js';

/** Introduction of a client, in InitConnect. */
export interface Introduction {
  /** Identifies the client to the server's operator. */
  readonly clientId: string;
  /** Common.PacketEncAlgo of the bodies after the handshake; counts only with an RSA key. */
  readonly packetEncAlgo: number;
}

/** Greeting of the server. */
export interface Greeting {
  /** Major × 100 + minor. */
  readonly serverVersion: number;
  readonly userId: bigint;
  /** Id of this connection: packet ids begin with it. */
  readonly connId: bigint;
}

/** Outcome of a handshake: the cipher of the bodies that follow, and how often KeepAlive is due. */
export interface Handshake {
  readonly greeting: Greeting;
  readonly cipher: Cipher;
  readonly keepAliveMs: number;
}

export const INIT_CONNECT = 1001;
/** Version of the protocol's messages that this client knows, major × 100 + minor: 10.11. */
const CLIENT_VERSION = 1011;
/** Seconds; a server that answers nonsense is not asked every millisecond, nor left alone for a day. */
const KEEP_ALIVE_SECONDS = { min: 1, max: 120 } as const;

/** The body of InitConnect. */
export function initConnectBody(introduction: Introduction, isEncrypted: boolean): Uint8Array {
  return encodeRequest(InitConnect, {
    clientVer: CLIENT_VERSION,
    clientID: introduction.clientId,
    recvNotify: true,
    packetEncAlgo: isEncrypted ? introduction.packetEncAlgo : packetEncAlgo.none,
    pushProtoFmt: 0,
    programmingLanguage: 'TypeScript',
  });
}

/** Reads the answer to InitConnect. */
export function readHandshake(answer: Uint8Array, introduction: Introduction, isEncrypted: boolean): Handshake | ConnectFailure {
  const response = readResponse(InitConnect, answer);
  if (response === undefined) return new ConnectFailure('the answer to InitConnect cannot be read');
  const { retType, retMsg, s2c } = response;
  if (retType !== 0 || s2c === undefined) {
    return new HandshakeRefused(`the server refused the connection: ${retMsg || `retType ${retType}`}`);
  }
  const algorithm = introduction.packetEncAlgo;
  const cipher = isEncrypted ? packetCipher(algorithm, s2c.connAESKey, s2c.aesCBCiv) : plainText;
  if (cipher === undefined) return new CipherUnknown(`the server gave no key of 16 characters, and no IV, for packetEncAlgo ${algorithm}`);
  return {
    greeting: { serverVersion: s2c.serverVer, userId: s2c.loginUserID, connId: s2c.connID },
    cipher,
    keepAliveMs: Math.min(Math.max(s2c.keepAliveInterval, KEEP_ALIVE_SECONDS.min), KEEP_ALIVE_SECONDS.max) * 1000,
  };
}
