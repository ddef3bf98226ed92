import type { KeyObject } from 'node:crypto';
import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import { BackendFailure, BackendUnsent } from '@svc-gateway/gateway/backend-failures';
import { packetEncAlgo } from '@svc-gateway/wire';
import { CipherUnknown, ConnectFailure, HandshakeUnreadable } from './connect-failure.js';
import { ProtocolConnection } from './connection.js';
import { addressOf, type Dial, type Endpoint } from './dial.js';
import type { Greeting } from './handshake.js';
import { Lifecycle } from './lifecycle.js';
import type { ProtocolOperation, PushFrame, RequestOptions, Upstream } from './upstream.js';

/** How to reach a server. */
export interface ServerAccess {
  readonly clock: Clock;
  /** Uniform in [0, 1); for back-off. */
  readonly random: () => number;
  readonly dial: Dial;
  /** Asked before each try. A {@link ConnectFailure} that is final ends the connection for good. */
  readonly endpoint: () => Endpoint | Promise<Endpoint>;
  /** Introduction to the server, asked before each try after {@link endpoint}. */
  readonly clientId: () => string;
  /** The private key that both sides have: bodies are encrypted. */
  readonly rsaKey?: KeyObject | undefined;
  /** Called when a try has failed, before the state changes. */
  readonly onConnectFailed?: (failure: Error) => void;
}

export interface SessionOptions extends ServerAccess {
  /**
   * Called once a connection is made, before the session is `ready`. What it throws ends this connection, and another is tried; a {@link ConnectFailure} that is final ends the session.
   */
  readonly prepare: (upstream: Upstream, greeting: Greeting) => Promise<void>;
  /** Called first when a connection that had greeted is lost; `heardAt` (epoch ms) is when the server was last heard, or last of use. */
  readonly onLost: (reason: string, heardAt: number) => void;
  readonly onPush: (frame: PushFrame) => void;
  readonly onLifecycle: () => void;
  /** Called with errors that are defects. */
  readonly onDefect: (error: unknown) => void;
}

/** Ciphers that servers know; the first is asked for first, as CBC hides repetition. */
const algorithms = [packetEncAlgo.aesCbc, packetEncAlgo.ownEcb] as const;
/** A frame may be damaged on its way; keys that differ spoil every one. */
const UNREADABLE_MAX = 3;
const BACK_OFF_MS = { first: 500, max: 30_000 } as const;
/** Time of readiness after which a loss resets the back-off. */
const SOUND_MS = 60_000;

/**
 * Keeps one connection to one server: makes it anew when it is lost, with exponential back-off and full jitter, as often as it
 * takes; a server that closes each connection soon is left alone longer and longer. Requests go to the connection that there is, and are `BackendUnsent` where there is none.
 */
