import { normal } from '../chance/random.js';
import { joined, type PriceRange, still } from './price-range.js';

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

/** A piece of the bridge: `node` is its number in the tree, whose root is 1. */
interface Piece extends Span {
  readonly node: number;
  /** Of its middle, around the mean of its ends. */
  readonly deviation: number;
}

/**
 * A random walk between two known prices (a Brownian bridge), halved again and again: any moment can be had without those before it. It stands in
 * for the price of something that does not trade in a stretch of time, and meets it again at the end.
 */
export class Bridge {
  readonly #root: Piece;

  /** @param deviation of a walk as long as the whole that was not tied to its end. */
  constructor(
    private readonly key: number,
    span: Span,
    deviation: number,
  ) {
    this.#root = { ...span, node: 1, deviation: deviation / 2 };
  }

  at(time: number): number {
    let piece = this.#root;
    for (let depth = 0; depth < DEPTH_MAX; depth++) {
      const [left, right] = this.#halves(piece);
      piece = time < right.from ? left : right;
    }
    return within(piece, time);
  }

  /** What it does in [from, until), which lies inside it; the extremes as far as eight pieces show them. */
  range(from: number, until: number): PriceRange {
    const { from: start, until: end } = this.#root;
    const depth = Math.min(DEPTH_MAX, Math.ceil(Math.log2((PIECES * (end - start)) / Math.max(1, until - from))));
    return this.#walk(this.#root, from, until, depth) ?? still(this.at(from));
  }

  #walk(piece: Piece, from: number, until: number, depth: number): PriceRange | undefined {
    const [start, end] = [Math.max(piece.from, from), Math.min(piece.until, until)];
    if (start >= end) return undefined;
    if (depth === 0) {
      const [open, close] = [within(piece, start), within(piece, end)];
      return { open, close, high: Math.max(open, close), low: Math.min(open, close), mean: (open + close) / 2 };
    }
    const [left, right] = this.#halves(piece);
    const [first, second] = [this.#walk(left, from, until, depth - 1), this.#walk(right, from, until, depth - 1)];
    if (first === undefined || second === undefined) return first ?? second;
    return joined(first, second, (right.from - start) / (end - start));
  }

  #halves({ from, until, open, close, node, deviation }: Piece): readonly [Piece, Piece] {
    const middle = (from + until) / 2;
    const price = (open + close) / 2 + deviation * normal(this.key, node);
    const smaller = deviation * Math.SQRT1_2;
    return [
      { from, until: middle, open, close: price, node: 2 * node, deviation: smaller },
      { from: middle, until, open: price, close, node: 2 * node + 1, deviation: smaller },
    ];
  }
}

function within({ from, until, open, close }: Span, time: number): number {
  return open + (close - open) * ((time - from) / (until - from));
}
