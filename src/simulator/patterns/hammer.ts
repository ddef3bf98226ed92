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
