import { status } from '@grpc/grpc-js';

/** Whoever opens one shows no key: there is a bound to how many are kept, on all connections. */
const STANDING_MAX = 10_000;

/** A streaming call, as far as ending it needs to know it. */
interface StandingCall {
  once(event: 'cancelled', listener: () => void): unknown;
  emit(event: 'error', error: { readonly code: status; readonly details: string }): unknown;
  end(): void;
}

/**
 * Watches of the health and open reflections: bounded in number, and ended when the server closes, since left alone they would
 * keep it from closing.
 */
export class StandingStreams {
  readonly #calls = new Set<StandingCall>();

  constructor(private readonly max = STANDING_MAX) {}

  /** The same handler, whose calls are ended by {@link end}; one more than there may be is refused. */
  tracked<C extends StandingCall>(handle: (call: C) => void): (call: C) => void {
    return (call) => {
      if (this.#calls.size >= this.max) {
        call.emit('error', {
          code: status.RESOURCE_EXHAUSTED,
          details: `at most ${this.max} watches and reflections are served at a time`,
        });
        return;
      }
      this.#calls.add(call);
      call.once('cancelled', () => this.#calls.delete(call));
      handle(call);
    };
  }

  end(): void {
    for (const call of this.#calls) call.end();
  }
}
