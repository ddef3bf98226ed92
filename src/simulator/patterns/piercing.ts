import type { Detector } from './pattern.js';

/** After a decline, a long falling bar and one that opens below its low and closes in the upper half of its body (Nison, ch. 4). Upside down, dark cloud cover. */
export const piercingLine: Detector = (series, last) => {
  if (last < 1 || !series.isFalling(last - 1) || !series.isLong(last - 1) || !series.isRising(last)) return undefined;
  const [before, bar] = [series.bar(last - 1), series.bar(last)];
  const middle = (before.open + before.close) / 2;
  const pierces = bar.open < before.close && bar.close > middle && bar.close < before.open;
  return pierces && series.declinesBefore(last) ? { first: last - 1 } : undefined;
};
