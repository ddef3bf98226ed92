import { constants, type ServerHttp2Stream } from 'node:http2';
import { type ServerInterceptor, status } from '@grpc/grpc-js';
import type { Clock } from '../../contract/clock.js';
import { Rounds } from './rounds.js';

/** How long a request may take to come, as over HTTP. */
const ARRIVAL_MS_MAX = 30_000;
const CHECK_MS = 1_000;

/**
 * A call, as the library has it. Its stream is the library's own: no other way ends one whose peer goes on holding it open, or tells
 * of what connection it is.
 */
export type LibraryCall = Parameters<ServerInterceptor>[1] & { readonly stream: ServerHttp2Stream };

/**
 * Calls whose request has begun to come and is not all there: nobody has shown a key yet. One that takes too long is answered, and
 * its stream ended; the connection and the other calls on it go on.
 */
export class Arrivals {
  /** Since when each is awaited, of the monotonic clock, oldest first. */
  readonly #awaited = new Map<LibraryCall, number>();
  readonly #clock: Clock;
  readonly #rounds: Rounds;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#rounds = new Rounds(clock, CHECK_MS, () => this.#look());
  }

  /** Ends the checks. */
  stop(): void {
    this.#rounds.stop();
    this.#awaited.clear();
  }

  /** The request of this call begins to come. */
  begin(call: LibraryCall): void {
    this.#awaited.set(call, this.#clock.monotonic());
    this.#rounds.begin();
  }

  /** It is all there, or will not come. */
  done(call: LibraryCall): void {
    this.#awaited.delete(call);
  }

  /** Answers a request that has not come as a whole, and ends its stream. */
  refuse(call: LibraryCall, code: status, details: string): void {
    this.#awaited.delete(call);
    call.sendStatus({ code, details });
    // In a later turn: Node 22 resets a stream that is closed while its data is read before the status has left.
    setImmediate(() => call.stream.close(constants.NGHTTP2_NO_ERROR));
  }

  #look(): boolean {
    const before = this.#clock.monotonic() - ARRIVAL_MS_MAX;
    for (const [call, since] of this.#awaited) {
      if (since > before) break;
      this.refuse(call, status.DEADLINE_EXCEEDED, `the request did not come within ${ARRIVAL_MS_MAX / 1000} s`);
    }
    return this.#awaited.size > 0;
  }
}
