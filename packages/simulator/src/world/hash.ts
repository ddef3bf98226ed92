/**
 * The stable number of a symbol: a hash, so that it does not depend on what else the world holds. Positive and below
 * 2^52, so that clients whose numbers are doubles keep it exactly. (The mixing is that of the public-domain cyrb53.)
 */
export function instrumentId(symbol: string): bigint {
  const [high, low] = hash(symbol);
  return BigInt((high & 0xf_ffff) * 0x1_0000_0000 + low);
}

/** 64 well-mixed bits of a text, as two unsigned 32-bit numbers. */
function hash(text: string): readonly [high: number, low: number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [b >>> 0, a >>> 0];
}

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
