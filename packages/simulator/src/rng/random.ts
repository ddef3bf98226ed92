/**
 * Randomness as a pure function: draw `i` of stream `key` is a hash of both, so any draw can be had without those before it.
 *
 * Only operations that IEEE 754 rounds exactly are used (no Math.exp or Math.log): every machine draws the same world.
 */

/** The 32-bit finaliser of MurmurHash3 (Austin Appleby, public domain): every input bit flips each output bit half the time. */
function finalise(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** The key of child stream `part` of stream `key`. `part` counts to 2^32 only. */
export function mix(key: number, part: number): number {
  return finalise(key ^ (Math.imul(finalise(part), 0x9e3779b1) + 0x7f4a7c15));
}

/** The key that a text names: FNV-1a over its UTF-16 units, finalised. */
export function keyOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return finalise(hash);
}

// Weyl sequence with the golden ratio, as in SplitMix (Steele, Lea, Flood 2014).
const draw = (key: number, i: number): number => finalise(key + Math.imul(i + 1, 0x9e3779b9));

/** Draw `i` of a stream, uniform in [0, 1). */
export function uniform(key: number, i: number): number {
  return (draw(key, i) >>> 0) / 2 ** 32;
}

const FOUR_BYTES_MEAN = 510;
const FOUR_BYTES_DEVIATION = Math.sqrt((4 * (256 * 256 - 1)) / 12);

/** Draw `i` of a stream, close to the standard normal distribution (the sum of four uniform bytes), within ±3.46. */
export function normal(key: number, i: number): number {
  const bits = draw(key, i);
  const sum = (bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24);
  return (sum - FOUR_BYTES_MEAN) / FOUR_BYTES_DEVIATION;
}

/** e^x to three digits for |x| < 2, by (1 + x/1024)^1024: the same on every platform, which Math.exp need not be. */
export function exponential(x: number): number {
  let power = 1 + x / 1024;
  for (let i = 0; i < 10; i++) power *= power;
  return power;
}
