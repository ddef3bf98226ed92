import type { Detector } from './pattern.js';

/** A long rising body with hardly a shadow at either end (Nison, glossary; TA-Lib CDLMARUBOZU). */
export const risingMarubozu: Detector = (series, last) => {
  const { open, high, low, close } = series.bar(last);
  const least = 0.1 * series.usualRange(last);
  const isBare = high - close <= least && open - low <= least;
  return series.isRising(last) && series.isLong(last) && isBare ? { first: last } : undefined;
};
