import { createPrivateKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import { type Cipher, encodeFrame, type Frame, FrameReader, packetCipher, packetEncAlgo, plainText, rsaCipher } from '@svc-gateway/wire';

const KEY = 'ABCDEFGHIJKLMNOP';
const IV = 'abcdefghijklmnop';

/** One client of a {@link ScriptedServer}. */
export class Peer {
  readonly requests: Frame[] = [];
  readonly closed: Promise<unknown>;
  readonly #server: ScriptedServer;
  readonly #reader = new FrameReader();
  cipher: Cipher = plainText;
  init: InitConnect.C2S | undefined;

  constructor(
    server: ScriptedServer,
    /** Number of the connection, from 1 on. */
    readonly number: number,
    readonly socket: Socket,
    rsaKey: KeyObject | undefined,
  ) {
    this.#server = server;
    this.closed = new Promise((resolve) => socket.on('close', resolve));
    if (rsaKey !== undefined) this.cipher = this.#reader.cipher = rsaCipher(rsaKey);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.#received(chunk));
  }

  /** Answers a request with a `Response`. */
  answer({ protoId, serial }: Frame, { ResponseSchema }: Pick<ProtocolMessages, 'ResponseSchema'>, response: object): void {
    const body = toBinary(ResponseSchema, create(ResponseSchema, response as Record<string, unknown>));
    this.write({ protoId, serial, format: 'protobuf', body });
  }

  push(protoId: number, messages: Pick<ProtocolMessages, 'ResponseSchema'>, response: object): void {
    this.answer({ protoId, serial: 0, format: 'protobuf', body: new Uint8Array() }, messages, response);
  }

  write(frame: Frame): void {
    if (this.socket.writable) this.socket.write(encodeFrame(frame, this.cipher));
  }

  #received(chunk: Buffer): void {
    this.#reader.push(chunk);
    for (let read = this.#reader.next(); read !== undefined; read = this.#reader.next()) {
      if (!read.ok) {
        this.#server.onUnreadable(this);
        return;
      }
      if (this.#server.remembers) this.requests.push(read.frame);
      if (read.frame.protoId === 1001 && this.#server.greets) this.#greet(read.frame);
      else if (read.frame.protoId === 1004 && this.#server.alive) this.answer(read.frame, KeepAlive, { retType: 0, s2c: { time: 1n } });
      else this.#server.onRequest(read.frame, this);
      this.#server.look();
    }
  }

  #greet(frame: Frame): void {
    this.init = decodeC2S(InitConnect, frame) as InitConnect.C2S;
    const connID = this.number;
    const { knowsCbc } = this.#server;
    const s2c = { serverVer: 1011, loginUserID: 7n, connID: BigInt(connID), connAESKey: KEY, keepAliveInterval: 10 };
    this.answer(frame, InitConnect, { retType: 0, s2c: { ...s2c, ...(knowsCbc ? { aesCBCiv: IV } : {}) } });
    const algorithm = knowsCbc ? this.init.packetEncAlgo : packetEncAlgo.ownEcb;
    const cipher = this.cipher === plainText ? plainText : packetCipher(algorithm, KEY, IV);
    if (cipher === undefined) throw new Error(`packetEncAlgo ${this.init.packetEncAlgo}`);
    this.cipher = this.#reader.cipher = cipher;
  }
}

/** A server of the public protocol that does what a test says: it shakes hands, stays alive, and leaves the rest to the test. */
export class ScriptedServer {
  readonly connections: Peer[] = [];
  /** It answers InitConnect by itself. */
  greets = true;
  /** Older ones know no other mode of encryption than the protocol's own. */
  knowsCbc = true;
  /** It answers KeepAlive by itself. */
  alive = true;
  /** It lets nobody in. */
  down = false;
  /** It keeps requests, and connections that are over. */
  remembers = true;
  /** Called on bytes that are no frame, or sealed with another key. */
  onUnreadable: (peer: Peer) => void = ({ socket }) => socket.destroy();
  onRequest: (frame: Frame, peer: Peer) => void = () => undefined;
  readonly #server: Server;
  #count = 0;
  readonly #waiting: { readonly what: () => boolean; readonly resolve: () => void }[] = [];

  private constructor(readonly rsaKey: KeyObject | undefined) {
    this.#server = this.#create();
  }

  static async listen(rsaKey?: string, port = 0): Promise<ScriptedServer> {
    const server = new ScriptedServer(rsaKey === undefined ? undefined : createPrivateKey(rsaKey));
    await server.#open(port);
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get endpoint() {
    return { host: '127.0.0.1', port: this.port };
  }

  /** The newest connection. */
  get peer(): Peer {
    const peer = this.connections.at(-1);
    if (peer === undefined) throw new Error('nobody has connected');
    return peer;
  }

  async #open(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Resolves when `what` is so; looked at when something comes. */
  async when(what: () => boolean): Promise<void> {
    if (!what()) await new Promise<void>((resolve) => this.#waiting.push({ what, resolve }));
  }

  /** Resolves with the newest request of a protocol id on the newest connection. */
  async request(protoId: number): Promise<Frame> {
    const find = () => this.connections.at(-1)?.requests.findLast((frame) => frame.protoId === protoId);
    await this.when(() => find() !== undefined);
    return find() as Frame;
  }

  look(): void {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.what()) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve();
    }
  }

  /** Connections that are open. */
  get open(): number {
    return this.connections.filter(({ socket }) => !socket.destroyed).length;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const { socket } of [...this.connections]) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #create(): Server {
    return createServer({ noDelay: true }, (socket) => {
      if (this.down) {
        socket.on('error', () => undefined).destroy();
        return;
      }
      const peer = new Peer(this, ++this.#count, socket, this.rsaKey);
      this.connections.push(peer);
      if (!this.remembers) socket.on('close', () => this.connections.splice(this.connections.indexOf(peer), 1));
      this.look();
    });
  }
}

/** The `C2S` of a request. */
export function decodeC2S({ RequestSchema }: ProtocolMessages, { body }: Frame): Message {
  return (fromBinary(RequestSchema, body) as Message & { c2s: Message }).c2s;
}
