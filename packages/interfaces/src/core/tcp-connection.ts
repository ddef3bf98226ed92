import type { KeyObject } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Clock } from '@svc-gateway/contract/clock';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Peer } from '@svc-gateway/gateway';
import {
  type BodyFormat,
  type Cipher,
  encodeFrame,
  type Frame,
  FrameReader,
  packetCipher,
  packetEncAlgo,
  plainText,
  rsaCipher,
} from '@svc-gateway/wire';
import { readC2S, rejectionBody, successBody } from './bodies.js';
import { newConnectionId, newKeyText } from './connection-id.js';
import type { CoreConnection } from './connections.js';
import type { TcpService, TcpSession } from './tcp-service.js';

export interface TcpConnectionOptions {
  readonly service: TcpService;
  readonly clock: Clock;
  /** Something that should not have happened. */
  readonly onDefect: (error: unknown) => void;
  /** Its InitConnect cannot be opened. */
  readonly onUnreadable: (reason: string) => void;
  readonly socket: Socket;
  readonly peer: Peer;
  /** Both sides have it: bodies are encrypted. */
  readonly rsaKey: KeyObject | undefined;
}

const INIT_CONNECT = 1001;
/** Seconds; what the published clients are used to. They send KeepAlive after four fifths of it. */
const KEEP_ALIVE_SECONDS = 10;
const SILENCE_MS_MAX = 2 * KEEP_ALIVE_SECONDS * 1000;
/** Clients begin the handshake as soon as they are connected. */
const HANDSHAKE_MS_MAX = 10_000;
/** How long a peer may take to read what was sent before the connection was ended. */
const CLOSE_MS_MAX = 5000;
/** No request of the protocol comes near it. */
const REQUEST_BYTES_MAX = 1024 * 1024;
/** Maximum bytes kept of an unknown peer; any InitConnect is far shorter. */
const GREETING_BYTES_MAX = 16 * 1024;
const FORMATS: readonly BodyFormat[] = ['protobuf', 'json'];

/** One client of core TCP, from its first byte: InitConnect, and then a session of the service behind the listener. */
export class TcpConnection implements CoreConnection {
  readonly #options: TcpConnectionOptions;
  readonly #reader: FrameReader;
  #session: TcpSession | undefined;
  /** InitConnect is being answered: what comes meanwhile waits. */
  #greeting = false;
  /** No further requests are taken. */
  #finishing = false;
  /** Further input is discarded. */
  #ended = false;
  /** Time on the monotonic clock at which it is cut off, unless something puts that moment off. */
  #deadline: number;

