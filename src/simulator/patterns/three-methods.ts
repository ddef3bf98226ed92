import type { Detector } from './pattern.js';

/** A long rising bar, three short ones that stay within its range and close lower each time, and a long one that closes above it (Nison, ch. 7). */
export const risingThreeMethods: Detector = (series, last) => {
  const first = last - 4;
  if (first < 0 || !series.isRising(first) || !series.isLong(first) || !series.isRising(last) || !series.isLong(last)) return undefined;
  const pole = series.bar(first);
  for (let index = first + 1; index < last; index++) {
    const { high, low, close } = series.bar(index);
    if (!series.isShort(index) || high > pole.high || low < pole.low) return undefined;
    if (index > first + 1 && close >= series.bar(index - 1).close) return undefined;
  }
  return series.bar(last).close > pole.close ? { first } : undefined;
};
