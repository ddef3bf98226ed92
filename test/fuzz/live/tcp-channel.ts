import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Cipher } from '@svc-gateway/wire';
import type { Answer } from './channel.js';
import { SocketChannel } from './socket-channel.js';

const HEADER_BYTES = 44;

/** A hostile client of core TCP. */
export class TcpChannel extends SocketChannel {
  private constructor(
    socket: Socket,
    /** Cipher of further input; undefined = bodies are not decrypted. */
    public cipher: Cipher | undefined,
  ) {
    super(socket);
  }

  static async connect(port: number, cipher: Cipher | undefined): Promise<TcpChannel> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new TcpChannel(socket, cipher);
  }

  protected next(): Answer | undefined {
    if (this.rest.length < HEADER_BYTES) return undefined;
    const end = HEADER_BYTES + this.rest.readUInt32LE(12);
    if (this.rest.length < end) return undefined;
    const frame = this.rest.subarray(0, end);
    this.rest = this.rest.subarray(end);
    return readAnswer(frame, this.cipher);
  }
}

function readAnswer(frame: Buffer, cipher: Cipher | undefined): Answer {
  const [magic, format, version] = [frame.toString('latin1', 0, 2), frame.readUInt8(6), frame.readUInt8(7)];
  if (magic !== 'FT' || version !== 0 || format > 1) throw new Error(`no frame came: ${frame.toString('hex', 0, HEADER_BYTES)}`);
  const body = cipher === undefined ? Buffer.alloc(0) : Buffer.from(cipher.open(frame.subarray(HEADER_BYTES)) ?? []);
  if (cipher !== undefined) {
    if (body.length === 0) throw new Error('an answer has no body that can be read');
    if (!createHash('sha1').update(body).digest().equals(frame.subarray(16, 36))) throw new Error('the digest of an answer is wrong');
  }
  return { protoId: frame.readUInt32LE(2), number: BigInt(frame.readUInt32LE(8)), error: 0, body };
}