  constructor(options: TcpConnectionOptions) {
    this.#options = options;
    const { socket, clock, rsaKey } = options;
    this.#reader = new FrameReader(GREETING_BYTES_MAX);
    if (rsaKey !== undefined) this.#reader.cipher = rsaCipher(rsaKey);
    this.#deadline = clock.monotonic() + HANDSHAKE_MS_MAX;
    socket.on('data', (chunk) => this.#received(chunk));
    socket.on('drain', () => this.#session?.drained());
    // A reset; `close` follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#session?.disconnected());
  }

  tick(now: number): void {
    if (now < this.#deadline) return;
    // A client with requests in flight does not count as silent: its socket is not read.
    if (this.#session?.busy && !this.#finishing) return;
    this.#options.socket.destroy();
  }

  finish(): Promise<void> {
    this.#finishing = true;
    this.#options.socket.pause();
    return this.#session?.whenIdle() ?? Promise.resolve();
  }

  end(): void {
    this.#finishing = true;
    this.#deadline = this.#options.clock.monotonic() + CLOSE_MS_MAX;
    this.#ended = true;
    const { socket } = this.#options;
    socket.end();
    // Read and thrown away: otherwise the peer's end would go unnoticed, and what it has sent would reset the connection
    // before it has read the last answer.
    socket.resume();
  }

  destroy(): void {
    this.#options.socket.destroy();
  }

  #received(chunk: Buffer): void {
    if (this.#ended) return;
    if (this.#session !== undefined && !this.#finishing) this.#deadline = this.#options.clock.monotonic() + SILENCE_MS_MAX;
    this.#reader.push(chunk);
    this.#read();
  }

  /** Takes the frames that are there, as far as they may be answered now. */
  #read(): void {
    const { socket, onDefect } = this.#options;
    let corked = false;
    try {
      while (!this.#greeting && !this.#finishing && this.#session?.busy !== true) {
        const read = this.#reader.next();
        if (read === undefined) {
          if (socket.isPaused()) this.#resume();
          return;
        }
        if (!read.ok) {
          if (this.#session === undefined && read.error.kind === 'wrong_digest') this.#options.onUnreadable(this.#whyUnreadable());
          socket.destroy();
          return;
        }
        // Answers that are ready in this turn leave in one write.
        if (!corked && this.#reader.hasUnread) {
          socket.cork();
          corked = true;
        }
        this.#take(read.frame);
      }
      if (!this.#ended) socket.pause();
    } catch (error) {
      onDefect(error);
      socket.destroy();
    } finally {
      if (corked) socket.uncork();
    }
  }

  #whyUnreadable(): string {
    return this.#options.rsaKey === undefined
      ? "a client's InitConnect cannot be read: it encrypts, and this listener has no RSA key (--api-rsa-key)"
      : "a client's InitConnect cannot be opened: it has no RSA key, or another than --api-rsa-key; both sides need the same file";
  }

  /** Reading goes on. While it did not, nothing could be heard. */
  #resume(): void {
    if (this.#session !== undefined) this.#deadline = this.#options.clock.monotonic() + SILENCE_MS_MAX;
    this.#options.socket.resume();
  }

  #take({ protoId, format, serial, body }: Frame): void {
    if (this.#session !== undefined) {
      this.#session.request({ protoId, format, body, tag: serial });
      return;
    }
    if (protoId !== INIT_CONNECT) {
      this.#options.socket.destroy();
      return;
    }
    this.#greeting = true;
    this.#greet(format, serial, body).then(
      () => {
        this.#greeting = false;
        this.#read();
      },
      (error: unknown) => {
        this.#options.onDefect(error);
        this.#options.socket.destroy();
      },
    );
  }

  async #greet(format: BodyFormat, serial: number, body: Uint8Array): Promise<void> {
    const { service, clock, socket, peer, rsaKey } = this.#options;
    const answer = (bytes: Uint8Array) => {
      this.#write(
        encodeFrame({ protoId: INIT_CONNECT, format, serial, body: bytes }, rsaKey === undefined ? plainText : rsaCipher(rsaKey)),
      );
    };
    const refuse = (rejection: Rejection) => {
      answer(rejectionBody(rejection, format));
      this.end();
    };
    const c2s = readC2S(InitConnect, body, format);
    if (c2s instanceof Rejection) return refuse(c2s);
    const settings = connectSettings(c2s, rsaKey !== undefined);
    if (settings instanceof Rejection) return refuse(settings);
    const greeting = await service.greet(peer, c2s);
    if (greeting instanceof Rejection) return refuse(greeting);
    if (socket.destroyed) return;

    const connectionId = newConnectionId();
    const { cipher, key, iv, pushFormat } = settings;
    answer(
      successBody(
        InitConnect,
        {
          serverVer: greeting.version,
          loginUserID: greeting.userId,
          connID: connectionId,
          connAESKey: key,
          keepAliveInterval: KEEP_ALIVE_SECONDS,
          ...(iv === undefined ? {} : { aesCBCiv: iv }),
        },
        format,
      ),
    );
    this.#reader.cipher = cipher;
    this.#reader.bodyBytesMax = REQUEST_BYTES_MAX;
    this.#deadline = clock.monotonic() + SILENCE_MS_MAX;
    this.#session = greeting.open({
      connectionId,
      peer,
      recvNotify: c2s.recvNotify,
      pushFormat,
      socket,
      cipher,
      end: () => this.end(),
      onFree: () => this.#read(),
    });
  }

  #write(bytes: Buffer): void {
    if (this.#options.socket.writable) this.#options.socket.write(bytes);
  }
}

interface ConnectSettings {
  readonly pushFormat: BodyFormat;
  readonly key: string;
  readonly cipher: Cipher;
  /** Only where the cipher uses it. */
  readonly iv: string | undefined;
}

/** Settings requested by InitConnect, or a refusal of them. */
function connectSettings(c2s: InitConnect.C2S, encrypted: boolean): ConnectSettings | Rejection {
  const pushFormat = FORMATS[c2s.pushProtoFmt];
  if (pushFormat === undefined) {
    const message = `pushProtoFmt: unknown format ${c2s.pushProtoFmt}, accepted: 0 (protobuf), 1 (JSON)`;
    return new Rejection('request.out_of_range', message, { field: 'pushProtoFmt' });
  }
  const key = newKeyText();
  const iv = newKeyText();
  // Unset reads as 0, which is the protocol's default.
  const cipher = encrypted ? packetCipher(c2s.packetEncAlgo, key, iv) : plainText;
  if (cipher === undefined) {
    const message = `packetEncAlgo: unknown algorithm ${c2s.packetEncAlgo}, accepted: -1 (none), 0 (the protocol's AES-ECB), 1 (AES-ECB), 2 (AES-CBC)`;
    return new Rejection('request.out_of_range', message, { field: 'packetEncAlgo' });
  }
  const usesIv = encrypted && c2s.packetEncAlgo === packetEncAlgo.aesCbc;
  return { pushFormat, key, cipher, iv: usesIv ? iv : undefined };
}
