import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { encodeFrame, type Frame, FrameReader } from '@svc-gateway/wire';

/** Fate of a frame on its way. */
export type Fate =
  | 'pass'
  /** It does not arrive, and the connection goes on. */
  | 'drop'
  /** The connection is cut before it. */
  | 'cut'
  /** The connection is cut in the middle of it. */
  | 'half'
  /** It arrives, and the connection is cut after it. */
  | 'last'
  /** It arrives with a digest that is not its own. */
  | 'spoil'
  /** It arrives twice: what a server sends. No network does that to a request, which TCP delivers once or not at all. */
  | 'twice'
  /** It arrives after so many milliseconds, and so does everything behind it. */
  | { readonly delayMs: number };

export type Direction = 'request' | 'answer';

/** A wire between a daemon and its upstream that does to frames what a test says. */
export class FaultyWire {
  /** Asked for each frame that comes; both ways at first let everything pass. */
  fate: (frame: Frame, direction: Direction) => Fate = () => 'pass';
  /** It takes no connections: they are cut at once. */
  down = false;
  /** Connections that it took. */
  count = 0;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #server: Server;

  private constructor(
    readonly upstream: { readonly host: string; readonly port: number },
    /** Its frames cannot be read, and pass as they are: they are encrypted. */
    readonly opaque: boolean,
  ) {
    this.#server = createServer({ noDelay: true }, (client) => this.#join(client));
  }

  /** A wire to `address`, "127.0.0.1:11111". */
  static async to(address: string, opaque = false): Promise<FaultyWire> {
    const [host = '', port] = address.split(':');
    const wire = new FaultyWire({ host, port: Number(port) }, opaque);
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    return wire;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#pairs.size;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #join(client: Socket): void {
    this.count += 1;
    client.on('error', () => undefined);
    if (this.down) {
      client.destroy();
      return;
    }
    const server = connect({ ...this.upstream, noDelay: true });
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        for (const other of pair) other.destroy();
        this.#pairs.delete(pair);
      });
    }
    this.#pass(client, server, 'request');
    this.#pass(server, client, 'answer');
  }

  #pass(from: Socket, to: Socket, direction: Direction): void {
    if (this.opaque) {
      from.pipe(to);
      return;
    }
    const reader = new FrameReader();
    let ahead: Promise<void> | undefined;
    const deliver = (frame: Frame, fate: Fate) => {
      const bytes = encodeFrame(frame);
      const cut = () => {
        from.destroy();
        to.destroy();
      };
      if (fate === 'drop') return;
      if (fate === 'cut') return cut();
      if (fate === 'half') {
        to.end(bytes.subarray(0, bytes.length >> 1));
        from.destroy();
        return;
      }
      if (fate === 'last') {
        to.end(bytes);
        from.destroy();
        return;
      }
      if (fate === 'spoil') bytes[16] = (bytes[16] ?? 0) ^ 0xff;
      if (to.writable) to.write(fate === 'twice' ? Buffer.concat([bytes, bytes]) : bytes);
    };
    from.on('data', (chunk) => {
      reader.push(chunk);
      for (let read = reader.next(); read !== undefined; read = reader.next()) {
        if (!read.ok) throw new Error(read.error.message);
        // The body is a view of the chunk.
        const frame = { ...read.frame, body: Buffer.from(read.frame.body) };
        const fate = this.fate(frame, direction);
        if (typeof fate === 'object') {
          const before = ahead ?? Promise.resolve();
          ahead = before.then(() => new Promise((resolve) => setTimeout(resolve, fate.delayMs)));
        }
        if (ahead === undefined) deliver(frame, fate);
        else ahead = ahead.then(() => deliver(frame, fate));
      }
    });
  }
}
