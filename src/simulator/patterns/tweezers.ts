import type { Detector } from './pattern.js';

/** After a decline, a falling and a rising bar with the same low, to a twentieth of the usual range (Nison, ch. 6). Upside down, tweezer tops. */
export const tweezerBottom: Detector = (series, last) => {
  if (last < 1 || !series.isFalling(last - 1) || !series.isRising(last) || !series.isLong(last - 1)) return undefined;
  const isLevel = Math.abs(series.bar(last).low - series.bar(last - 1).low) <= 0.05 * series.usualRange(last);
  return isLevel && series.usualRange(last) > 0 && series.declinesBefore(last) ? { first: last - 1 } : undefined;
};
