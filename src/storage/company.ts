/** Fewer changes than these at once are not worth a wait. */
const MANY = 8;
const STEP_MS = 1;
const WAIT_MS_MAX = 8;
/**
 * How long after a flush its callers are expected back. Between it and the first of them all the others are answered, and the
 * requests that follow are read: a slow core takes several milliseconds for that.
 */
const EXPECTED_MS = 20;

/**
 * Lets callers that wrote at once write at once again. A flush costs what dozens of rows do, and whoever was answered after the
 * last one is often about to write again: so the next waits until as many changes have come as were awaited at that time, for
 * as long as each millisecond brings some, and for eight at most. Where only a few write, none waits.
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
    this.#expectedUntil = performance.now() + EXPECTED_MS;
  }

  async #wait(): Promise<void> {
    const until = performance.now() + WAIT_MS_MAX;
    for (let before = -1; before < this.#gathered && this.#gathered < this.#expected && performance.now() < until; ) {
      before = this.#gathered;
      await this.#step();
    }
  }

  /** A millisecond, or less when the last of those has come who are waited for; and then the rest of the turn. */
  #step(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#complete = undefined;
        clearTimeout(timer);
        // A turn may take longer than the timer, which then comes due before the sockets were looked at even once.
        setImmediate(resolve);
      };
      const timer = setTimeout(end, STEP_MS);
      this.#complete = end;
    });
  }
}
