/** How many there are of each key; a key of which there are none is forgotten. */
export class Tally<K> {
  readonly #counts = new Map<K, number>();

  /** Keys of which there is at least one. */
  get size(): number {
    return this.#counts.size;
  }

  of(key: K): number {
    return this.#counts.get(key) ?? 0;
  }

  has(key: K): boolean {
    return this.#counts.has(key);
  }

  /** One more, or with -1 one less: never fewer than none. */
  add(key: K, change: 1 | -1 = 1): void {
    const count = this.of(key) + change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
