import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Cipher } from '../../../src/wire/index.js';
import type { Answer, Channel } from './channel.js';

const HEADER_BYTES = 44;

/** A hostile client of core TCP. It reads frames by hand: it must not share the codec's mistakes. */
export class TcpChannel implements Channel {
  /** Of what comes from now on; undefined = bodies are not looked at. */
  cipher: Cipher | undefined;
  onAnswer: (answer: Answer) => void = () => undefined;
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #problem: Error | undefined;

  private constructor(socket: Socket, cipher: Cipher | undefined) {
    this.#socket = socket;
    this.cipher = cipher;
    // A reset; `close` follows.
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.#received(chunk));
    this.closed = new Promise((resolve, reject) => {
      socket.on('close', () => (this.#problem === undefined ? resolve() : reject(this.#problem)));
    });
    // Whoever waits for it is told, too.
    this.closed.catch(() => undefined);
  }

  static async connect(port: number, cipher: Cipher | undefined): Promise<TcpChannel> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new TcpChannel(socket, cipher);
  }

  write(chunk: Buffer): void {
    if (this.#socket.writable) this.#socket.write(chunk);
  }

  async drained(): Promise<void> {
    const socket = this.#socket;
    if (!socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.on('drain', done).on('close', done);
    });
  }

  deafen(): void {
    this.#socket.pause();
  }

  end(): void {
    this.#socket.end();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #received(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    try {
      while (this.#rest.length >= HEADER_BYTES) {
        const end = HEADER_BYTES + this.#rest.readUInt32LE(12);
        if (this.#rest.length < end) return;
        const frame = this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end);
        this.onAnswer(readAnswer(frame, this.cipher));
      }
    } catch (error) {
      this.#problem = error instanceof Error ? error : new Error(String(error));
      this.#socket.destroy();
    }
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
