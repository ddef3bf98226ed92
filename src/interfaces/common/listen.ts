import { once } from 'node:events';
import type { Server } from 'node:net';
import type { TlsPair } from './tls.js';

/** Where a listener binds; port 0 = any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** What every listener of the daemon can do. */
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
export async function listenAt(server: Server, { host, port }: ListenAddress, onTrouble?: (error: Error) => void): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  server.on('error', (error) => onTrouble?.(error));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
