import type { Detector } from './pattern.js';
import type { Series } from './series.js';

// Prices are in usual ranges of a bar: `level` is how far apart level prices may be, `depth` how far beyond the others an extreme has to be. Spans are in bars.
const BOTTOMS = { level: 1, depth: 2, apart: { least: 6, most: 60 } };
const SHOULDERS = { level: 2, depth: 1, apart: { least: 5, most: 45 } };
const TRIANGLE = { level: 0.75, rise: 1, spanMax: 80 };

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
  if (unit === 0 || Math.max(...prices) - Math.min(...prices) > BOTTOMS.level * unit) return undefined;
  let resistance = -Infinity;
  for (const [i, low] of lows.entries()) {
    const before = lows[i - 1];
    if (before === undefined) continue;
    if (low - before < BOTTOMS.apart.least || low - before > BOTTOMS.apart.most) return undefined;
    const peak = series.bar(highestBetween(series, before, low)).high;
    if (peak - Math.max(...prices) < BOTTOMS.depth * unit) return undefined;
    resistance = Math.max(resistance, peak);
  }
  return breaksOut(series, final, last, () => resistance) ? { first, breakout: resistance } : undefined;
}

/**
 * Three bottoms of which the middle one is the lowest and the others are level, completed by the first close above the line through the peaks between them (Edwards and Magee; Lo, Mamaysky and
 * Wang 2000, definition 1). Upside down, the head and shoulders top.
 */
export const inverseHeadAndShoulders: Detector = (series, last) => {
  const [left, head, right] = series.lows(last, 3) ?? [];
  if (left === undefined || head === undefined || right === undefined) return undefined;
  for (const gap of [head - left, right - head]) if (gap < SHOULDERS.apart.least || gap > SHOULDERS.apart.most) return undefined;
  const unit = series.usualRange(right);
  const [a, b, c] = [series.bar(left).low, series.bar(head).low, series.bar(right).low];
  if (unit === 0 || Math.abs(a - c) > SHOULDERS.level * unit || b > Math.min(a, c) - SHOULDERS.depth * unit) return undefined;
  const [from, to] = [highestBetween(series, left, head), highestBetween(series, head, right)];
  const [start, end] = [series.bar(from).high, series.bar(to).high];
  const neckline = (index: number) => start + ((end - start) * (index - from)) / (to - from);
  return breaksOut(series, right, last, neckline) ? { first: left, breakout: neckline(last) } : undefined;
};

/** Highs at one level and rising lows, completed by the first close above the highs (Edwards and Magee; Bulkowski, Encyclopedia of Chart Patterns). Upside down, the descending triangle. */
export const ascendingTriangle: Detector = (series, last) => {
  const highs = series.highs(last, 2);
  const lows = series.lows(last, 2);
  const [high1, high2] = highs ?? [];
  const [low1, low2] = lows ?? [];
  if (high1 === undefined || high2 === undefined || low1 === undefined || low2 === undefined) return undefined;
  const [first, final] = [Math.min(high1, low1), Math.max(high2, low2)];
  if (last - first > TRIANGLE.spanMax || low1 > high2 || high1 > low2) return undefined;
  const unit = series.usualRange(final);
  const [a, b] = [series.bar(high1).high, series.bar(high2).high];
  if (unit === 0 || Math.abs(a - b) > TRIANGLE.level * unit || series.bar(low2).low - series.bar(low1).low < TRIANGLE.rise * unit)
    return undefined;
  const resistance = Math.max(a, b);
  return breaksOut(series, final, last, () => resistance) ? { first, breakout: resistance } : undefined;
};

/** From the last turning point of a chart pattern to the bar that completes it. */
const COMPLETION_BARS_MAX = 25;

/**
 * Whether a bar is the first to close above a line since a turning point. A turning point is known three bars later, and a pattern is given up when it is not completed
 * soon.
 */
function breaksOut(series: Series, since: number, last: number, line: (index: number) => number): boolean {
  if (last - since < 4 || last - since > COMPLETION_BARS_MAX || series.bar(last).close <= line(last)) return false;
  for (let index = since; index < last; index++) if (series.bar(index).close > line(index)) return false;
  return true;
}

/** Index of the highest high strictly between two bars. */
function highestBetween(series: Series, from: number, to: number): number {
  let highest = from + 1;
  for (let index = from + 2; index < to; index++) if (series.bar(index).high > series.bar(highest).high) highest = index;
  return highest;
}
