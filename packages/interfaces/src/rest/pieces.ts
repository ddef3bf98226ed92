import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Bytes per piece of a document: about what a connection buffers for a stalled reader. */
const PIECE_BYTES = 16 * 1024;

/**
 * Ends an answer, whose head has been set, with the bytes of a document: in pieces, each once the reader has taken the one before. Whole
 * documents would be kept for everybody who asks, as often as they ask, and does not read.
 */
export async function endInPieces(response: ServerResponse, bytes: Buffer): Promise<void> {
  // Requests that do not wait for each other: what is written before its turn is kept until then. When the connection ends first, the
  // turn never comes, and nobody holds on to what waits for it.
  if (response.socket === null) await once(response, 'socket');
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (response.destroyed) return;
    if (!response.write(bytes.subarray(at, at + PIECE_BYTES))) await drainOf(response);
  }
  if (!response.destroyed) response.end();
}

/** Resolves when the client has read on, or is gone. */
export function drainOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
