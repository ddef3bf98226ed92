import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import type { Caller, Peer } from '@svc-gateway/gateway';
import { peerAt, RequestIds } from '../common/callers.js';
import { bearerOf } from '../common/http.js';
import type { UnreadCall } from './watched-call.js';

/** Common part of unary and streaming calls. */
export type Call = Pick<ServerUnaryCall<unknown, unknown>, 'cancelled' | 'metadata' | 'getDeadline' | 'getPeer' | 'once' | 'off'>;

/** Caller of one gRPC call. */
class GrpcCaller implements Caller {
  readonly iface = 'grpc';
  readonly keyText: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** On the monotonic clock (`performance.now`). */
  readonly #deadline: number;

  constructor(
    private readonly call: Call,
    readonly endpoint: string,
    readonly requestId: string,
  ) {
    this.keyText = keyTextOf(call.metadata);
    this.idempotencyKey = textOf(call.metadata, 'idempotency-key');
    // The library has the deadline by the wall clock.
    this.#deadline = performance.now() + Number(call.getDeadline()) - Date.now();
  }

  /** Computed on demand: few operations ask for it. */
  get peer(): Peer {
    return peerOf(this.call.getPeer());
  }

  isGone(): boolean {
    // The library's timer may be late in a busy event loop: check the deadline itself too.
    return this.call.cancelled || this.#deadline <= performance.now();
  }

  onGone(listener: () => void): () => void {
    this.call.once('cancelled', listener);
    return () => this.call.off('cancelled', listener);
  }

  maxWaitMs(): number {
    return this.#deadline - performance.now();
  }
}

/** Makes the callers of one listener. */
export class Callers {
  readonly #ids = new RequestIds('grpc');

  of(call: Call, endpoint: string): Caller {
    return new GrpcCaller(call, endpoint, this.#ids.next());
  }

  /** The caller of a request that was not read. */
  ofUnread({ metadata, path, peer }: UnreadCall): Caller {
    const endpoint = path.slice(path.lastIndexOf('/') + 1);
    return { iface: 'grpc', endpoint, requestId: this.#ids.next(), peer: peerOf(peer), keyText: keyTextOf(metadata) };
  }
}

/** Text of the key of a call. One that was sent twice is one joined value here: see CallStreams. */
function keyTextOf(metadata: Metadata): string | undefined {
  const authorization = textOf(metadata, 'authorization');
  return authorization === undefined ? undefined : bearerOf({ authorization });
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** Parses the library's peer text: "127.0.0.1:50000" or "::1:50000". */
function peerOf(text: string): Peer {
  return peerAt(text.slice(0, Math.max(text.lastIndexOf(':'), 0)));
}
