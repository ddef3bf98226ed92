import type { KeyObject } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import { BackendLost, BackendTimeout, BackendUnsent, lacksPayload, type ResponseMessage, unusable } from '@svc-gateway/gateway';
import { encodeFrame, type Frame, FrameReader, plainText, rsaCipher } from '@svc-gateway/wire';
import { encodeRequest, responseReader } from './bodies.js';
import { ConnectFailure, HandshakeUnreadable } from './connect-failure.js';
import { addressOf, type Dial, type Endpoint } from './dial.js';
import { type Greeting, INIT_CONNECT, type Introduction, initConnectBody, readHandshake } from './handshake.js';
import { Pending } from './pending-requests.js';
import type { ProtocolOperation, PushFrame, RequestOptions, Upstream } from './upstream.js';

export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly introduction: Introduction;
  /** The private key that both sides have: bodies are encrypted. */
  readonly rsaKey: KeyObject | undefined;
  /** Ends the connection when it is aborted. */
  readonly signal: AbortSignal;
  /** Called with every push, in order. An error ends the connection, after {@link onDefect}. */
  readonly onPush: (frame: PushFrame) => void;
  /** Called with errors that are defects. */
  readonly onDefect: (error: unknown) => void;
  /** Called once when a connection that had greeted is lost; pending requests have been rejected. */
  readonly onLost: (reason: string) => void;
}

const KEEP_ALIVE = 1004;

/** Timeout of dialling and the handshake together. */
const OPEN_MS_MAX = 10_000;
/** Most pending requests: more than the gateway lets through, so that its own bound comes first. */
const UNDER_WAY_MAX = 8192;
/** Bytes that may wait for a server that does not read. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;
/** Share of the interval after which KeepAlive is sent, as by the published clients. */
const KEEP_ALIVE_SHARE = 0.8;
/** Intervals without a byte after which a server is taken for dead. */
const SILENT_INTERVALS_MAX = 2;
/** Unanswered KeepAlives that it takes as well: a daemon that was held up itself reads its sockets after its timers. */
const UNANSWERED_MIN = 2;
const SERIAL_MAX = 0xffff_ffff;
/** Time for a frame to arrive whole: bytes that trickle in are no sign of life for ever. */
const FRAME_MS_MAX = 60_000;
/** Answers to writes are short, and are kept. */
const WRITE_ANSWER_BYTES_MAX = 256 * 1024;
/** Largest push that is accepted; no real one is nearly as long. */
const PUSH_BYTES_MAX = 1024 * 1024;

/**
 * One TCP connection to a server of the public protocol, from the handshake to its loss. A connection that is lost stays so:
 * {@link Session} makes another.
 */
export class ProtocolConnection implements Upstream {
  readonly #options: ConnectionOptions;
  readonly #transport: Duplex;
  readonly #reader = new FrameReader();
  readonly #pending: Pending;
  #cipher = plainText;
  #serial = 0;
  #lost: string | undefined;
  #greeting: Greeting | undefined;
  #corked = false;
  /** Arrival of the last bytes, epoch ms and by `Clock.monotonic`. */
  #heardAt: number;
  #heard: number;
  /** KeepAlives since then. */
  #unanswered = 0;
  /** Time at which the frame began that has not come whole yet, of `Clock.monotonic`. */
  #frameBegan: number | undefined;
  #cancelBeat: () => void = () => undefined;
  /** Rejects the handshake where the connection is lost during it. */
  #onHandshakeLost: ((failure: ConnectFailure) => void) | undefined;
  readonly #onAbort = () => this.#end('given up');

