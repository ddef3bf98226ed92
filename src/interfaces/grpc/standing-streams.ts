/** A streaming call, as far as ending it needs to know it. */
interface StandingCall {
  once(event: 'cancelled', listener: () => void): unknown;
  end(): void;
}

/** Ends streams when the server closes: left alone, a watch of the health or an open reflection would keep it from closing. */
export class StandingStreams {
  readonly #calls = new Set<StandingCall>();

  /** The same handler, whose calls are ended by {@link end}. */
  tracked<C extends StandingCall>(handle: (call: C) => void): (call: C) => void {
    return (call) => {
      this.#calls.add(call);
      call.once('cancelled', () => this.#calls.delete(call));
      handle(call);
    };
  }

  end(): void {
    for (const call of this.#calls) call.end();
  }
}
