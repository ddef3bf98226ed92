import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestIds } from './callers.js';
import { peerOf } from './http.js';
import { type ListenAddress, listenAt, type TlsListener } from './listen.js';
import { takeBack } from './plain-request.js';
import { type TlsPair, tlsOptions } from './tls.js';
import { answerToUnreadable, type UnreadableError } from './unreadable.js';

export interface HttpListenerOptions {
  /** Without it the listener speaks plain HTTP. */
  readonly tls?: TlsPair;
  readonly connectionsMax: number;
  readonly onRequest: RequestListener;
  /** Takes a WebSocket handshake, or says that it is none of its own: the request is then answered without its `Upgrade`. */
  readonly onHandshake: (request: IncomingMessage, socket: Duplex, head: Buffer) => 'taken' | 'declined';
  /** Told of connections that could not be accepted. */
  readonly onTrouble?: (error: Error) => void;
}

const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;
const KEEP_ALIVE_MS = 75_000;
/** How often the limits above are looked at. */
const CHECK_MS = 1_000;
/** How long an answer may make no progress at all towards its reader. */
const UNREAD_MS_MAX = 30_000;
const UNREAD_CHECK_MS = 5_000;
/** Requests of one connection that are worked on before those ahead of them are answered. No more are read until then. */
const AHEAD_MAX = 32;
/** How long a peer that was refused may take to read why. */
const REFUSED_MS_MAX = 1_000;
/** How long a request whose head is on its way when the listener closes may take to come. */
const HEAD_MS_AT_CLOSE = 250;
/** How long requests under way may take once the listener closes; below the daemon's own limit of ten seconds. */
const CLOSE_MS_MAX = 5_000;

/** A socket's connection state, kept on the socket: it is read for each request, and a map look-up is slower. */
const CONNECTION = Symbol('connection');

interface HttpSocket extends Socket {
  [CONNECTION]?: Connection;
  /** Set by node:http while an answer drains: after the data at hand it pauses the parser. */
  _paused?: boolean;
}

/** State of one HTTP connection. */
interface Connection {
  /** Answer to the latest request. */
  answer: ServerResponse | undefined;
  /** Answer to the previous request while it is unfinished. */
  before: ServerResponse | undefined;
  /** Requests that are worked on though those ahead of them are not answered. */
  ahead: number;
  /** Pipelined requests beyond the allowed number. */
  readonly waiting: [IncomingMessage, ServerResponse][];
  /** node:http has let go of the socket, which is to speak another protocol. */
  isSwitching: boolean;
  /** The socket's counter at the last check with an unread answer. */
  bytesWritten: number;
  unreadMs: number;
  /** Further input cannot be parsed. */
  isUnreadable: boolean;
}

/**
 * An HTTP or HTTPS server on which no peer can stay without keeping to the protocol: handshake, head and body of a request, the
 * reading of its answer and the pause before the next have their time, and what is refused is closed.
 */
export class HttpListener implements TlsListener {
  readonly #ids = new RequestIds('http');
  /** Underneath: for figures. */
  readonly server: Server;
  /** Every connection there is, TLS or not, shaken hands or not. */
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Map<Duplex, Connection>();
  /** Connections that left HTTP; they are their endpoint's to close. */
  readonly #upgraded = new Set<Duplex>();
  readonly #unreadCheck: NodeJS.Timeout;
  #closed: Promise<void> | undefined;

