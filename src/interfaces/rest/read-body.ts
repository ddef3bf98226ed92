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
  // Nearly every body comes in one piece with its head: when the parser is through with that piece, all of it lies ready, and
  // to listen for its parts would cost more than to read it.
  process.nextTick(readWhenParsed, request, bytesMax, done);
}

function readWhenParsed(request: IncomingMessage, bytesMax: number, done: (outcome: BodyOutcome) => void): void {
  if (!request.complete) {
    gather(request, bytesMax, done);
    return;
  }
  const bytes: Buffer = request.read() ?? EMPTY;
  done(bytes.length > bytesMax ? { kind: 'too_large' } : { kind: 'read', bytes });
}

function gather(request: IncomingMessage, bytesMax: number, done: (outcome: BodyOutcome) => void): void {
  if (request.destroyed) {
    done({ kind: 'aborted' });
    return;
  }
  const parts: Buffer[] = [];
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
    else parts.push(chunk);
  });
  request.on('end', () => settle({ kind: 'read', bytes: Buffer.concat(parts) }));
  request.on('error', () => settle({ kind: 'aborted' }));
}
