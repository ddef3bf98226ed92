import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Address of a server. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a transport to a server: resolves when bytes can be written, rejects with the system's error. Given up, and rejected,
 * when the signal is aborted.
 */
export type Dial = (endpoint: Endpoint, signal: AbortSignal) => Promise<Duplex>;

/** TCP, each write sent at once. */
export const dialTcp: Dial = ({ host, port }, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const settle = () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
    };
    const onError = (error: Error) => {
      settle();
      reject(error);
    };
    const onAbort = () => {
      settle();
      // Ignore socket errors after the abort.
      socket.on('error', () => undefined);
      socket.destroy();
      reject(signal.reason instanceof Error ? signal.reason : new Error('given up'));
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });

/** "127.0.0.1:11111". */
export function addressOf({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
