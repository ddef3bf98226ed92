import { bullishHarami } from './harami.js';
import type { Detector } from './pattern.js';

/** A bullish harami and a bar that closes above its long body's open (Morris, Candlestick Charting Explained; TA-Lib CDL3INSIDE). */
export const threeInsideUp: Detector = (series, last) => {
  if (last < 2 || bullishHarami(series, last - 1) === undefined) return undefined;
  return series.isRising(last) && series.bar(last).close > series.bar(last - 2).open ? { first: last - 2 } : undefined;
};
