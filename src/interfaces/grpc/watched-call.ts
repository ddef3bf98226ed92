import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { type Arriving, noRoom } from '../common/arriving.js';
import type { Arrivals } from './arrivals.js';
import type { CallStreams } from './call-streams.js';
import type { Connection, Connections } from './connections.js';

interface WatchOptions {
  readonly streams: CallStreams;
  readonly arrivals: Arrivals;
  readonly arriving: Arriving;
  readonly connections: Connections;
}

/** Interceptor that reports when a call's request has arrived, and when its answer has left. */
export function watchCalls({ streams, arrivals, arriving, connections }: WatchOptions): ServerInterceptor {
  return (method, call) => {
    const stream = streams.opening;
    const incoming = { call, stream };
    const request = arriving.begin();
    let connection: Connection | undefined;
    let answerBytes = 0;
    let isOver = false;
    const receive = (bytes: number) => {
      if (isOver || request.came(bytes)) return;
      isOver = true;
      arrivals.refuse(incoming, noRoom.kind.grpc, noRoom.message);
    };
    return new ServerInterceptingCall(call, {
      start(next) {
        arrivals.begin(incoming);
        stream.on('data', (part: Buffer) => receive(part.length));
        next({
          onReceiveMetadata(metadata, next) {
            connection = connections.begin(stream, metadata);
            next(metadata);
          },
          onReceiveMessage(message, next) {
            request.end();
            // A conversation may go on for long: its first message is all that is awaited.
            if (method.requestStream) arrivals.done(incoming);
            next(message);
          },
          onReceiveHalfClose(next) {
            arrivals.done(incoming);
            next();
          },
          // The library calls it at the end of every call, when the whole answer has left.
          onCancel() {
            arrivals.done(incoming);
            request.end();
            isOver = true;
            connection?.left(incoming, answerBytes);
            connection?.ended();
          },
        });
      },
      sendMessage(message: Buffer, next) {
        // The writers of streams bound what waits in them.
        if (!method.responseStream && !isOver) {
          answerBytes = message.length;
          connection?.answered(incoming, answerBytes);
        }
        next(message);
      },
    });
  };
}