export class Session implements Upstream {
  readonly lifecycle: Lifecycle;
  readonly #options: SessionOptions;
  #connection: ProtocolConnection | undefined;
  readonly #stopping = new AbortController();
  /** Tries since the last sound connection. */
  #tries = 0;
  /** Time at which the present connection became ready, of `Clock.monotonic`. */
  #readyAt: number | undefined;
  /** Last moment at which the connection being given up was good, epoch ms. */
  #goodUntil: number | undefined;
  /** Place of the cipher that is asked for, in {@link algorithms}. */
  #algorithm: 0 | 1 = 0;
  /** Consecutive handshakes with an undecipherable answer. */
  #unreadable = 0;
  #cancelWait: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.lifecycle = new Lifecycle(options.clock, options.onLifecycle);
  }

  /** Starts, or starts again after `failed`. The first try is under way when it returns. */
  start(): void {
    this.#tries = 0;
    this.#unreadable = 0;
    void this.#try('start');
  }

  /** Ends the session for good: pending requests are lost. */
  stop(): void {
    if (this.lifecycle.state === 'stopped') return;
    this.lifecycle.enter('stopped', 'stop');
    this.#cancelWait();
    // A wanted end is no loss.
    this.#connection = undefined;
    this.#stopping.abort();
  }

  /** The server's greeting on the present connection; undefined where there is none. */
  get greeting(): Greeting | undefined {
    return this.#connection?.greeting;
  }

  async request(asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<ResponseMessage> {
    return this.#reachable().request(asked, c2s, options);
  }

  async requestBytes(protoId: number, body: Uint8Array, options: RequestOptions): Promise<Uint8Array> {
    return this.#reachable().requestBytes(protoId, body, options);
  }

  /** Replaces the present connection: its server answers, but has been of no use since `from` (epoch ms). */
  renew(reason: string, from?: number): void {
    this.#goodUntil = from;
    this.#connection?.close(reason);
    this.#goodUntil = undefined;
  }

  #reachable(): ProtocolConnection {
    if (this.#connection === undefined) throw new BackendUnsent('there is no connection to the server');
    return this.#connection;
  }

  async #try(event: string): Promise<void> {
    this.lifecycle.enter('connecting', event);
    const { signal } = this.#stopping;
    let connection: ProtocolConnection | undefined;
    try {
      const endpoint = await this.#options.endpoint();
      if (signal.aborted) return;
      connection = await this.#open(endpoint, signal);
      if (signal.aborted) return;
      this.#connection = connection;
      this.#unreadable = 0;
      this.lifecycle.enter('authenticating', `connected to ${addressOf(endpoint)}`);
      await this.#options.prepare(connection, connection.greeting);
      if (this.#connection !== connection) return;
      this.#readyAt = this.#options.clock.monotonic();
      this.lifecycle.enter('ready', `connected to ${addressOf(endpoint)}`);
    } catch (thrown) {
      if (signal.aborted || this.#connection !== connection) return;
      this.#failed(thrown, connection);
    }
  }

  async #open(endpoint: Endpoint, signal: AbortSignal): Promise<ProtocolConnection> {
    const { clock, dial, clientId, rsaKey, onPush, onDefect } = this.#options;
    let opened: ProtocolConnection | undefined;
    opened = await ProtocolConnection.open({
      endpoint,
      dial,
      clock,
      introduction: { clientId: clientId(), packetEncAlgo: algorithms[this.#algorithm] },
      rsaKey,
      signal,
      onPush,
      onDefect,
      onLost: (reason) => {
        if (opened !== undefined && opened === this.#connection) this.#lost(opened, reason);
      },
    });
    // It may have been lost in the turn in which it was made.
    if (opened.lost !== undefined) throw new ConnectFailure(opened.lost);
    return opened;
  }

  #lost(connection: ProtocolConnection, reason: string): void {
    this.#connection = undefined;
    if (this.#readyAt !== undefined && this.#options.clock.monotonic() - this.#readyAt >= SOUND_MS) this.#tries = 0;
    this.#readyAt = undefined;
    this.#options.onLost(reason, Math.min(connection.heardAt, this.#goodUntil ?? Number.POSITIVE_INFINITY));
    this.#again(reason);
  }

  /** Takes up a failed try; `connection` is the one that it made, if it came so far. */
  #failed(thrown: unknown, connection: ProtocolConnection | undefined): void {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const expected = thrown instanceof ConnectFailure || thrown instanceof BackendFailure;
    if (!expected) this.#options.onDefect(thrown);
    else this.#options.onConnectFailed?.(thrown);
    if (thrown instanceof CipherUnknown) this.#algorithm = this.#algorithm === 0 ? 1 : 0;
    this.#unreadable = thrown instanceof HandshakeUnreadable ? this.#unreadable + 1 : 0;
    if (this.#unreadable >= UNREADABLE_MAX) {
      this.lifecycle.enter('failed', 'the RSA keys of the two sides differ');
    } else if (thrown instanceof ConnectFailure && thrown.final) {
      this.#connection = undefined;
      connection?.close(reason);
      if (connection !== undefined) this.#options.onLost(reason, connection.heardAt);
      this.lifecycle.enter('failed', reason);
    } else if (connection === undefined) {
      this.#again(reason);
    } else {
      connection.close(reason);
    }
  }

  #again(reason: string): void {
    const { clock, random } = this.#options;
    this.lifecycle.enter('reconnecting', reason);
    const longest = Math.min(BACK_OFF_MS.max, BACK_OFF_MS.first * 2 ** Math.min(this.#tries, 16));
    this.#tries += 1;
    this.#cancelWait = clock.after(random() * longest, () => void this.#try(`try ${this.#tries} after: ${reason}`));
  }
}
