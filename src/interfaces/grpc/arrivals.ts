import { constants, type ServerHttp2Stream } from 'node:http2';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { Clock } from '../../contract/clock.js';

/** How long a request may take to come, as over HTTP. */
const ARRIVAL_MS_MAX = 30_000;
const CHECK_MS = 1_000;

/** A call, as the library has it. Its stream is the library's own: no other way ends one whose peer goes on holding it open. */
type Call = Parameters<ServerInterceptor>[1] & { readonly stream?: Pick<ServerHttp2Stream, 'close'> };
type Listener = Parameters<Call['start']>[0];
type Status = Parameters<Call['sendStatus']>[0];

/**
 * Calls whose request has begun to come and is not all there: nobody has shown a key yet. One that takes too long is answered, and
 * its stream ended; the connection and the other calls on it go on.
 */
export class Arrivals {
  /** Since when each is awaited, of the monotonic clock, oldest first. */
  readonly #awaited = new Map<Call, number>();
  readonly #clock: Clock;
  #cancelCheck: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the checks. */
  stop(): void {
    this.#cancelCheck?.();
    this.#awaited.clear();
  }

  readonly intercept: ServerInterceptor = ({ requestStream }, call) => new AwaitedCall(call, this, requestStream);

  /** The request of this call begins to come. */
  begin(call: Call): void {
    this.#awaited.set(call, this.#clock.monotonic());
    if (this.#cancelCheck === undefined) this.#checkLater();
  }

  /** It is all there, or will not come. */
  done(call: Call): void {
    this.#awaited.delete(call);
  }

  #checkLater(): void {
    this.#cancelCheck = this.#clock.after(CHECK_MS, () => {
      this.#cancelCheck = undefined;
      const before = this.#clock.monotonic() - ARRIVAL_MS_MAX;
      for (const [call, since] of this.#awaited) {
        if (since > before) break;
        this.#awaited.delete(call);
        call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: `the request did not come within ${ARRIVAL_MS_MAX / 1000} s` });
        call.stream?.close(constants.NGHTTP2_NO_ERROR);
      }
      if (this.#awaited.size > 0) this.#checkLater();
    });
  }
}

/**
 * A call that tells when its request is there, and the listener that hears of it. What comes and goes is passed straight on: the
 * steps in which the library's own builder does that cost 4 % of an order.
 */
class AwaitedCall extends ServerInterceptingCall implements Listener {
  readonly #call: Call;
  readonly #arrivals: Arrivals;
  readonly #requestStream: boolean;
  /** Who hears of the call; there once it has started, before anything comes. */
  #listener!: Listener;

  constructor(call: Call, arrivals: Arrivals, requestStream: boolean) {
    super(call);
    this.#call = call;
    this.#arrivals = arrivals;
    this.#requestStream = requestStream;
  }

  override start(listener: Listener): void {
    this.#listener = listener;
    this.#arrivals.begin(this.#call);
    this.#call.start(this);
  }

  override sendMetadata(metadata: Metadata): void {
    this.#call.sendMetadata(metadata);
  }

  override sendMessage(message: unknown, sent: () => void): void {
    this.#call.sendMessage(message, sent);
  }

  override sendStatus(status: Status): void {
    this.#call.sendStatus(status);
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.#listener.onReceiveMetadata(metadata);
  }

  onReceiveMessage(message: unknown): void {
    // Of a call that may go on asking, the first message is all that was awaited.
    if (this.#requestStream) this.#arrivals.done(this.#call);
    this.#listener.onReceiveMessage(message);
  }

  onReceiveHalfClose(): void {
    this.#arrivals.done(this.#call);
    this.#listener.onReceiveHalfClose();
  }

  onCancel(): void {
    this.#arrivals.done(this.#call);
    this.#listener.onCancel();
  }
}
