import { hash } from './instrument-id.js';

/** Uniform numbers in [0, 1), the same for the same key (Mulberry32). */
export function drawer(key: string): () => number {
  let [state] = hash(key);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
