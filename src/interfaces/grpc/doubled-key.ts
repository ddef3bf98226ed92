import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/** Of the library, what it keeps to itself: no other way leads to the headers of a call as they came. */
type Listening = { readonly http2Servers: ReadonlyMap<Http2Server, unknown> };

/**
 * Makes two keys of a call none, as on every other interface. Of two `authorization` headers node:http2 would keep the first alone: here
 * they are joined, as node:http joins them, and nobody's key. To be called once the server has what it listens by.
 */
export function joinDoubledKeys(server: Server): void {
  for (const http2Server of (server as unknown as Listening).http2Servers.keys()) {
    // Before the library's own listener, which reads the same headers.
    http2Server.prependListener('stream', joinKeys);
  }
}

function joinKeys(_stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: readonly string[]): void {
  let keys: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at] === 'authorization') keys = keys === undefined ? rawHeaders[at + 1] : `${keys}, ${rawHeaders[at + 1]}`;
  }
  if (keys !== undefined) headers.authorization = keys;
}
