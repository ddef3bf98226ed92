import type { Socket } from 'node:net';
import type { Answer, Channel } from './channel.js';

/** A hostile client on a bare socket. What comes is cut into answers by hand: it must not share the mistakes of a codec. */
export abstract class SocketChannel implements Channel {
  onAnswer: (answer: Answer) => void = () => undefined;
  readonly closed: Promise<void>;
  #problem: Error | undefined;

  /** `rest`: bytes that have come and belong to no answer yet. */
  protected constructor(
    protected readonly socket: Socket,
    protected rest: Buffer = Buffer.alloc(0),
  ) {
    // A reset; `close` follows.
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.#received(chunk));
    this.closed = new Promise((resolve, reject) => {
      socket.on('close', () => (this.#problem === undefined ? resolve() : reject(this.#problem)));
    });
    // Whoever waits for it is told, too.
    this.closed.catch(() => undefined);
  }

  /** Takes the next whole answer off {@link rest}; throws on what no client could read. */
  protected abstract next(): Answer | undefined;

  write(chunk: Buffer): void {
    if (this.socket.writable) this.socket.write(chunk);
  }

  async drained(): Promise<void> {
    const { socket } = this;
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
    this.socket.pause();
  }

  end(): void {
    this.socket.end();
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  #received(chunk: Buffer): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    try {
      for (let answer = this.next(); answer !== undefined; answer = this.next()) this.onAnswer(answer);
    } catch (error) {
      this.#problem = error instanceof Error ? error : new Error(String(error));
      this.socket.destroy();
    }
  }
}
