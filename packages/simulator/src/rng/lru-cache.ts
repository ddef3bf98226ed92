/** How often everything that is remembered was to be forgotten. */
const forgotten = { times: 0 };

/** Forgets everything that is remembered, wherever: each cache is emptied when it is next asked. All of it can be computed again. */
export function forgetAll(): void {
  forgotten.times += 1;
}

/** Values computed between two looks at the memory. */
const COMPUTED_AT_ONCE = 64;
const computed = { count: 0, look: () => {} };

/** Has `look` called now and then while values are computed: work without pauses leaves no other time for it. */
export function whileComputing(look: () => void): void {
  computed.look = look;
}

/**
 * A bounded cache of computed values. Two generations stand in for an exact LRU order: what is used moves to the young one;
 * when that is full it becomes the old one, and what was not used since is dropped. A hit costs one look-up.
 */
export class LruCache<K, V> {
  #young = new Map<K, V>();
  #old: Map<K, V> | undefined;
  #forgotten = forgotten.times;

  /** Keeps at most `2 × generationSize` values. */
  constructor(readonly generationSize: number) {}

  /** The value of `key` where it is remembered. */
  peek(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old?.get(key);
  }

  /** The value of `key`; computed when it is not remembered. */
  get(key: K, compute: () => V): V {
    if (this.#forgotten !== forgotten.times) this.#forget();
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const value = this.#old?.get(key) ?? this.#compute(compute);
    if (this.#young.size >= this.generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }

  #compute(compute: () => V): V {
    computed.count += 1;
    if (computed.count % COMPUTED_AT_ONCE === 0) computed.look();
    return compute();
  }

  #forget(): void {
    this.#forgotten = forgotten.times;
    this.#young = new Map();
    this.#old = undefined;
  }
}
