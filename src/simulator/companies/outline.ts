/** Whole numbers at a glance. */
export interface Outline<T = bigint> {
  /** Cut towards zero, so that it lies between the other two. */
  readonly mean: T;
  readonly low: T;
  readonly high: T;
}

/** Computes the outline of at least one value. */
export function outline(values: readonly bigint[]): Outline {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [low = 0n] = sorted;
  const sum = sorted.reduce((total, value) => total + value, 0n);
  return { mean: sum / BigInt(sorted.length), low, high: sorted.at(-1) ?? low };
}
