import type { KeyObject } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { withFields } from '@svc-gateway/contract/field-path';
import { PacketIDSchema } from '@svc-gateway/contract/generated/Common_pb';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import { BackendLost, BackendTimeout, BackendUnsent, lacksPayload, type ResponseMessage, unusable } from '@svc-gateway/gateway';
import { encodeFrame, type Frame, FrameReader, plainText, rsaCipher } from '@svc-gateway/wire';
import { withDeadline } from '../requests/deadline.js';
import { encodeRequest, responseReader } from './bodies.js';
import { ConnectFailure, HandshakeUnreadable } from './connect-failure.js';
import { addressOf, type Dial, type Endpoint } from './dial.js';
import { type Greeting, INIT_CONNECT, type Introduction, initConnectBody, readHandshake } from './handshake.js';
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

/** A request that waits for its answer. */
interface Waiting {
  readonly protoId: number;
  readonly resolve: (body: Uint8Array) => void;
  readonly reject: (failure: Error) => void;
}

/**
 * One TCP connection to a server of the public protocol, from the handshake to its loss. A connection that is lost stays so:
 * {@link Session} makes another.
 */
export class ProtocolConnection implements Upstream {
  readonly #options: ConnectionOptions;
  readonly #transport: Duplex;
  readonly #reader = new FrameReader();
  /** By serial number. */
  readonly #pending = new Map<number, Waiting>();
  #cipher = plainText;
  #serial = 0;
  /** Writes that have left: the serial number of the last packet id. */
  #writes = 0;
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
  readonly #onAbort = () => this.#end('given up');

  private constructor(options: ConnectionOptions, transport: Duplex) {
    this.#options = options;
    this.#transport = transport;
    const { clock, rsaKey, signal } = options;
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
    const deadline = clock.monotonic() + OPEN_MS_MAX;
    const dialling = new AbortController();
    const dialled = dial(endpoint, dialling.signal);
    const transport = await withDeadline(clock, dialled, { deadline, signal }, (departure) => {
      dialling.abort();
      return new Error(departure === 'late' ? `no connection within ${OPEN_MS_MAX / 1000} seconds` : 'given up');
    }).catch((thrown: unknown) => {
      throw new ConnectFailure(`cannot connect to ${addressOf(endpoint)} (${reasonOf(thrown)})`);
    });
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
    const body = await this.requestBytes(protoId, encodeRequest(messages, this.#stamped(messages, c2s)), options);
    const isWrite = (options.priority ?? 'read') !== 'read';
    const tooLong = isWrite && body.length > WRITE_ANSWER_BYTES_MAX;
    const response = tooLong ? undefined : responseReader(messages)(body);
    if (response === undefined) throw unusable(name, 'with bytes that cannot be read', isWrite);
    if (lacksPayload(asked, response)) throw unusable(name, 'without the payload that it answers with', isWrite);
    return response;
  }

  async requestBytes(protoId: number, body: Uint8Array, options: RequestOptions): Promise<Uint8Array> {
    const unsent = this.#refuse(options) ?? options.lateRejection?.();
    if (unsent !== undefined) throw unsent;
    const serial = this.#nextSerial();
    const answer = new Promise<Uint8Array>((resolve, reject) => this.#pending.set(serial, { protoId, resolve, reject }));
    this.#write(protoId, serial, body);
    return withDeadline(this.#options.clock, answer, options, (departure) => {
      this.#pending.delete(serial);
      const why =
        departure === 'late' ? `the server did not answer protocol id ${protoId} in time` : 'nobody waits for the answer any more';
      return new BackendTimeout(why);
    });
  }

  /**
   * A write under the packet id that the server expects: the id of this connection, and a number that rises by one. What its caller said
   * belongs to another connection. It is a copy, as the gateway keeps the caller's own message.
   */
  #stamped({ C2SSchema }: ProtocolOperation['messages'], c2s: Message): Message {
    if (!Object.hasOwn(C2SSchema.field, 'packetID')) return c2s;
    this.#writes += 1;
    return withFields(c2s, { packetID: create(PacketIDSchema, { connID: this.greeting.connId, serialNo: this.#writes }) });
  }

  /** Ends the connection; pending requests are lost. Calls {@link ConnectionOptions.onLost}. */
  close(reason: string): void {
    this.#end(reason);
  }

  /** Reason why nothing can be sent now. */
  #refuse({ deadline, signal }: RequestOptions): BackendUnsent | undefined {
    if (this.#lost !== undefined) return new BackendUnsent(`the connection was lost (${this.#lost})`);
    if (signal?.aborted || this.#options.clock.monotonic() >= deadline) return new BackendUnsent('its time was up before it was sent');
    if (this.#pending.size >= UNDER_WAY_MAX) return new BackendUnsent(`${UNDER_WAY_MAX} requests wait for the server already`);
    if (this.#transport.writableLength > UNSENT_BYTES_MAX) return new BackendUnsent('the server does not read what it is sent');
    return undefined;
  }

  async #shakeHands(deadline: number): Promise<void> {
    const { introduction, rsaKey, clock, signal } = this.#options;
    if (signal.aborted) this.#end('given up');
    if (this.#lost !== undefined) throw new ConnectFailure(this.#lost);
    const serial = this.#nextSerial();
    const greeted = new Promise<void>((resolve, reject) => {
      // Taken up in the turn in which it comes: the next frame may be encrypted by it.
      const take = (answer: Uint8Array) => {
        const failure = this.#greeted(answer);
        if (failure === undefined) resolve();
        else {
          reject(failure);
          this.#end(failure.message);
        }
      };
      this.#pending.set(serial, { protoId: INIT_CONNECT, resolve: take, reject });
    });
    this.#write(INIT_CONNECT, serial, initConnectBody(introduction, rsaKey !== undefined));
    await withDeadline(clock, greeted, { deadline }, () => {
      const reason = 'the server did not answer InitConnect';
      this.#end(reason);
      return new ConnectFailure(reason);
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
    const waiting = this.#pending.get(serial);
    if (waiting?.protoId === protoId) {
      this.#pending.delete(serial);
      waiting.resolve(body);
    } else if (this.#greeting !== undefined) this.#pushed({ protoId, format, body });
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
    const greeted = this.#greeting !== undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(greeted ? new BackendLost(`the connection was lost (${reason})`) : failure);
    if (greeted) this.#options.onLost(reason);
  }
}

function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return code ?? message ?? String(thrown);
}
