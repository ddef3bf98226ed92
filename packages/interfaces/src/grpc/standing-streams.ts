import { status } from '@grpc/grpc-js';

/** Maximum on all connections together: no key is needed to open one. */
const STANDING_MAX = 10_000;

/** Part of a streaming call that ending it needs. */
interface StandingCall {
  once(event: 'cancelled', listener: () => void): unknown;
  emit(event: 'error', error: { readonly code: status; readonly details: string }): unknown;
  end(): void;
}

/**
 * Health watches and open reflections: bounded in number, and ended when the server closes, because they would keep it
 * from closing.
 */
export class StandingStreams {
  readonly #calls = new Set<StandingCall>();

  constructor(private readonly max = STANDING_MAX) {}

  /** Wraps a handler: its calls are ended by {@link end}, and those above the maximum are refused. */
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
