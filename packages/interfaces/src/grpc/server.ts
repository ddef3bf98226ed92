import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations as declared } from '@svc-gateway/contract/operations';
import { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import type { Gateway } from '@svc-gateway/gateway';
import { Arriving } from '../common/arriving.js';
import { peerOf } from '../common/http.js';
import { listenAt, type TlsListener } from '../common/listen.js';
import { type TlsPair, tlsOptions } from '../common/tls.js';
import { Arrivals } from './arrivals.js';
import { CallStreams } from './call-streams.js';
import { Callers } from './caller.js';
import { Connections } from './connections.js';
import { addHealth } from './health.js';
import { PushStreams } from './push-stream.js';
import { addReflection } from './reflection.js';
import { StandingStreams } from './standing-streams.js';
import { Requests } from './unary.js';
import { watchCalls } from './watched-call.js';
import { bytes, REQUEST_PATH, SUBSCRIBE_PUSH_PATH } from './wire.js';

export interface GrpcOptions {
  readonly gateway: Gateway;
  readonly clock: Clock;
  /** Served operations; all declared ones by default. */
  readonly operations?: readonly Operation[];
  /** Without it the listener speaks plain HTTP/2. */
  readonly tls?: TlsPair;
  /** Called for connections that could not be accepted. */
  readonly onTrouble?: (error: Error) => void;
}

/** `close` accepts no more calls and answers those in flight. */
export type GrpcServer = TlsListener;

const CONNECTIONS_MAX = 10_000;
/** Time for calls in flight once the server closes; below the daemon's own limit of ten seconds. */
const CLOSE_MS_MAX = 5000;

const libraryOptions: ServerOptions = {
  // Far above any operation's body.
  'grpc.max_receive_message_length': 1024 * 1024,
  // Per connection: enough for a busy client, too few to make others wait.
  'grpc.max_concurrent_streams': 1000,
  // A dead peer is noticed within 40 seconds.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // The library's own statistics are not used here and cost a tenth of its throughput.
  'grpc.enable_channelz': 0,
};

/**
 * gRPC: `svc.v1.Gateway`, health checking and reflection. Messages pass the library as bytes, and requests go to the
 * pipeline: there are no rules here. Sockets are accepted here, with their TLS handshake, and handed to the library, so that
 * their number and the time of a handshake are bounded, a close can wait for the last of them, and the certificate can change.
 */
export function createGrpcServer({ gateway, clock, operations = declared, tls, onTrouble }: GrpcOptions): GrpcServer {
  const arrivals = new Arrivals(clock);
  const connections = new Connections(clock);
  const streams = new CallStreams();
  const callers = new Callers();
  const watched = watchCalls({
    ...{ streams, arrivals, connections, arriving: new Arriving() },
    onRefused: (call, rejection) => gateway.admissions.recordRefusal(callers.ofUnread(call), rejection),
  });
  const server = new Server({ ...libraryOptions, interceptors: [watched] });
  server.register(REQUEST_PATH, new Requests(gateway, new ProtocolIds(operations), callers, connections).handle, bytes, bytes, 'unary');
  server.register(SUBSCRIBE_PUSH_PATH, new PushStreams(gateway, callers).handle, bytes, bytes, 'serverStream');
  const standing = new StandingStreams();
  const endHealth = addHealth(server, standing, gateway);
  addReflection(server, standing, operations);

  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  streams.watch(server);
  const sockets = new Set<Socket>();
  /** Sockets in their TLS handshake, by peer. */
  const shaking = new Map<string, Socket>();
  const inject = (socket: Socket) => {
    shaking.delete(peerOf(socket));
    connections.add(socket);
    injector.injectConnection(socket);
  };
  const secure = tls === undefined ? undefined : createTlsServer({ ...tlsOptions(tls), ALPNProtocols: ['h2'], noDelay: true }, inject);
  const listener = secure ?? createServer({ noDelay: true }, inject);
  secure?.on('tlsClientError', (_error, socket) => socket.destroy());
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    const peer = peerOf(socket);
    if (secure !== undefined) shaking.set(peer, socket);
    socket.once('close', () => {
      sockets.delete(socket);
      shaking.delete(peer);
    });
  });
  listener.maxConnections = CONNECTIONS_MAX;
  return {
    listen: (address) => listenAt(listener, address, onTrouble),
    setTls(pair) {
      secure?.setSecureContext(tlsOptions(pair));
    },
    async close() {
      endHealth();
      standing.end();
      arrivals.stop();
      connections.stop();
      if (!listener.listening) return;
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of shaking.values()) socket.destroy();
      server.tryShutdown(() => undefined);
      // A call that never ends, or a peer that never reads, does not delay the daemon.
      const giveUp = setTimeout(() => {
        server.forceShutdown();
        for (const socket of sockets) socket.destroy();
      }, CLOSE_MS_MAX);
      await closed;
      clearTimeout(giveUp);
    },
  };
}
