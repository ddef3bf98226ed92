import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { TlsPair } from './tls.js';

/** Address that a listener binds; port 0 = any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** How many connections it may hold of what the process may have open; a bound of its own holds too. */
  readonly connectionsMax?: number | undefined;
}

/** A listener of the daemon. */
export interface Listener {
  /** Resolves to the port; rejects with the system's error when the address cannot be had. */
  listen(address: ListenAddress): Promise<number>;
  /** Takes no more connections, answers the requests under way, and resolves when the last connection has ended. */
  close(): Promise<void>;
}

export interface TlsListener extends Listener {
  /** New connections get this certificate; those that are open go on. */
  setTls(pair: TlsPair): void;
}

/** Binds a server; resolves to its port. `onTrouble` is told of connections that could not be accepted. */
export async function listenAt(
  server: Server,
  { host, port, connectionsMax }: ListenAddress,
  onTrouble?: (error: Error) => void,
): Promise<number> {
  if (connectionsMax !== undefined) server.maxConnections = Math.min(server.maxConnections ?? Number.POSITIVE_INFINITY, connectionsMax);
  server.listen(port, host === 'localhost' ? '127.0.0.1' : host);
  await once(server, 'listening');
  const { maxConnections } = server;
  if (host === 'localhost') await listenBeside(server);
  server.on('error', (error) => onTrouble?.(error));
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  server.on('drop', () => onTrouble?.(new Error(`port ${bound} has ${maxConnections} connections, which is as many as it may hold`)));
  return bound;
}

/**
 * Has a server that listens at 127.0.0.1 take connections to ::1 as well, where the machine has that: "localhost" may be either. Its bound is
 * for both, and so are its events.
 */
async function listenBeside(server: Server): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const { allowHalfOpen } = server as Server & { readonly allowHalfOpen: boolean };
  server.maxConnections ??= Number.POSITIVE_INFINITY;
  const beside = createServer({ allowHalfOpen, noDelay: true }, (socket) => {
    server.getConnections((_error, own) => {
      if (own >= server.maxConnections) {
        socket.destroy();
        server.emit('drop');
        return;
      }
      server.maxConnections -= 1;
      socket.once('close', () => {
        server.maxConnections += 1;
      });
      server.emit('connection', socket);
    });
  });
  try {
    beside.listen(port, '::1');
    await once(beside, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return;
    server.close();
    throw error;
  }
  beside.on('error', (error) => server.emit('error', error));
  const close = server.close.bind(server);
  server.close = (closed) => {
    beside.close();
    return close(closed);
  };
}
