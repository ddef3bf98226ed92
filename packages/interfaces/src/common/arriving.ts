import { Rejection } from '@svc-gateway/contract/rejection';

/** Bytes of one request that are never counted: a request this small is never refused for lack of room. */
const REQUEST_BYTES_FREE = 4 * 1024;
const MIB_MAX = 64;

/** Refusal of a request whose body finds no room. */
export const noRoom = new Rejection(
  'limit.bodies',
  `requests that are still coming hold ${MIB_MAX} MiB, as much as they may; this one changed nothing: send it again`,
  { retryAfterSeconds: 1 },
);

/** The memory of a listener's requests that have begun to come: nobody knows yet whose they are, and anybody can send them. */
export class Arriving {
  #left = MIB_MAX * 1024 * 1024;

  /** Starts counting a new request. */
  begin(): ArrivingRequest {
    return new ArrivingRequest((bytes) => {
      if (bytes > this.#left) return false;
      this.#left -= bytes;
      return true;
    });
  }
}

/** One request whose body is arriving. */
export class ArrivingRequest {
  #bytes = 0;
  #held = 0;

  /** @param take takes or returns this many bytes, and says whether they were available. */
  constructor(private readonly take: (bytes: number) => boolean) {}

  /** So many more bytes have come; says whether there was room for them. */
  came(bytes: number): boolean {
    this.#bytes += bytes;
    const more = this.#bytes - REQUEST_BYTES_FREE - this.#held;
    if (more <= 0) return true;
    if (!this.take(more)) return false;
    this.#held += more;
    return true;
  }

  /** Ends the count: the body is complete or aborted. */
  end(): void {
    this.take(-this.#held);
    this.#held = 0;
    this.#bytes = 0;
  }
}
