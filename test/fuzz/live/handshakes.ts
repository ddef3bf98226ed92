import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import { type Cipher, decodeBody, encodeFrame, packetCipher } from '@svc-gateway/wire';
import { below, pick, type Random } from '../mutate.js';
import { INIT_CONNECT, INIT_WEBSOCKET, initConnectBody, initWebSocketBody } from './corpus.js';
import type { TcpChannel } from './tcp-channel.js';
import type { WsChannel } from './ws-channel.js';
import { wsRequest } from './ws-stream.js';

/** Sends InitConnect; the cipher of what follows, which the channel has then, too. */
export function shakeHands(channel: TcpChannel, sealing: Cipher, algorithm: number, random: Random): Promise<Cipher> {
  const format = pick(random, ['protobuf', 'json'] as const);
  const serial = below(random, 2 ** 32);
  const opened = new Promise<Cipher>((resolve, reject) => {
    channel.onAnswer = ({ protoId, number, body }) => {
      const read = decodeBody(InitConnect.ResponseSchema, body, format);
      const s2c = read.ok ? read.message.s2c : undefined;
      const cipher = s2c && packetCipher(algorithm, s2c.connAESKey, s2c.aesCBCiv);
      if (protoId !== INIT_CONNECT || number !== BigInt(serial) || cipher === undefined) {
        reject(new Error('the handshake is not answered as it should be'));
        return;
      }
      // The next frame may be sealed already.
      channel.cipher = cipher;
      resolve(cipher);
    };
    channel.closed.then(() => reject(new Error('closed during a sound handshake')), reject);
  });
  channel.write(encodeFrame({ protoId: INIT_CONNECT, format, serial, body: initConnectBody(algorithm, format) }, sealing));
  return opened;
}

/** A login that relies on the key of the upgrade. */
export function loginRequest(section: bigint): Buffer {
  return wsRequest(() => 0, INIT_WEBSOCKET, section, initWebSocketBody);
}

/** Sends a login; resolves when it is answered with success. */
export function logIn(channel: WsChannel): Promise<void> {
  const opened = new Promise<void>((resolve, reject) => {
    channel.onAnswer = ({ protoId, number, error }) => {
      if (protoId === INIT_WEBSOCKET && number === 1n && error === 0) resolve();
      else reject(new Error('the login is not answered as it should be'));
    };
    channel.closed.then(() => reject(new Error('closed during a sound login')), reject);
  });
  channel.write(loginRequest(1n));
  return opened;
}
