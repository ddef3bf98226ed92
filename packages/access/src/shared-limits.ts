import type { Limits } from './limits.js';

/**
 * Equal limits as one object. The keys of a desk have the same ones as a rule, and what is shared stays in the processor's
 * cache, whichever of ten thousand keys the next request comes with.
 */
export class SharedLimits {
  readonly #known = new Map<string, Limits>();

  /** Begins with those of keys that are in force already. */
  constructor(keys: Iterable<{ readonly limits: Limits }>) {
    for (const { limits } of keys) this.of(limits);
  }

  of(limits: Limits): Limits {
    const text = JSON.stringify(limits, plain);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, limits);
    return limits;
  }
}

/** Lists in the order in which they were written: two orders of one list may well be two objects. */
function plain(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  return typeof value === 'bigint' ? `${value}n` : value;
}
