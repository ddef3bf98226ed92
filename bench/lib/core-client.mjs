/** As little of a client of the public protocol as the figures need. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

export const HEADER_BYTES = 44;

/** A frame of core TCP. */
export function tcpFrame(protoId, body, serial = 1) {
  const bytes = Buffer.alloc(HEADER_BYTES + body.length);
  bytes.write('FT', 'latin1');
  bytes.writeUInt32LE(protoId, 2);
  bytes.writeUInt32LE(serial, 8);
  bytes.writeUInt32LE(body.length, 12);
  createHash('sha1').update(body).digest().copy(bytes, 16);
  body.copy(bytes, HEADER_BYTES);
  return bytes;
}

const varint = (value) => {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
};
const field = (id, value) =>
  typeof value === 'number'
    ? Buffer.concat([varint(id * 8), varint(value)])
    : Buffer.concat([varint(id * 8 + 2), varint(value.length), value]);
/** A `Request` of these fields of its `C2S`. */
const request = (...fields) => field(1, Buffer.concat(fields.map(([id, value]) => field(id, value))));

export const initConnect = request([1, 1011], [2, Buffer.from('bench')], [3, 0]);
export const keepAlive = request([1, 1]);
const securityOf = (code) => Buffer.concat([field(1, 1), field(2, Buffer.from(code))]);
const security = (index) => securityOf(String(index + 1).padStart(5, '0'));
/** Qot_Sub to the basic quotes of so many symbols. */
export const subscribe = (symbols) =>
  request(...Array.from({ length: symbols }, (_, index) => [1, security(index)]), [2, 1], [3, 1], [4, 1]);

/** Qot_GetBasicQot of a symbol of Hong Kong. */
export const getBasicQotOf = (code) => request([1, securityOf(code)]);
export const getBasicQot = getBasicQotOf('00001');

/** A connection of core TCP whose handshake is done. */
export async function openTcp(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  socket.write(tcpFrame(1001, initConnect));
  await once(socket, 'data');
  return socket;
}

/** A connection of the core WebSocket whose handshake is done; `websocketKey` is the MD5 of a key's text. */
export async function openWebSocket(port, { websocketKey = '', tls = false } = {}) {
  const address = { port, host: '127.0.0.1', noDelay: true };
  const socket = tls ? connectTls({ ...address, rejectUnauthorized: false }) : connect(address);
  socket.write(
    `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await once(socket, 'data');
  const body = request([4, Buffer.from(websocketKey)]);
  const payload = Buffer.alloc(20 + body.length);
  payload.write('ft-v1.0\0', 'latin1');
  payload.writeUInt32BE(1, 8);
  payload.writeBigUInt64BE(1n, 12);
  body.copy(payload, 20);
  const mask = randomBytes(4);
  for (let at = 0; at < payload.length; at++) payload[at] ^= mask[at % 4];
  socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | payload.length]), mask, payload]));
  await once(socket, 'data');
  return socket;
}
