/** How long what is worked out for a whole market stands for it: its figures are those of the minute. */
const MINUTE_MS = 60_000;

/** The minute of a moment (epoch ms): names what is kept of it. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}

interface Entry<T> {
  readonly stamp: string | number;
  readonly made: T;
  /** Set once the value that follows is about to be made. */
  isRenewed: boolean;
}

/** Values that take long to make, a bounded number of them, each kept for as long as its stamp is the same (a day, a minute). */
export class StampedCache<T> {
  readonly #entries = new Map<string, Entry<T>>();

  /** @param max values kept; beyond that, the one that was made first goes. */
  constructor(private readonly max: number) {}

  /**
   * @param make told of the value that stands in, where one does
   * @param standsIn whether the value of an earlier stamp will do; a new one is then made after the answer
   */
  get(key: string, stamp: string | number, make: (before?: T) => T, standsIn?: (earlier: T, stamp: string | number) => boolean): T {
    const last = this.#entries.get(key);
    if (last?.stamp === stamp) return last.made;
    if (last === undefined || standsIn?.(last.made, last.stamp) !== true) return this.#make(key, stamp, make);
    if (!last.isRenewed) {
      last.isRenewed = true;
      setImmediate(() => this.#renew(key, last, () => this.#make(key, stamp, () => make(last.made))));
    }
    return last.made;
  }

  #make(key: string, stamp: string | number, make: () => T): T {
    const made = make();
    this.#entries.delete(key);
    const [oldest] = this.#entries.size >= this.max ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { stamp, made, isRenewed: false });
    return made;
  }

  #renew(key: string, last: Entry<T>, make: () => T): void {
    if (this.#entries.get(key) !== last) return;
    try {
      make();
    } catch {
      // Whoever asks next makes it, and is told what fails.
      this.#entries.delete(key);
    }
  }
}
