import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const EXHAUSTED: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE']);

/**
 * A file descriptor kept back for the moment when connections have taken all the others, so that the keys file can still be
 * read and a revocation takes effect. It belongs to the process: there is one.
 */
class DescriptorReserve {
  #held: number | undefined;

  /** Takes the descriptor; called at start, and again after each use. */
  hold(): void {
    if (this.#held !== undefined) return;
    try {
      this.#held = openSync(devNull, 'r');
    } catch (thrown) {
      if (!isExhausted(thrown)) throw thrown;
    }
  }

  /**
   * Runs `action`, which opens one file at a time and closes it. When the system has no descriptor left for it, it is run once more
   * with the reserve given up for so long.
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

/** The process's own. */
export const descriptorReserve = new DescriptorReserve();

function isExhausted(thrown: unknown): boolean {
  return EXHAUSTED.has((thrown as NodeJS.ErrnoException | undefined)?.code);
}
