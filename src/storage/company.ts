/** Fewer changes than these at once are not worth a wait. */
const MANY = 8;
const STEP_MS = 1;
const STEPS_MAX = 4;

/**
 * Lets callers that wrote at once write at once again. A flush costs what dozens of rows do, and whoever was answered after the
 * last one is often about to write again: so the next waits until as many changes have come as were awaited at that time, for
 * as long as each millisecond brings some, and for four at most. Where only a few write, none waits.
 */
export class Company {
  #expected = 0;
  #expectedUntil = 0;
  #gathered = 0;
  #complete: (() => void) | undefined;

  /** One more change came that somebody waits for. */
  joined(): void {
    this.#gathered += 1;
    if (this.#gathered >= this.#expected) this.#complete?.();
  }

  /** Resolves when a flush of what has been gathered should begin; undefined where that is now. */
  gather(): Promise<void> | undefined {
    if (this.#expected < MANY || this.#gathered >= this.#expected || performance.now() >= this.#expectedUntil) return undefined;
    return this.#wait();
  }

  /** What has been gathered is being flushed: the changes that are awaited with it. */
  leave(): number {
    const left = this.#gathered;
    this.#gathered = 0;
    return left;
  }

  /** So many awaited changes are on disk. */
  flushed(count: number): void {
    this.#expected = count + this.#gathered;
    this.#expectedUntil = performance.now() + STEPS_MAX * STEP_MS;
  }

  async #wait(): Promise<void> {
    for (let step = 0; step < STEPS_MAX; step++) {
      const before = this.#gathered;
      await this.#step();
      if (this.#gathered === before || this.#gathered >= this.#expected) return;
    }
  }

  /** A millisecond, or the rest of the turn in which the last of those came who are waited for. */
  #step(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, STEP_MS);
      this.#complete = () => {
        this.#complete = undefined;
        clearTimeout(timer);
        setImmediate(resolve);
      };
    });
  }
}
