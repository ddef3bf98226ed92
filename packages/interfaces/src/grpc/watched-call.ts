import type { ServerHttp2Stream } from 'node:http2';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Arriving, noRoom } from '../common/arriving.js';
import type { Arrivals } from './arrivals.js';
import type { CallStreams } from './call-streams.js';
import type { Connection, Connections } from './connections.js';

interface WatchOptions {
  readonly streams: CallStreams;
  readonly arrivals: Arrivals;
  readonly arriving: Arriving;
  readonly connections: Connections;
  /** Called for a request that was refused before any handler had it. */
  readonly onRefused: (call: UnreadCall, rejection: Rejection) => void;
}

/** A call that no handler was given. */
export interface UnreadCall {
  readonly metadata: Metadata;
  /** "/svc.v1.Gateway/Request". */
  readonly path: string;
  /** "127.0.0.1:50000". */
  readonly peer: string;
}

/** Interceptor that reports when a call's request has arrived, and when its answer has left. */
export function watchCalls({ streams, arrivals, arriving, connections, onRefused }: WatchOptions): ServerInterceptor {
  return (method, call) => {
    const stream = streams.opening;
    const incoming = { call, stream };
    const request = arriving.begin();
    let connection: Connection | undefined;
    /** Metadata of a call until its request has come as a whole. */
    let unread: Metadata | undefined;
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
            unread = metadata;
            next(metadata);
          },
          onReceiveMessage(message, next) {
            request.end();
            unread = undefined;
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
            const rejection = unread && refusalOn(stream);
            if (unread !== undefined && rejection !== undefined)
              onRefused({ metadata: unread, path: method.path, peer: call.getPeer() }, rejection);
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

/** Refusal of a request for its size, by the status that its stream has sent: the library refuses one that is too long by itself. */
function refusalOn({ sentHeaders, sentTrailers }: ServerHttp2Stream): Rejection | undefined {
  const { 'grpc-status': code, 'grpc-message': message } = { ...sentHeaders, ...sentTrailers };
  if (Number(code) !== status.RESOURCE_EXHAUSTED) return undefined;
  return message === encodeURI(noRoom.message) ? noRoom : new Rejection('request.too_large', decodeURI(String(message)));
}
