import type { Detector } from './pattern.js';

/** Open and close nearly the same, with shadows on both sides (Nison, ch. 8). */
export const doji: Detector = (series, last) => {
  const { open, high, low, close } = series.bar(last);
  const least = 0.1 * series.usualRange(last);
  const hasShadows = high - Math.max(open, close) > least && Math.min(open, close) - low > least;
  return series.isDoji(last) && hasShadows ? { first: last } : undefined;
};

/** A doji at the high of its range: all of it below (Nison, ch. 8). Upside down, the gravestone. */
export const dragonfly: Detector = (series, last) => {
  const { open, high, low, close } = series.bar(last);
  const usual = series.usualRange(last);
  const isAtTop = high - Math.max(open, close) <= 0.1 * usual && Math.min(open, close) - low >= 0.5 * usual;
  return series.isDoji(last) && isAtTop ? { first: last } : undefined;
};
