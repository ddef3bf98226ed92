import { breaksOut } from './breakout.js';
import type { Detector } from './pattern.js';

/** In usual ranges of a bar: how level the highs are, and how much the lows rise. */
const LEVEL = 0.75;
const RISE = 1;
const SPAN_MAX = 80;

/** Highs at one level and rising lows, completed by the first close above the highs (Edwards and Magee; Bulkowski, Encyclopedia of Chart Patterns). Upside down, the descending triangle. */
export const ascendingTriangle: Detector = (series, last) => {
  const highs = series.highs(last, 2);
  const lows = series.lows(last, 2);
  const [high1, high2] = highs ?? [];
  const [low1, low2] = lows ?? [];
  if (high1 === undefined || high2 === undefined || low1 === undefined || low2 === undefined) return undefined;
  const [first, final] = [Math.min(high1, low1), Math.max(high2, low2)];
  if (last - first > SPAN_MAX || low1 > high2 || high1 > low2) return undefined;
  const unit = series.usualRange(final);
  const [a, b] = [series.bar(high1).high, series.bar(high2).high];
  if (unit === 0 || Math.abs(a - b) > LEVEL * unit || series.bar(low2).low - series.bar(low1).low < RISE * unit) return undefined;
  const resistance = Math.max(a, b);
  return breaksOut(series, final, last, () => resistance) ? { first, breakout: resistance } : undefined;
};
