import { once } from 'node:events';
import { WebSocket } from 'ws';

/** One frame of `/ws`. */
export interface PushFrame {
  readonly type: string;
  readonly seq?: number;
  readonly proto_id?: number;
  readonly symbol?: string;
  readonly sub_type?: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what came, whatever it is.
  readonly [field: string]: any;
}

const WAIT_MS_MAX = 60_000;

/** A push connection that keeps what it hears. */
export class PushClient {
  readonly frames: PushFrame[] = [];
  readonly texts: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #listeners = new Set<() => void>();
  #commands = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const text = data.toString();
      this.texts.push(text);
      this.frames.push(JSON.parse(text));
      for (const listener of [...this.#listeners]) listener();
    });
    this.closed = new Promise((resolve) => socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })));
    socket.on('error', () => undefined);
  }

  /** Opens a connection. A refused handshake rejects with {@link HandshakeRefused}. */
  static async open(url: string, options: { ca?: string; headers?: Record<string, string> }): Promise<PushClient> {
    const socket = new WebSocket(url, { ...options, perMessageDeflate: false });
    const client = new PushClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.on('open', resolve);
      socket.on('error', reject);
      socket.on('unexpected-response', (_request, response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => reject(new HandshakeRefused(response.statusCode ?? 0, text)));
      });
    });
    return client;
  }

  get quotes(): PushFrame[] {
    return this.frames.filter(({ type }) => type === 'quote');
  }

  get trades(): PushFrame[] {
    return this.frames.filter(({ type }) => type === 'trade');
  }

  /** The first frame that fits, from those of index `from` on; waits for it. */
  async frame(fits: (frame: PushFrame) => boolean, what: string, from = 0): Promise<PushFrame> {
    let looked = from;
    const look = () => {
      while (looked < this.frames.length) {
        const frame = this.frames[looked++];
        if (frame !== undefined && fits(frame)) return frame;
      }
      return undefined;
    };
    const found = look();
    if (found !== undefined) return found;
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#listeners.delete(listener);
        clearTimeout(timer);
      };
      const listener = () => {
        const frame = look();
        if (frame === undefined) return;
        end();
        resolve(frame);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`no frame came: ${what}; heard ${this.texts.length}, at last ${this.texts.slice(-3).join('\n')}`));
      }, WAIT_MS_MAX);
      this.#listeners.add(listener);
      void this.closed.then(({ code, reason }) => {
        end();
        reject(new Error(`closed with ${code} ${reason} before: ${what}`));
      });
    });
  }

  /** Sends an in-band command and waits for its acknowledgement. */
  command(op: string, fields: object = {}): Promise<PushFrame> {
    this.#commands += 1;
    const id = this.#commands;
    this.socket.send(JSON.stringify({ op, id, ...fields }));
    return this.frame((frame) => frame.type === 'ack' && frame.id === id, `ack of ${op} ${id}`);
  }

  /** Resolves once everything that the daemon wrote before this call has been heard. */
  async settled(): Promise<void> {
    await this.command('ping');
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.terminate();
    await closed;
  }
}

/** A handshake that got an HTTP answer. */
export class HandshakeRefused extends Error {
  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(`handshake refused: ${status} ${text}`);
  }
}
