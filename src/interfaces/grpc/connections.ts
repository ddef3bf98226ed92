import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../../contract/clock.js';
import { Rejection } from '../../contract/rejection.js';
import { peerOf } from '../common/http.js';
import { Rounds } from './rounds.js';

/** How often all connections are looked at. */
const CHECK_MS = 5_000;
/** How long a connection may take to make its first call. */
const FIRST_CALL_MS_MAX = 30_000;
/** How long it may have no call open. */
const IDLE_MS_MAX = 10 * 60_000;
/** How long its answers may make no progress at all towards their reader, as over HTTP. */
const UNREAD_MS_MAX = 30_000;
/** How long one of them may take, whatever else moves: a push stream, say. At 10 kB/s it takes less to read all that may wait. */
const ANSWER_MS_MAX = 60 * 60_000;
/** What may wait for the reader of one connection before no more is done for it. */
const UNREAD_MIB_MAX = 32;

const unread = new Rejection(
  'limit.unread',
  `more than ${UNREAD_MIB_MAX} MiB of answers wait to be read on this connection; this call changed nothing: read them, then call again`,
);

/** Of a session, its connection: found for each call, for which a look-up in a map is dear. */
const CONNECTION = Symbol('connection');

interface Session extends ServerHttp2Session {
  [CONNECTION]?: Connection;
}

/** One connection: its calls, and those of their answers that have not left. */
export class Connection {
  /** There since the first call. */
  session: ServerHttp2Session | undefined;
  #open = 0;
  #idleMs = 0;
  /** Since which look each answer waits, oldest first. */
  readonly #unread = new Map<object, number>();
  #unreadBytes = 0;
  #stalledMs = 0;
  /** What may be sent on all streams together: it stands still while nothing is read of any, whatever pings come. */
  #window: number | undefined;
  #looks = 0;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(private readonly socket: Socket) {}

  /** Why no more is done for a peer for which as much waits as may. */
  get refusal(): Rejection | undefined {
    return this.#unreadBytes < UNREAD_MIB_MAX * 1024 * 1024 ? undefined : unread;
  }

  /** Runs this when what was to run before is done: of a connection's long answers, one is made at a time. */
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

  /** The answer of this call waits to be read. */
  answered(call: object, bytes: number): void {
    this.#unread.set(call, this.#looks);
    this.#unreadBytes += bytes;
  }

  /** It has left, or never will. A call that was refused has none, and is no progress. */
  left(call: object, bytes: number): void {
    if (!this.#unread.delete(call)) return;
    this.#unreadBytes -= bytes;
    this.#stalledMs = 0;
  }

  /** Closes the connection if its peer makes nothing of it. */
  look(): void {
    this.#looks += 1;
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
    if (this.#stalledMs >= UNREAD_MS_MAX || (this.#looks - oldest) * CHECK_MS >= ANSWER_MS_MAX) this.socket.destroy();
  }
}

/** All connections of the server. None stays that makes no call, and none whose answers nobody reads. */
export class Connections {
  /** By peer. */
  readonly #connections = new Map<string, Connection>();
  readonly #rounds: Rounds;

  constructor(clock: Clock) {
    this.#rounds = new Rounds(clock, CHECK_MS, () => {
      for (const connection of this.#connections.values()) connection.look();
      return this.#connections.size > 0;
    });
  }

  /** Ends the checks. */
  stop(): void {
    this.#rounds.stop();
    this.#connections.clear();
  }

  /** A connection whose handshake is done. */
  add(socket: Socket): void {
    const peer = peerOf(socket);
    this.#connections.set(peer, new Connection(socket));
    socket.once('close', () => this.#connections.delete(peer));
    this.#rounds.begin();
  }

  /** That of a call. */
  of(session: Session): Connection {
    let connection = session[CONNECTION];
    if (connection === undefined) {
      const socket = session.socket as Socket;
      // Of one that has closed meanwhile, nothing is kept.
      connection = this.#connections.get(peerOf(socket)) ?? new Connection(socket);
      connection.session = session;
      session[CONNECTION] = connection;
    }
    return connection;
  }
}
