import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Metadata } from '@grpc/grpc-js';
import type { Clock } from '@svc-gateway/contract/clock';
import { Rejection } from '@svc-gateway/contract/rejection';
import { peerOf } from '../common/http.js';
import { PeriodicCheck } from './periodic-check.js';

/** Interval of the checks of all connections. */
const CHECK_MS = 5_000;
/** Time for a connection to make its first call. */
const FIRST_CALL_MS_MAX = 30_000;
/** Time that a connection may have no call open. */
const IDLE_MS_MAX = 10 * 60_000;
/** Time that the answers of a connection may make no progress towards their reader, as over HTTP. */
const UNREAD_MS_MAX = 30_000;
/** Time for one answer, whatever else moves: a push stream, say. At 10 kB/s it takes less to read the most that may wait. */
const ANSWER_MS_MAX = 60 * 60_000;
/** Unread answers of one connection at which it is served no more. */
const UNREAD_MIB_MAX = 32;

const unread = new Rejection(
  'limit.unread',
  `more than ${UNREAD_MIB_MAX} MiB of answers wait to be read on this connection; this call changed nothing: read them, then call again`,
);

/** One connection: the number of its open calls, and the answers that have not left. */
export class Connection {
  /** Known since the first call. */
  session: ServerHttp2Session | undefined;
  #open = 0;
  #idleMs = 0;
  /** The check since which each answer waits, oldest first. */
  readonly #unread = new Map<object, number>();
  #unreadBytes = 0;
  #stalledMs = 0;
  /** Flow-control window of the whole connection: it stands still while nothing is read of any stream, whatever pings come. */
  #window: number | undefined;
  #checks = 0;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(private readonly socket: Socket) {}

  /** The rejection of further calls while too much waits to be read. */
  get refusal(): Rejection | undefined {
    return this.#unreadBytes < UNREAD_MIB_MAX * 1024 * 1024 ? undefined : unread;
  }

  /** Queues the making of a long answer: a connection has one made at a time. */
  inTurn(make: () => Promise<void>): void {
    this.#lastTurn = this.#lastTurn.then(make);
  }

  began(): void {
    this.#open += 1;
    this.#idleMs = 0;
  }

  ended(): void {
    this.#open -= 1;
  }

  /** Records that the answer of a call waits to be read. */
  answered(call: object, bytes: number): void {
    this.#unread.set(call, this.#checks);
    this.#unreadBytes += bytes;
  }

  /** Records that it has left, or never will. A refused call has none, and is no progress. */
  left(call: object, bytes: number): void {
    if (!this.#unread.delete(call)) return;
    this.#unreadBytes -= bytes;
    this.#stalledMs = 0;
  }

  /** Closes the connection if its peer does not use it. */
  check(): void {
    this.#checks += 1;
    this.#idleMs = this.#open === 0 ? this.#idleMs + CHECK_MS : 0;
    if (this.session === undefined) {
      if (this.#idleMs >= FIRST_CALL_MS_MAX) this.socket.destroy();
      return;
    }
    if (this.#idleMs >= IDLE_MS_MAX) this.session.close();
    const [oldest] = this.#unread.values();
    if (oldest === undefined) {
      this.#stalledMs = 0;
      return;
    }
    const { remoteWindowSize } = this.session.state;
    this.#stalledMs = remoteWindowSize === this.#window ? this.#stalledMs + CHECK_MS : 0;
    this.#window = remoteWindowSize;
    if (this.#stalledMs >= UNREAD_MS_MAX || (this.#checks - oldest) * CHECK_MS >= ANSWER_MS_MAX) this.socket.destroy();
  }
}

/** All connections of the server. Those that make no call, or whose answers nobody reads, are closed. */
export class Connections {
  /** Connections by peer. */
  readonly #connections = new Map<string, Connection>();
  readonly #bySession = new WeakMap<ServerHttp2Session, Connection>();
  /** By the metadata of a call: the library hands the same object to interceptors and handlers. */
  readonly #byCall = new WeakMap<Metadata, Connection>();
  readonly #check: PeriodicCheck;

  constructor(clock: Clock) {
    this.#check = new PeriodicCheck(clock, CHECK_MS, () => {
      for (const connection of this.#connections.values()) connection.check();
      return this.#connections.size > 0;
    });
  }

  /** Ends the checks. */
  stop(): void {
    this.#check.stop();
    this.#connections.clear();
  }

  /** Adds a connection whose handshake is done. */
  add(socket: Socket): void {
    const peer = peerOf(socket);
    this.#connections.set(peer, new Connection(socket));
    socket.once('close', () => this.#connections.delete(peer));
    this.#check.begin();
  }

  /** Counts a call, which came on this stream, as open. */
  begin({ session }: ServerHttp2Stream, metadata: Metadata): Connection {
    const connection = this.#ofSession(session as ServerHttp2Session);
    connection.began();
    this.#byCall.set(metadata, connection);
    return connection;
  }

  /** The connection of a call that has begun. */
  of(metadata: Metadata): Connection {
    const connection = this.#byCall.get(metadata);
    if (connection === undefined) throw new Error('the call has not begun');
    return connection;
  }

  #ofSession(session: ServerHttp2Session): Connection {
    let connection = this.#bySession.get(session);
    if (connection === undefined) {
      const socket = session.socket as Socket;
      // A connection that has closed meanwhile is not kept.
      connection = this.#connections.get(peerOf(socket)) ?? new Connection(socket);
      connection.session = session;
      this.#bySession.set(session, connection);
    }
    return connection;
  }
}
