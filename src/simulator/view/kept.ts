/** How long what is worked out for a whole market stands for it: its figures are those of the minute. */
const MINUTE_MS = 60_000;

/** The minute of a moment (epoch ms): names what is kept of it. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}

interface Entry<T> {
  readonly stamp: string | number;
  readonly making: Promise<T> | undefined;
  made: T | undefined;
  /** Stands for the value while that is made. */
  readonly before: T | undefined;
}

/** How a value is made, and what may stand for it meanwhile. */
export interface Making<T> {
  /** Told of what stands in meanwhile. */
  readonly make: (before: T | undefined) => T | Promise<T>;
  /** Whether the value of an earlier stamp will do for those who ask while this one is made. */
  readonly standsIn?: (earlier: T, stamp: string | number) => boolean;
}

/**
 * Values that take long to make, a bounded number of them, each kept for as long as its stamp is the same (a day, a minute): all who ask meanwhile
 * get the same one, made once.
 */
export class Kept<T extends object> {
  readonly #entries = new Map<string, Entry<T>>();

  /** @param max values kept; beyond that, the one that was made first goes. */
  constructor(private readonly max: number) {}

  /** The value, or the promise of it, or what stands in for it. What failed once is tried again. */
  get(key: string, stamp: string | number, { make, standsIn }: Making<T>): T | Promise<T> {
    const last = this.#entries.get(key);
    if (last?.stamp === stamp) return (last.made ?? last.before ?? last.making) as T | Promise<T>;
    const earlier = last?.made;
    const before = earlier !== undefined && last !== undefined && standsIn?.(earlier, last.stamp) ? earlier : undefined;
    const value = make(before);
    const entry: Entry<T> =
      value instanceof Promise
        ? { stamp, making: value, made: undefined, before }
        : { stamp, making: undefined, made: value, before: undefined };
    this.#keep(key, entry);
    if (!(value instanceof Promise)) return value;
    value.then(
      (made) => {
        entry.made = made;
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return before ?? value;
  }

  #keep(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.size >= this.max ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, entry);
  }
}
