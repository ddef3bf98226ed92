import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Address of a server. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a transport to a server: resolves when bytes can be written, rejects with the system's error. Given up, and rejected,
 * when the signal is aborted; a transport that is there by then is destroyed.
 */
export type Dial = (endpoint: Endpoint, signal: AbortSignal) => Promise<Duplex>;

/** TCP, each write sent at once. */
export const dialTcp: Dial = ({ host, port }, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, signal });
    // Whoever has the socket hears of later errors.
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });

/** "127.0.0.1:11111". */
export function addressOf({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
