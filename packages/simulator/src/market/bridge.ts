import { normal } from '../rng/random.js';
import type { PriceRange } from './price-range.js';

/** Two known prices and the time between them. */
export interface Span {
  /** Epoch ms. */
  readonly from: number;
  readonly until: number;
  readonly open: number;
  readonly close: number;
}

/** Half a night in pieces of half a minute. */
const DEPTH_MAX = 11;
/** Pieces that a range is looked at in. */
const PIECES = 8;

/**
 * A random walk between two known prices (a Brownian bridge), halved again and again: any moment can be had without those before it. It stands in
 * for the price of something that does not trade in a segment of time, and meets it again at the end.
 */
export class Bridge {
  readonly #root: Span & { readonly deviation: number };

  /** @param deviation of a walk as long as the whole that was not tied to its end. */
  constructor(
    private readonly key: number,
    span: Span,
    deviation: number,
  ) {
    this.#root = { ...span, deviation: deviation / 2 };
  }

  at(time: number): number {
    let { from, until, open, close, deviation } = this.#root;
    let node = 1;
    for (let depth = 0; depth < DEPTH_MAX; depth++) {
      const middle = (from + until) / 2;
      const price = (open + close) / 2 + deviation * normal(this.key, node);
      if (time < middle) [until, close, node] = [middle, price, 2 * node];
      else [from, open, node] = [middle, price, 2 * node + 1];
      deviation *= Math.SQRT1_2;
    }
    return open + (close - open) * ((time - from) / (until - from));
  }

  /** Price range of [from, until), which lies inside the bridge; extremes are exact to eight pieces. */
  range(from: number, until: number): PriceRange {
    const { from: start, until: end, open, close, deviation } = this.#root;
    const depth = Math.min(DEPTH_MAX, Math.ceil(Math.log2((PIECES * (end - start)) / Math.max(1, until - from))));
    const sum: Sum = { from, until, open: Number.NaN, close: Number.NaN, high: -Infinity, low: Infinity, area: 0 };
    this.#add(sum, start, end, open, close, 1, deviation, depth);
    return { open: sum.open, close: sum.close, high: sum.high, low: sum.low, mean: sum.area / (until - from) };
  }

  /** Adds what a piece has in the range. Numbers only: it is called for every night of years. */
  #add(sum: Sum, from: number, until: number, open: number, close: number, node: number, deviation: number, depth: number): void {
    const [start, end] = [Math.max(from, sum.from), Math.min(until, sum.until)];
    if (start >= end) return;
    if (depth === 0) {
      const slope = (close - open) / (until - from);
      const [first, last] = [open + slope * (start - from), open + slope * (end - from)];
      if (Number.isNaN(sum.open)) sum.open = first;
      sum.close = last;
      sum.high = Math.max(sum.high, first, last);
      sum.low = Math.min(sum.low, first, last);
      sum.area += ((first + last) / 2) * (end - start);
      return;
    }
    const middle = (from + until) / 2;
    const price = (open + close) / 2 + deviation * normal(this.key, node);
    const smaller = deviation * Math.SQRT1_2;
    this.#add(sum, from, middle, open, price, 2 * node, smaller, depth - 1);
    this.#add(sum, middle, until, price, close, 2 * node + 1, smaller, depth - 1);
  }
}

/** Running extremes of a range while it is being searched. */
interface Sum {
  readonly from: number;
  readonly until: number;
  open: number;
  close: number;
  high: number;
  low: number;
  /** Price × time. */
  area: number;
}
