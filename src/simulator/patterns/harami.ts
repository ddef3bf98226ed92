import type { Detector } from './pattern.js';

/** After a decline, a short body inside the long falling one before it (Nison, ch. 6). */
export const bullishHarami: Detector = (series, last) => {
  if (last < 1 || !series.isFalling(last - 1) || !series.isLong(last - 1) || !series.isShort(last)) return undefined;
  const [before, bar] = [series.bar(last - 1), series.bar(last)];
  const isInside = Math.max(bar.open, bar.close) < before.open && Math.min(bar.open, bar.close) > before.close;
  return isInside && series.isRising(last) && series.declinesBefore(last) ? { first: last - 1 } : undefined;
};
