/** Price range of a segment of time, in unrounded billionths. */
export interface PriceRange {
  readonly open: number;
  readonly close: number;
  readonly high: number;
  readonly low: number;
  readonly mean: number;
}

/** One after the other; `weight`: how much of the time the first takes, from 0 to 1. */
export function joined(first: PriceRange, second: PriceRange, weight: number): PriceRange {
  return {
    open: first.open,
    close: second.close,
    high: Math.max(first.high, second.high),
    low: Math.min(first.low, second.low),
    mean: first.mean * weight + second.mean * (1 - weight),
  };
}

/** Nothing but one price. */
export function still(price: number): PriceRange {
  return { open: price, close: price, high: price, low: price, mean: price };
}

export function scaled({ open, close, high, low, mean }: PriceRange, factor: number, offset = 0): PriceRange {
  return {
    open: open * factor + offset,
    close: close * factor + offset,
    high: high * factor + offset,
    low: low * factor + offset,
    mean: mean * factor + offset,
  };
}
