/** Listeners of one kind of event, called in the order in which they were added. A listener that throws keeps the event from those after it. */
export class Emitter<Event = void> {
  readonly #listeners = new Set<(event: Event) => void>();

  /** Adds a listener and returns its removal. */
  readonly on = (listener: (event: Event) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  emit(event: Event): void {
    for (const listener of this.#listeners) listener(event);
  }
}
