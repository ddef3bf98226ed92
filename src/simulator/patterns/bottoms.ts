import { breaksOut, highestBetween } from './breakout.js';
import type { Detector } from './pattern.js';
import type { Series } from './series.js';

/** Bars between neighbouring bottoms. */
const APART = { least: 6, most: 60 };
/** In usual ranges of a bar: how level bottoms are, and how far the peak between them is above. */
const LEVEL = 1;
const DEEP = 2;

/**
 * Two bottoms (Edwards and Magee, Technical Analysis of Stock Trends; as extrema: Lo, Mamaysky and Wang, Foundations of Technical Analysis, 2000) at one level, completed by the first close
 * above the peak between them. Upside down, the double top.
 */
export const doubleBottom: Detector = (series, last) => bottoms(series, last, 2);

/** The same with three. Upside down, the triple top. */
export const tripleBottom: Detector = (series, last) => bottoms(series, last, 3);

function bottoms(series: Series, last: number, count: number): { first: number; breakout: number } | undefined {
  const lows = series.lows(last, count);
  const [first, final] = [lows?.[0], lows?.at(-1)];
  if (lows === undefined || first === undefined || final === undefined) return undefined;
  const unit = series.usualRange(final);
  const prices = lows.map((index) => series.bar(index).low);
  if (unit === 0 || Math.max(...prices) - Math.min(...prices) > LEVEL * unit) return undefined;
  let resistance = -Infinity;
  for (const [i, low] of lows.entries()) {
    const before = lows[i - 1];
    if (before === undefined) continue;
    if (low - before < APART.least || low - before > APART.most) return undefined;
    const peak = series.bar(highestBetween(series, before, low)).high;
    if (peak - Math.max(...prices) < DEEP * unit) return undefined;
    resistance = Math.max(resistance, peak);
  }
  return breaksOut(series, final, last, () => resistance) ? { first, breakout: resistance } : undefined;
}
