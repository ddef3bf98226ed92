import type { Detector } from './pattern.js';

/** After a decline, a long falling bar, a short body below it, and a rising bar that closes in the upper half of the first (Nison, ch. 5). Upside down, the evening star. */
export const morningStar: Detector = (series, last) => {
  if (last < 2 || !series.isFalling(last - 2) || !series.isLong(last - 2)) return undefined;
  if (!series.isShort(last - 1) || !series.isRising(last) || !series.isLong(last)) return undefined;
  const [first, star, bar] = [series.bar(last - 2), series.bar(last - 1), series.bar(last)];
  const isBelow = (star.open + star.close) / 2 < first.close && Math.max(star.open, star.close) < (first.open + first.close) / 2;
  const recovers = bar.close > (first.open + first.close) / 2;
  return isBelow && recovers && series.declinesBefore(last - 1) ? { first: last - 2 } : undefined;
};
