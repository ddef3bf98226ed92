/**
 * Lists that may lag show by what they lack that something is over only together: two of them, `apartMs` or more between the moments at which they
 * were asked for. With 0 one is enough.
 */
export class Absences<K> {
  /** When the first list was asked for that lacked it, of the monotonic clock. */
  readonly #since = new Map<K, number>();

  /** Whether `key` is over, by a list that lacks it and was asked for at `askedAt`, of the monotonic clock. */
  provenBy(key: K, askedAt: number, apartMs: number): boolean {
    const since = this.#since.get(key) ?? askedAt;
    if (askedAt - since >= apartMs) {
      this.#since.delete(key);
      return true;
    }
    this.#since.set(key, since);
    return false;
  }

  /** It was listed, or nobody asks for it any more. */
  forget(key: K): void {
    this.#since.delete(key);
  }
}
