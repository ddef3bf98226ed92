import type { Detector } from './pattern.js';

/** A small body at the top of the range with a lower shadow of at least twice its length and hardly an upper one (Nison, Japanese Candlestick Charting Techniques, ch. 4). */
const isUmbrella: Detector = (series, last) => {
  const { open, high, low, close } = series.bar(last);
  const body = Math.abs(close - open);
  const [upper, lower] = [high - Math.max(open, close), Math.min(open, close) - low];
  const usual = series.usualRange(last);
  if (usual === 0 || body === 0 || series.isDoji(last) || !series.isShort(last)) return undefined;
  return lower >= 2 * body && upper <= 0.1 * usual ? { first: last } : undefined;
};

/** Nison, ch. 4: an umbrella after a decline. Upside down, the shooting star. */
export const hammer: Detector = (series, last) => (series.declinesBefore(last) ? isUmbrella(series, last) : undefined);

/** Nison, ch. 4: an umbrella after a rise. Upside down, the inverted hammer. */
export const hangingMan: Detector = (series, last) => (series.risesBefore(last) ? isUmbrella(series, last) : undefined);

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

/** A long rising body with hardly a shadow at either end (Nison, glossary; TA-Lib CDLMARUBOZU). */
export const risingMarubozu: Detector = (series, last) => {
  const { open, high, low, close } = series.bar(last);
  const least = 0.1 * series.usualRange(last);
  const isBare = high - close <= least && open - low <= least;
  return series.isRising(last) && series.isLong(last) && isBare ? { first: last } : undefined;
};