  constructor(private readonly options: HttpListenerOptions) {
    const settings: ServerOptions = {
      headersTimeout: HEADERS_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
      // Two of a header that may stand once are no header that anybody meant: joined, neither of them counts.
      joinDuplicateHeaders: true,
    };
    const { tls, connectionsMax } = options;
    this.server = tls === undefined ? createHttpServer(settings) : (createHttpsServer({ ...settings, ...tlsOptions(tls) }) as Server);
    this.server.maxConnections = connectionsMax;
    this.server.on('connection', (socket: Socket) => this.#connected(socket));
    this.server.on(this.#shakenHands, (socket: Socket) => this.#speaksHttp(socket));
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#take(request, response));
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#upgrade(request, socket, head));
    this.server.on('clientError', (error: UnreadableError, socket) => this.#refuse(error, socket));
    this.#unreadCheck = setInterval(() => this.#closeUnread(), UNREAD_CHECK_MS).unref();
  }

  /** Resolves to the port; rejects with the system's error when the address cannot be had. */
  listen(address: ListenAddress): Promise<number> {
    return listenAt(this.server, address, this.options.onTrouble);
  }

  /** New connections get this certificate; those that are open go on. */
  setTls(pair: TlsPair): void {
    (this.server as HttpsServer).setSecureContext(tlsOptions(pair));
  }

  /**
   * Takes no more connections, lets the requests under way be answered within five seconds, and resolves when the last connection
   * has ended. Connections without a request are not waited for.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  get #shakenHands(): 'connection' | 'secureConnection' {
    return this.options.tls === undefined ? 'connection' : 'secureConnection';
  }

  #connected(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #speaksHttp(socket: HttpSocket): void {
    if (this.#connections.has(socket)) return;
    const connection: Connection = {
      answer: undefined,
      before: undefined,
      ahead: 0,
      waiting: [],
      isSwitching: false,
      bytesWritten: 0,
      unreadMs: 0,
      isUnreadable: false,
    };
    socket[CONNECTION] = connection;
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#upgraded.delete(socket);
    });
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const socket: HttpSocket = request.socket;
    const connection = socket[CONNECTION];
    if (socket._paused) {
      // Over TLS the rest of a request may have come already, and a paused parser takes it for an error. AHEAD_MAX bounds what is taken.
      socket._paused = false;
      socket.resume();
    }
    if (connection !== undefined) {
      connection.before = isUnderWay(connection.answer) ? connection.answer : undefined;
      connection.answer = response;
    }
    if (connection?.before === undefined) this.options.onRequest(request, response);
    else if (connection.ahead < AHEAD_MAX) this.#workAhead(connection, request, response);
    else this.#hold(connection, request, response);
  }

  #workAhead(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    connection.ahead += 1;
    response.once('close', () => {
      connection.ahead -= 1;
      const next = connection.waiting.shift();
      if (next === undefined || socket.destroyed) return;
      this.#workAhead(connection, ...next);
      if (connection.waiting.length === 0 && !connection.isSwitching) socket.resume();
    });
    this.options.onRequest(request, response);
  }

  /** Whoever sends and does not read would have as many answers made as it can send requests: the rest of what it sends is left with it. */
  #hold(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    connection.waiting.push([request, response]);
    if (connection.waiting.length > 1) return;
    socket.pause();
    // Reading a body resumes its connection.
    const pauseAgain = () => {
      if (connection.waiting.length > 0) socket.pause();
      else socket.off('resume', pauseAgain);
    };
    socket.on('resume', pauseAgain);
  }

  /** A wish for another protocol behind other requests has its turn when they are answered: until then the connection is theirs. */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const connection = (request.socket as HttpSocket)[CONNECTION];
    const answer = connection?.answer;
    // Not whether it is written: until it has closed, what follows on the socket would wait for its turn behind it in vain.
    if (connection === undefined || answer === undefined || answer.destroyed) {
      this.#switch(request, socket, head);
      return;
    }
    connection.isSwitching = true;
    // node:http has detached from the socket, and an unhandled error would end the process.
    const onError = () => socket.destroy();
    socket.on('error', onError);
    answer.once('close', () => {
      socket.off('error', onError);
      connection.isSwitching = false;
      if (!socket.destroyed) this.#switch(request, socket, head);
    });
  }

  #switch(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const isHandshake = request.headers.upgrade?.toLowerCase() === 'websocket';
    if (isHandshake && this.#closed === undefined) {
      this.#upgraded.add(socket);
      if (this.options.onHandshake(request, socket, head) === 'taken') return;
      this.#upgraded.delete(socket);
    }
    // A server may ignore the header (RFC 9110, section 7.8); node:http has stopped reading, and begins anew.
    takeBack(request, socket, head, (again) => {
      request.socket.unshift(again);
      this.server.emit(this.#shakenHands, request.socket);
      request.socket.resume();
    });
  }

  /** Ends a connection whose request cannot be read, or whose TLS handshake failed. What was asked before that is answered before it. */
  #refuse(error: UnreadableError, socket: Duplex): void {
    const connection = this.#connections.get(socket);
    // Without a handshake there is nobody to tell, and an end that waits for one never comes.
    if (connection === undefined || !socket.writable) {
      if (!socket.writableEnded) socket.destroy();
      return;
    }
    if (connection.isUnreadable) return;
    connection.isUnreadable = true;
    const { answer, before } = connection;
    // A request that has not come as a whole has no answer to wait for.
    const last = answer?.req.complete ? answer : before;
    if (isUnderWay(last)) last.once('close', () => this.#end(error, socket));
    else this.#end(error, socket);
  }

  #end(error: UnreadableError, socket: Duplex): void {
    if (!socket.writable) return;
    const cutOff = setTimeout(() => socket.destroy(), REFUSED_MS_MAX).unref();
    socket.once('close', () => clearTimeout(cutOff));
    socket.end(answerToUnreadable(error, this.#ids.next()));
  }

  #closeUnread(): void {
    for (const [socket, connection] of this.#connections) {
      const { answer } = connection;
      const { bytesWritten } = socket as Socket;
      // Not whether the answer has ended: of a long one the rest is written once the reader goes on.
      const isUnread = isUnderWay(answer) && socket.writableLength > 0 && bytesWritten === connection.bytesWritten;
      connection.unreadMs = isUnread ? connection.unreadMs + UNREAD_CHECK_MS : 0;
      connection.bytesWritten = bytesWritten;
      if (connection.unreadMs >= UNREAD_MS_MAX) socket.destroy();
    }
  }

  async #close(): Promise<void> {
    clearInterval(this.#unreadCheck);
    if (!this.server.listening) return;
    // A connection whose last answer is not known to be written yet counts as idle even with a new request under way; by the
    // time that immediates run, every answer that such a request followed is known to be.
    await new Promise((resolve) => setImmediate(resolve));
    const closed = once(this.server, 'close');
    this.server.close();
    const giveUp = setTimeout(() => this.#destroy(() => true), CLOSE_MS_MAX);
    const headsCome = setTimeout(() => void this.#endWhenAnswered(), HEAD_MS_AT_CLOSE);
    await closed;
    clearTimeout(giveUp);
    clearTimeout(headsCome);
  }

  async #endWhenAnswered(): Promise<void> {
    for (;;) {
      const underWay = [...this.#connections.values()].flatMap(({ answer }) => (isUnderWay(answer) ? [answer] : []));
      if (underWay.length === 0) break;
      await Promise.race([once(this.server, 'close'), Promise.all(underWay.map((answer) => once(answer, 'close')))]);
    }
    const upgraded = new Set([...this.#upgraded].map((socket) => peerOf(socket as Socket)));
    this.#destroy((socket) => !upgraded.has(peerOf(socket)));
  }

  #destroy(which: (socket: Socket) => boolean): void {
    for (const socket of this.#sockets) if (which(socket)) socket.destroy();
  }
}

function isUnderWay(answer: ServerResponse | undefined): answer is ServerResponse {
  return answer !== undefined && !answer.writableFinished && !answer.destroyed;
}
