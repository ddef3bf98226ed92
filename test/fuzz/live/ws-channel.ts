import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Answer } from './channel.js';
import { SocketChannel } from './socket-channel.js';

const opcode = { binary: 2, close: 8, ping: 9, pong: 10 } as const;
const ANSWER_HEADER_BYTES = 44;

/** A hostile client of the core WebSocket, on a bare socket: a WebSocket library would not send what is wrong. */
export class WsChannel extends SocketChannel {
  static async connect(port: number, keyText: string): Promise<WsChannel> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    // A reset; `close` follows.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const lines = [
      'Host: 127.0.0.1',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    socket.write(`GET /?token=${keyText} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    return new WsChannel(socket, await upgraded(socket));
  }

  protected next(): Answer | undefined {
    const message = this.#message();
    if (message === undefined) return undefined;
    if (message.length < ANSWER_HEADER_BYTES || message.toString('latin1', 0, 8) !== 'ft-v1.0\0') throw new Error('no answer came');
    const error = message.readInt32BE(20);
    if (message.length === ANSWER_HEADER_BYTES && error === 0) throw new Error('an answer has no body');
    const body = message.subarray(ANSWER_HEADER_BYTES);
    return { protoId: message.readUInt32BE(8), number: message.readBigUInt64BE(12), error, body };
  }

  /** The payload of the next whole frame. A server does not mask and, here, does not fragment. */
  #message(): Buffer | undefined {
    if (this.rest.length < 2) return undefined;
    const short = this.rest.readUInt8(1);
    const header = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (this.rest.length < header) return undefined;
    const length = short === 127 ? Number(this.rest.readBigUInt64BE(2)) : short === 126 ? this.rest.readUInt16BE(2) : short;
    if (this.rest.length < header + length) return undefined;
    const kind = this.rest.readUInt8(0);
    const payload = this.rest.subarray(header, header + length);
    this.rest = this.rest.subarray(header + length);
    if (kind === (0x80 | opcode.binary)) return payload;
    // The server has said goodbye; what it still has in its buffers is of no interest.
    if (kind === (0x80 | opcode.close)) this.socket.end();
    else if (kind !== (0x80 | opcode.pong) && kind !== (0x80 | opcode.ping)) throw new Error(`a frame starts with 0x${kind.toString(16)}`);
    return this.#message();
  }
}

/** Resolves, once the upgrade is answered, to what came after it. */
async function upgraded(socket: Socket): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    if (!head.toString('latin1', 0, 12).endsWith('101')) throw new Error(`the upgrade is refused: ${head.toString('latin1', 0, end)}`);
    return head.subarray(end + 4);
  }
}
