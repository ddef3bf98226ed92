import type { KeyObject } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { Rejection } from '../../contract/rejection.js';
import type { Caller, Credential, Peer } from '../../gateway/index.js';
import { peerAt } from '../common/callers.js';
import { type ListenAddress, type Listener, listenAt } from '../common/listen.js';
import { Connections } from './connections.js';
import type { CoreServices } from './services.js';
import { TcpConnection } from './tcp-connection.js';

export interface TcpEndpointOptions {
  readonly services: CoreServices;
  /** Whose connections these are: the key that the operator named, or nobody's in legacy mode. */
  readonly credential: Credential;
  /** Both sides have it: bodies are encrypted. */
  readonly rsaKey?: KeyObject;
  /** Default 10,000. */
  readonly maxConnections?: number;
  /** Told of connections that could not be accepted. */
  readonly onTrouble?: (error: Error) => void;
}

/** The listener of core TCP: the public protocol's frames, for its published clients. */
export class TcpEndpoint implements Listener {
  readonly #server: Server;
  readonly #options: TcpEndpointOptions;
  readonly #connections: Connections;

  constructor(options: TcpEndpointOptions) {
    this.#options = options;
    this.#connections = new Connections(options.services.clock, options.maxConnections);
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Resolves to the port; rejects with the system's error when the address cannot be had. */
  listen(address: ListenAddress): Promise<number> {
    return listenAt(this.#server, address, this.#options.onTrouble);
  }

  /** Takes no more connections and requests, and resolves when those under way are answered. */
  async finish(): Promise<void> {
    this.#server.close();
    await this.#connections.finish();
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #accept(socket: Socket): void {
    const { services, credential, rsaKey } = this.#options;
    const peer = peerAt(socket.remoteAddress);
    const refusal = this.#refusal(peer);
    if (refusal !== undefined) {
      const caller: Caller = { iface: 'core-tcp', endpoint: 'connect', requestId: services.nextRequestId(), peer, keyText: undefined };
      services.gateway.auditRejection(caller, refusal);
      socket.destroy();
      return;
    }
    const connection = new TcpConnection({ services, socket, peer, credential, rsaKey });
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.remove(connection));
  }

  #refusal({ loopback }: Peer): Rejection | undefined {
    if (!loopback) return new Rejection('auth.origin', 'core TCP carries no credential and accepts local connections only');
    return this.#connections.full ? new Rejection('limit.connections', 'core TCP has reached its connection limit') : undefined;
  }
}
