import type { IncomingMessage } from 'node:http';

/** What became of a request's body. `aborted`: the client went away, and nobody waits for an answer. */
export type BodyOutcome = { readonly kind: 'read'; readonly bytes: Buffer } | { readonly kind: 'too_large' } | { readonly kind: 'aborted' };

const EMPTY = Buffer.alloc(0);

/** Reads a request's body up to `bytesMax`; beyond it the rest is discarded unread. `done` is called once. */
export function readBody(request: IncomingMessage, bytesMax: number, done: (outcome: BodyOutcome) => void): void {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    request.resume();
    done({ kind: 'too_large' });
    return;
  }
  // Nearly every body comes in one piece.
  let first: Buffer = EMPTY;
  let rest: Buffer[] | undefined;
  let size = 0;
  let settled = false;
  const settle = (outcome: BodyOutcome) => {
    if (settled) return;
    settled = true;
    done(outcome);
  };
  request.on('data', (chunk: Buffer) => {
    if (settled) return;
    size += chunk.length;
    if (size > bytesMax) settle({ kind: 'too_large' });
    else if (first.length === 0) first = chunk;
    else if (rest === undefined) rest = [first, chunk];
    else rest.push(chunk);
  });
  request.on('end', () => settle({ kind: 'read', bytes: rest === undefined ? first : Buffer.concat(rest) }));
  request.on('error', () => settle({ kind: 'aborted' }));
}
