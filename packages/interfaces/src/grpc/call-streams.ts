import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/** Private field of grpc-js: nothing public leads to the raw headers of a call, nor to the stream that it came on. */
interface Internals {
  readonly http2Servers: ReadonlyMap<Http2Server, unknown>;
}

/** The HTTP/2 streams of calls, by node:http2. This is the one place that reaches behind the library. */
export class CallStreams {
  #opening: ServerHttp2Stream | undefined;

  /** Stream of the call that an interceptor is called for: the library does that while node:http2 announces the stream. */
  get opening(): ServerHttp2Stream {
    if (this.#opening === undefined) throw new Error('no stream is being opened');
    return this.#opening;
  }

  /** Watches the streams of a server that has its connection injector, ahead of the library. */
  watch(server: Server): void {
    const open = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: readonly string[]) => {
      joinKeys(headers, rawHeaders);
      this.#opening = stream;
    };
    for (const http2Server of (server as unknown as Internals).http2Servers.keys()) http2Server.prependListener('stream', open);
  }
}

/** Joins two keys of a call, as node:http does: together they are nobody's. node:http2 would keep the first. */
function joinKeys(headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
  const keys = rawHeaders.filter((_, at) => rawHeaders[at - 1] === 'authorization' && at % 2 === 1);
  if (keys.length > 1) headers.authorization = keys.join(', ');
}
