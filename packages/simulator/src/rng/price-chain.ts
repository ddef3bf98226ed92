import { exponential, mix, normal } from './random.js';

/**
 * Where a symbol's price stands day by day: octaves of value noise, each twice as slow as the one before and √2 as strong.
 * The result is a random walk up to the slowest octave's length (about a year and a half) and mean-reverting beyond it, with every day
 * computed for itself.
 */
const OCTAVES = 10;

/** Where a random walk that returns to 0 in the long run stands on day `number`. `daily` is the deviation of one day's change. */
export function walk(key: number, number: number, daily: number): number {
  let sum = 0;
  let length = 1;
  for (let octave = 0; octave < OCTAVES; octave++) {
    const stream = mix(key, octave);
    // Streams turn at different days, or every power of two would be a turning point of all.
    const position = (number + (stream & 1023)) / length;
    const turn = Math.floor(position);
    const before = normal(stream, turn);
    sum += Math.sqrt(length) * (before + (normal(stream, turn + 1) - before) * (position - turn));
    length *= 2;
  }
  // The daily changes of octave k have variance 2/2^k, together 4.
  return (sum * daily) / 2;
}

/** A known price that a path goes through: the last close of loaded history. */
export interface Anchor {
  /** Billionths. */
  readonly price: number;
  /** Days since 1970-01-01 of the close. */
  readonly number: number;
}

/** A price of day `number`, given that it was `anchor.price` on `anchor.number` (without: that the long-run mean is `price`). */
export function chainPrice(key: number, number: number, daily: number, anchor: Pick<Anchor, 'price'> & Partial<Anchor>): number {
  const base = anchor.number === undefined ? 0 : walk(key, anchor.number, daily);
  return anchor.price * exponential(walk(key, number, daily) - base);
}
