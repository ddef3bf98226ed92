import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const EXHAUSTED: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE']);

/**
 * A file descriptor held in reserve: when connections have taken all others, the keys file can still be read, so that a
 * revocation takes effect.
 */
class DescriptorReserve {
  #held: number | undefined;

  /** Opens the reserved descriptor; called at start, and again after each use. */
  hold(): void {
    if (this.#held !== undefined) return;
    try {
      this.#held = openSync(devNull, 'r');
    } catch (thrown) {
      if (!isExhausted(thrown)) throw thrown;
    }
  }

  /**
   * Runs `action`, which opens one file at a time and closes it. If the system has no descriptor left, runs it once more with the
   * reserved one released.
   */
  use<T>(action: () => T): T {
    try {
      this.hold();
      return action();
    } catch (thrown) {
      if (!isExhausted(thrown) || this.#held === undefined) throw thrown;
      closeSync(this.#held);
      this.#held = undefined;
      try {
        return action();
      } finally {
        this.hold();
      }
    }
  }
}

/** Reserve of this process. */
export const descriptorReserve = new DescriptorReserve();

function isExhausted(thrown: unknown): boolean {
  return EXHAUSTED.has((thrown as NodeJS.ErrnoException | undefined)?.code);
}
