import type { IncomingMessage } from 'node:http';
import type { Arriving } from '../common/arriving.js';

/** Outcome of reading a request's body. `aborted`: the client went away, and nobody waits for an answer. */
export type BodyOutcome =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'no_room' }
  | { readonly kind: 'aborted' };

const EMPTY = Buffer.alloc(0);

/** Reads a request's body up to `bytesMax`, as far as there is room for what is `arriving`; beyond it the rest is discarded unread. `done` is called once. */
export function readBody(request: IncomingMessage, bytesMax: number, arriving: Arriving, done: (outcome: BodyOutcome) => void): void {
  const length = request.headers['content-length'];
  if (length === undefined) {
    gather(request, bytesMax, arriving, done);
    return;
  }
  const bytes = Number(length);
  if (bytes <= bytesMax) {
    process.nextTick(readWhole, request, bytes, arriving, done);
    return;
  }
  request.resume();
  done({ kind: 'too_large' });
}

/**
 * Nearly every body comes in one piece with its head, and lies ready once that piece is parsed: to listen for its parts would
 * cost more than everything else about it.
 */
function readWhole(request: IncomingMessage, bytes: number, arriving: Arriving, done: (outcome: BodyOutcome) => void): void {
  if (request.readableLength === bytes) done({ kind: 'read', bytes: request.read() ?? EMPTY });
  else gather(request, bytes, arriving, done);
}

function gather(request: IncomingMessage, bytesMax: number, arriving: Arriving, done: (outcome: BodyOutcome) => void): void {
  if (request.destroyed) {
    done({ kind: 'aborted' });
    return;
  }
  const parts: Buffer[] = [];
  let size = 0;
  let settled = false;
  const coming = arriving.begin();
  const settle = (outcome: BodyOutcome) => {
    if (settled) return;
    settled = true;
    coming.end();
    done(outcome);
    // A refused body keeps arriving; drop it.
    parts.length = 0;
  };
  request.on('data', (chunk: Buffer) => {
    if (settled) return;
    size += chunk.length;
    if (size > bytesMax) settle({ kind: 'too_large' });
    else if (coming.came(chunk.length)) parts.push(chunk);
    else settle({ kind: 'no_room' });
  });
  request.on('end', () => settle({ kind: 'read', bytes: Buffer.concat(parts) }));
  request.on('error', () => settle({ kind: 'aborted' }));
  request.on('close', () => settle({ kind: 'aborted' }));
}
