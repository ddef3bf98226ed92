import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import type { Caller, Peer } from '../../gateway/index.js';
import { peerAt, RequestIds } from '../common/callers.js';
import { bearerOf } from '../common/http.js';

/** What unary calls and streams have in common. */
export type Call = Pick<ServerUnaryCall<unknown, unknown>, 'cancelled' | 'metadata' | 'getDeadline' | 'getPeer' | 'once' | 'off'>;

/** A class, so that a call costs one object and no function. */
class GrpcCaller implements Caller {
  readonly iface = 'grpc';
  readonly keyText: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Of performance.now(): setting the machine's clock does not move it. */
  readonly #deadline: number;

  constructor(
    private readonly call: Call,
    readonly endpoint: string,
    readonly requestId: string,
  ) {
    // One value, also of a key that was sent twice: see CallStreams.
    const authorization = textOf(call.metadata, 'authorization');
    this.keyText = authorization === undefined ? undefined : bearerOf({ authorization });
    this.idempotencyKey = textOf(call.metadata, 'idempotency-key');
    // The library counts it by the machine's clock, and it has only just come.
    this.#deadline = performance.now() + Number(call.getDeadline()) - Date.now();
  }

  /** Looked up when it is asked for, which few operations do. */
  get peer(): Peer {
    return peerOf(this.call.getPeer());
  }

  isGone(): boolean {
    // The library ends a call by a timer, which a busy turn delays: the deadline itself is looked at too.
    return this.call.cancelled || this.#deadline <= performance.now();
  }

  onGone(listener: () => void): () => void {
    this.call.once('cancelled', listener);
    return () => this.call.off('cancelled', listener);
  }

  patience(): number {
    return this.#deadline - performance.now();
  }
}

/** Makes the callers of one listener. */
export class Callers {
  readonly #ids = new RequestIds('grpc');

  of(call: Call, endpoint: string): Caller {
    return new GrpcCaller(call, endpoint, this.#ids.next());
  }
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The peer of "127.0.0.1:50000" or "::1:50000", as the library writes it. */
function peerOf(text: string): Peer {
  return peerAt(text.slice(0, Math.max(text.lastIndexOf(':'), 0)));
}
