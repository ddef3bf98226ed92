import { constants, type ServerHttp2Stream } from 'node:http2';
import { type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import type { Clock } from '@svc-gateway/contract/clock';
import { PeriodicCheck } from './periodic-check.js';

/** Time for a request to arrive, as over HTTP. */
const ARRIVAL_MS_MAX = 30_000;
const CHECK_MS = 1_000;

/** A call whose request arrives. Its stream is ended here if the peer goes on holding it open. */
export interface IncomingCall {
  readonly call: Pick<ServerInterceptingCallInterface, 'sendStatus'>;
  readonly stream: ServerHttp2Stream;
}

/**
 * Calls whose request has begun to arrive and is not complete: nobody has shown a key yet. One that takes too long is
 * answered, and its stream ended; the connection and the other calls on it go on.
 */
export class Arrivals {
  /** Start of each on the monotonic clock, oldest first. */
  readonly #awaited = new Map<IncomingCall, number>();
  readonly #check: PeriodicCheck;

  constructor(private readonly clock: Clock) {
    this.#check = new PeriodicCheck(clock, CHECK_MS, () => this.#refuseLate());
  }

  /** Ends the checks. */
  stop(): void {
    this.#check.stop();
    this.#awaited.clear();
  }

  /** Begins to wait for the request of a call. */
  begin(call: IncomingCall): void {
    this.#awaited.set(call, this.clock.monotonic());
    this.#check.begin();
  }

  /** Ends the wait: the request is complete, or will not come. */
  done(call: IncomingCall): void {
    this.#awaited.delete(call);
  }

  /** Answers a request that is not complete, and ends its stream. */
  refuse(incoming: IncomingCall, code: status, details: string): void {
    this.#awaited.delete(incoming);
    incoming.call.sendStatus({ code, details });
    // In a later turn: Node 22 resets a stream that is closed while its data is read before the status has left.
    setImmediate(() => incoming.stream.close(constants.NGHTTP2_NO_ERROR));
  }

  #refuseLate(): boolean {
    const before = this.clock.monotonic() - ARRIVAL_MS_MAX;
    for (const [call, since] of this.#awaited) {
      if (since > before) break;
      this.refuse(call, status.DEADLINE_EXCEEDED, `the request did not come within ${ARRIVAL_MS_MAX / 1000} s`);
    }
    return this.#awaited.size > 0;
  }
}
