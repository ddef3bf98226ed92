import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Caller } from '@svc-gateway/gateway';
import { peerAt } from '../common/callers.js';
import { writeError } from '../common/error-body.js';
import { HttpListener } from '../common/http-listener.js';
import type { ListenAddress, TlsListener } from '../common/listen.js';
import type { PageOrigins } from '../common/page-origins.js';
import { type SinkServer, sinkServer } from '../common/socket-sink.js';
import type { TlsPair } from '../common/tls.js';
import { checkOneToken, noSubprotocol, refuseUpgrade, tokenOf } from '../common/upgrade.js';
import { Connections } from './connections.js';
import type { CoreServices } from './services.js';
import { WsConnection, type WsConnectionOptions } from './ws-connection.js';

export interface WsEndpointOptions {
  readonly services: CoreServices;
  /** Without it the listener speaks plain HTTP. */
  readonly tls?: TlsPair;
  /** Browser pages that may connect. */
  readonly origins: PageOrigins;
  /** Default 10,000. */
  readonly maxConnections?: number;
  /** Told of connections that could not be accepted. */
  readonly onTrouble?: (error: Error) => void;
}

/** Before a handshake; beyond it the endpoint's own bound holds, which has an answer for who is too many. */
const CONNECTIONS_MAX = 10_000;
/** No request of the protocol comes near it; a longer message closes the connection with 1009. */
const MESSAGE_BYTES_MAX = 1024 * 1024;

/** The listener of the core WebSocket: the public protocol for its published JavaScript client. Any path will do. */
export class CoreWsEndpoint implements TlsListener {
  readonly #listener: HttpListener;
  readonly #webSockets: SinkServer;
  readonly #connections: Connections;

  constructor(private readonly options: WsEndpointOptions) {
    this.#connections = new Connections(options.services.clock, options.maxConnections);
    this.#webSockets = sinkServer({ maxPayload: MESSAGE_BYTES_MAX, handleProtocols: noSubprotocol });
    this.#webSockets.on('wsClientError', (error, socket, request) => {
      this.#refuse(request, socket, new Rejection('request.invalid', error.message));
    });
    this.#listener = new HttpListener({
      connectionsMax: 2 * (options.maxConnections ?? CONNECTIONS_MAX),
      onRequest: answerPlainRequest,
      onHandshake: (request, socket, head) => {
        this.#upgrade(request, socket, head);
        return 'taken';
      },
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      ...(options.onTrouble === undefined ? {} : { onTrouble: options.onTrouble }),
    });
  }

  /** Resolves to the port; rejects with the system's error when the address cannot be had. */
  listen(address: ListenAddress): Promise<number> {
    return this.#listener.listen(address);
  }

  /** New connections get this certificate. */
  setTls(pair: TlsPair): void {
    this.#listener.setTls(pair);
  }

  /** Takes no more connections and requests, and resolves when those under way are answered. */
  async finish(): Promise<void> {
    void this.#listener.close();
    await this.#connections.finish();
  }

  async close(): Promise<void> {
    await this.#connections.close();
    await this.#listener.close();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { services } = this.options;
    const onError = () => socket.destroy();
    socket.on('error', onError);
    try {
      const refusal = this.#judge(request);
      if (refusal !== undefined) {
        this.#refuse(request, socket, refusal);
        return;
      }
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        socket.off('error', onError);
        this.#accept({ services, webSocket, socket, peer: peerAt(request.socket.remoteAddress), token: tokenOf(request) });
      });
    } catch (error) {
      services.onDefect(error);
      socket.destroy();
    }
  }

  /** Apart from the handshake, which a listener made beside it would keep in memory for as long as the connection lasts. */
  #accept(options: WsConnectionOptions): void {
    const connection = new WsConnection(options);
    this.#connections.add(connection);
    options.webSocket.on('close', () => this.#connections.remove(connection));
  }

  #judge(request: IncomingMessage): Rejection | undefined {
    const { gateway } = this.options.services;
    const foreign = this.options.origins.check(request.headers, gateway);
    if (foreign !== undefined) return foreign;
    if (this.#connections.full) return new Rejection('limit.connections', 'the core WebSocket has reached its connection limit');
    const doubled = checkOneToken(request);
    if (doubled !== undefined) return doubled;
    if (tokenOf(request) === undefined) return undefined;
    const identity = gateway.identify(this.#caller(request));
    return identity instanceof Rejection ? identity : undefined;
  }

  #refuse(request: IncomingMessage, socket: Duplex, rejection: Rejection): void {
    const caller = this.#caller(request);
    this.options.services.gateway.admissions.recordRefusal(caller, rejection);
    refuseUpgrade(socket, { status: rejection.kind.http, body: writeError(rejection, caller.requestId) });
  }

  #caller(request: IncomingMessage): Caller {
    const requestId = this.options.services.nextRequestId();
    return { iface: 'core-ws', endpoint: 'connect', requestId, peer: peerAt(request.socket.remoteAddress), keyText: tokenOf(request) };
  }
}

/** Whoever comes without an upgrade is told what this port is for. */
const answerPlainRequest: RequestListener = (_request, response) => {
  response.writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket', connection: 'close' });
  response.end('This is the core WebSocket: connect with a client of the public protocol.\n');
};
