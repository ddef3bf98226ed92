import type { StreamScope, StreamsListener, StreamsLost } from './backend.js';

/** Listeners to a backend's lost and restored streams, and all of them as one. */
export class StreamListeners implements StreamsListener {
  readonly #listeners = new Set<StreamsListener>();

  /** Adds a listener and returns its removal. */
  readonly on = (listener: StreamsListener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  lost(lost: StreamsLost): void {
    for (const listener of this.#listeners) listener.lost(lost);
  }

  /** Restores for one listener after the other. */
  async restore(scope: StreamScope): Promise<void> {
    for (const listener of this.#listeners) await listener.restore(scope);
  }
}