  private constructor(options: ConnectionOptions, transport: Duplex) {
    this.#options = options;
    this.#transport = transport;
    const { clock, rsaKey, signal } = options;
    this.#pending = new Pending(clock, UNDER_WAY_MAX);
    this.#heardAt = clock.now();
    this.#heard = clock.monotonic();
    if (rsaKey !== undefined) this.#cipher = rsaCipher(rsaKey);
    this.#reader.cipher = this.#cipher;
    transport.on('data', (chunk: Buffer) => this.#received(chunk));
    transport.on('error', (error: NodeJS.ErrnoException) => this.#closed(`the connection broke (${error.code ?? error.message})`));
    transport.on('end', () => this.#closed('the server closed the connection'));
    transport.on('close', () => this.#closed('the connection was closed'));
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /**
   * Connects and shakes hands; rejects with {@link ConnectFailure}. No longer than ten seconds.
   */
  static async open(options: ConnectionOptions): Promise<ProtocolConnection> {
    const { clock, dial, endpoint, signal } = options;
    const givenUp = new AbortController();
    const onAbort = () => givenUp.abort(new Error('given up'));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const deadline = clock.monotonic() + OPEN_MS_MAX;
    const cancel = clock.after(OPEN_MS_MAX, () => givenUp.abort(new Error(`no connection within ${OPEN_MS_MAX / 1000} seconds`)));
    let transport: Duplex;
    try {
      transport = await dial(endpoint, givenUp.signal);
    } catch (thrown) {
      throw new ConnectFailure(`cannot connect to ${addressOf(endpoint)} (${reasonOf(thrown)})`);
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
    }
    if (signal.aborted) {
      transport.on('error', () => undefined);
      transport.destroy();
      throw new ConnectFailure('given up');
    }
    const connection = new ProtocolConnection(options, transport);
    await connection.#shakeHands(deadline);
    return connection;
  }

  /** Throws before the handshake is done. */
  get greeting(): Greeting {
    if (this.#greeting === undefined) throw new Error('the handshake is not done');
    return this.#greeting;
  }

  /** Time at which the server was last heard, epoch ms: later pushes may be lost. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Reason for the loss of the connection; undefined while it lasts. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Requests under way. */
  get underWay(): number {
    return this.#pending.size;
  }

  async request(asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<ResponseMessage> {
    const { protoId, name, messages } = asked;
    if (protoId === null) throw new Error(`${name} has no protocol id`);
    const body = await this.requestBytes(protoId, encodeRequest(messages, c2s), options);
    const isWrite = options.priority === 'order';
    const tooLong = isWrite && body.length > WRITE_ANSWER_BYTES_MAX;
    const response = tooLong ? undefined : responseReader(messages)(body);
    if (response === undefined) throw unusable(name, 'with bytes that cannot be read', isWrite);
    if (lacksPayload(asked, response)) throw unusable(name, 'without the payload that it answers with', isWrite);
    return response;
  }

  requestBytes(protoId: number, body: Uint8Array, { deadline, signal, lateRejection }: RequestOptions): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const unsent = this.#refuse(deadline, signal) ?? lateRejection?.();
      if (unsent !== undefined) {
        reject(unsent);
        return;
      }
      const serial = this.#nextSerial();
      const onAbort = () => {
        this.#pending.drop(serial);
        reject(new BackendTimeout('nobody waits for the answer any more'));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const settled = () => signal?.removeEventListener('abort', onAbort);
      this.#pending.add(serial, {
        protoId,
        deadline,
        resolve: (answer) => {
          settled();
          resolve(answer);
        },
        reject: (failure) => {
          settled();
          reject(failure);
        },
      });
      this.#write(protoId, serial, body);
    });
  }

  /** Ends the connection; pending requests are lost. Calls {@link ConnectionOptions.onLost}. */
  close(reason: string): void {
    this.#end(reason);
  }

  /** Reason why nothing can be sent now. */
  #refuse(deadline: number, signal: AbortSignal | undefined): BackendUnsent | undefined {
    if (this.#lost !== undefined) return new BackendUnsent(`the connection was lost (${this.#lost})`);
    if (signal?.aborted || this.#options.clock.monotonic() >= deadline) return new BackendUnsent('its time was up before it was sent');
    if (this.#pending.full) return new BackendUnsent(`${UNDER_WAY_MAX} requests wait for the server already`);
    if (this.#transport.writableLength > UNSENT_BYTES_MAX) return new BackendUnsent('the server does not read what it is sent');
    return undefined;
  }

  async #shakeHands(deadline: number): Promise<void> {
    const { introduction, rsaKey, clock } = this.#options;
    const body = initConnectBody(introduction, rsaKey !== undefined);
    await new Promise<void>((resolve, reject) => {
      const cancel = clock.after(Math.max(0, deadline - clock.monotonic()), () => this.#end('the server did not answer InitConnect'));
      const settle = () => {
        cancel();
        this.#onHandshakeLost = undefined;
      };
      this.#onHandshakeLost = (failure) => {
        settle();
        reject(failure);
      };
      const serial = this.#nextSerial();
      this.#pending.add(serial, {
        protoId: INIT_CONNECT,
        // The handshake has a timer of its own, which says more.
        deadline: Number.POSITIVE_INFINITY,
        resolve: (answer) => {
          // Taken up in the turn in which it came: the next frame may be encrypted by it.
          const failure = this.#greeted(answer);
          settle();
          if (failure === undefined) {
            resolve();
            return;
          }
          reject(failure);
          this.#end(failure.message);
        },
        reject: () => undefined,
      });
      if (this.#lost === undefined) this.#write(INIT_CONNECT, serial, body);
      else this.#onHandshakeLost(new ConnectFailure(this.#lost));
    });
  }

  /** Takes up the answer to InitConnect; returns what is wrong with it. */
  #greeted(answer: Uint8Array): ConnectFailure | undefined {
    const { introduction, rsaKey } = this.#options;
    const handshake = readHandshake(answer, introduction, rsaKey !== undefined);
    if (handshake instanceof ConnectFailure) return handshake;
    this.#cipher = handshake.cipher;
    this.#reader.cipher = handshake.cipher;
    this.#greeting = handshake.greeting;
    this.#beat(handshake.keepAliveMs);
    return undefined;
  }

  /** Sends KeepAlive now and then, and notices a server that says nothing any more. */
  #beat(intervalMs: number): void {
    const { clock } = this.#options;
    const silenceMax = SILENT_INTERVALS_MAX * intervalMs;
    this.#cancelBeat = clock.after(intervalMs * KEEP_ALIVE_SHARE, () => {
      if (this.#frameBegan !== undefined && clock.monotonic() - this.#frameBegan >= FRAME_MS_MAX) {
        this.#end(`the server took longer than ${FRAME_MS_MAX / 1000} seconds over one frame`);
        return;
      }
      const silent = clock.monotonic() - this.#heard;
      if (silent >= silenceMax && this.#unanswered >= UNANSWERED_MIN) {
        this.#end(`the server said nothing for ${Math.round(silent / 1000)} seconds`);
        return;
      }
      this.#unanswered += 1;
      const body = encodeRequest(KeepAlive, { time: BigInt(Math.floor(clock.now() / 1000)) });
      const ask = { deadline: clock.monotonic() + silenceMax };
      // The watchdog hears an answer like any other bytes, and notices the lack of one.
      this.requestBytes(KEEP_ALIVE, body, ask).catch(() => undefined);
      this.#beat(intervalMs);
    });
  }

