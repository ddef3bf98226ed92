/** Counts of delays at a resolution of 1 ms up to 5 s, and one bucket for all that is longer. */
export class DelayHistogram {
  readonly #buckets = new Uint32Array(MS_MAX + 1);
  count = 0;
  totalMs = 0;

  add(ms: number): void {
    const bucket = Math.min(Math.floor(ms), MS_MAX);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.count += 1;
    this.totalMs += ms;
  }

  /** Delays in [begin, end) ms; an end of -1 is without bound. */
  between(begin: number, end: number): number {
    let sum = 0;
    const last = end < 0 || end > MS_MAX ? MS_MAX + 1 : end;
    for (let bucket = begin; bucket < last; bucket++) sum += this.#buckets[bucket] ?? 0;
    return sum;
  }
}

const MS_MAX = 5000;

/** The protocol's default segments: steps of 2 ms below 100, then 500, 1000, 2000 and the rest. */
export const defaultSegments: readonly number[] = [...Array.from({ length: 50 }, (_, index) => (index + 1) * 2), 500, 1000, 2000, -1];
