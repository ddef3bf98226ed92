import type { KeyObject } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '@svc-gateway/contract/clock';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Peer } from '@svc-gateway/gateway';
import { peerAt } from '../common/callers.js';
import { type ListenAddress, type Listener, listenAt } from '../common/listen.js';
import { Connections } from './connections.js';
import { TcpConnection } from './tcp-connection.js';
import type { TcpService } from './tcp-service.js';

export interface TcpEndpointOptions {
  /** Answers the requests. */
  readonly service: TcpService;
  readonly clock: Clock;
  /** Something that should not have happened. */
  readonly onDefect: (error: unknown) => void;
  /** Both sides have it: bodies are encrypted. */
  readonly rsaKey?: KeyObject;
  /** Default 10,000. */
  readonly maxConnections?: number;
  /** A client's first frame cannot be opened: most often the RSA keys of the two sides differ. Told once a minute at most. */
  readonly onUnreadable?: (reason: string) => void;
  /** Told of connections that could not be accepted. */
  readonly onTrouble?: (error: Error) => void;
}

/** A stranger's frames do not fill a log. */
const UNREADABLE_MS = 60_000;

/** The listener of core TCP: the public protocol's frames, for its published clients. */
export class TcpEndpoint implements Listener {
  readonly #server: Server;
  readonly #connections: Connections;
  /** When {@link TcpEndpointOptions.onUnreadable} was told, of the monotonic clock. */
  #unreadableAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: TcpEndpointOptions) {
    this.#connections = new Connections(options.clock, options.maxConnections);
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Resolves to the port; rejects with the system's error when the address cannot be had. */
  listen(address: ListenAddress): Promise<number> {
    return listenAt(this.#server, address, this.options.onTrouble);
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
    const { service, clock, onDefect, rsaKey } = this.options;
    const peer = peerAt(socket.remoteAddress);
    const refusal = this.#refusal(peer);
    if (refusal !== undefined) {
      service.refused(peer, refusal);
      socket.destroy();
      return;
    }
    const onUnreadable = (reason: string) => this.#unreadable(reason);
    const connection = new TcpConnection({
      service,
      clock,
      onDefect,
      onUnreadable,
      socket,
      peer,
      rsaKey,
    });
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.remove(connection));
  }

  #unreadable(reason: string): void {
    const now = this.options.clock.monotonic();
    if (now - this.#unreadableAt < UNREADABLE_MS) return;
    this.#unreadableAt = now;
    this.options.onUnreadable?.(reason);
  }

  #refusal({ loopback }: Peer): Rejection | undefined {
    if (!loopback) return new Rejection('auth.origin', 'core TCP carries no credential and accepts local connections only');
    return this.#connections.full ? new Rejection('limit.connections', 'core TCP has reached its connection limit') : undefined;
  }
}