  #nextSerial(): number {
    do this.#serial = this.#serial === SERIAL_MAX ? 1 : this.#serial + 1;
    while (this.#pending.has(this.#serial));
    return this.#serial;
  }

  /** Requests of one turn leave in one write. */
  #write(protoId: number, serial: number, body: Uint8Array): void {
    const transport = this.#transport;
    if (!this.#corked) {
      this.#corked = true;
      transport.cork();
      process.nextTick(() => {
        this.#corked = false;
        transport.uncork();
      });
    }
    transport.write(encodeFrame({ protoId, format: 'protobuf', serial, body }, this.#cipher));
  }

  #received(chunk: Buffer): void {
    if (this.#lost !== undefined) return;
    const { clock } = this.#options;
    this.#heardAt = clock.now();
    this.#heard = clock.monotonic();
    this.#unanswered = 0;
    this.#reader.push(chunk);
    while (this.#lost === undefined) {
      const read = this.#reader.next();
      if (read === undefined) {
        this.#frameBegan = this.#reader.isWithinFrame ? (this.#frameBegan ?? this.#heard) : undefined;
        return;
      }
      this.#frameBegan = undefined;
      if (!read.ok) {
        const unreadable = this.#greeting === undefined && read.error.kind === 'wrong_digest';
        const reason = unreadable
          ? 'its answer to InitConnect cannot be opened'
          : `the server sent what is no frame: ${read.error.message}`;
        this.#end(reason, unreadable ? new HandshakeUnreadable(reason) : undefined);
        return;
      }
      this.#take(read.frame);
    }
  }

  #take({ protoId, format, serial, body }: Frame): void {
    const waiting = this.#pending.take(protoId, serial);
    if (waiting !== undefined) waiting.resolve(body);
    else if (this.#greeting !== undefined) this.#pushed({ protoId, format, body });
  }

  #pushed(frame: PushFrame): void {
    const { onPush, onDefect } = this.#options;
    if (frame.body.length > PUSH_BYTES_MAX) {
      this.#end(`the server pushed ${frame.body.length} bytes at once; at most ${PUSH_BYTES_MAX} are accepted`);
      return;
    }
    try {
      onPush(frame);
    } catch (thrown) {
      onDefect(thrown);
      this.#end(`a push of protocol id ${frame.protoId} could not be taken`);
    }
  }

  /** A server that cannot decrypt InitConnect closes without a word: the reason names what may be wrong. */
  #closed(how: string): void {
    if (this.#greeting !== undefined) {
      this.#end(how);
      return;
    }
    const why = this.#options.rsaKey === undefined ? 'it may expect encryption' : 'its RSA key may be missing or another';
    this.#end(`${how} without an answer to InitConnect: ${why} (--upstream-rsa-key)`);
  }

  #end(reason: string, failure = new ConnectFailure(reason)): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    this.#cancelBeat();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#transport.destroy();
    this.#pending.fail(() => new BackendLost(`the connection was lost (${reason})`));
    if (this.#greeting === undefined) this.#onHandshakeLost?.(failure);
    else this.#options.onLost(reason);
  }
}

function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return code ?? message ?? String(thrown);
}
