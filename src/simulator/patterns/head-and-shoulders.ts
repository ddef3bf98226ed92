import { breaksOut, highestBetween } from './breakout.js';
import type { Detector } from './pattern.js';

/** In usual ranges of a bar: how level the shoulders are, and how far the head is below both. */
const LEVEL = 2;
const HEAD = 1;
const APART = { least: 5, most: 45 };

/**
 * Three bottoms of which the middle one is the lowest and the others are level, completed by the first close above the line through the peaks between them (Edwards and Magee; Lo, Mamaysky and
 * Wang 2000, definition 1). Upside down, the head and shoulders top.
 */
export const inverseHeadAndShoulders: Detector = (series, last) => {
  const [left, head, right] = series.lows(last, 3) ?? [];
  if (left === undefined || head === undefined || right === undefined) return undefined;
  for (const gap of [head - left, right - head]) if (gap < APART.least || gap > APART.most) return undefined;
  const unit = series.usualRange(right);
  const [a, b, c] = [series.bar(left).low, series.bar(head).low, series.bar(right).low];
  if (unit === 0 || Math.abs(a - c) > LEVEL * unit || b > Math.min(a, c) - HEAD * unit) return undefined;
  const [from, to] = [highestBetween(series, left, head), highestBetween(series, head, right)];
  const [start, end] = [series.bar(from).high, series.bar(to).high];
  const neckline = (index: number) => start + ((end - start) * (index - from)) / (to - from);
  return breaksOut(series, right, last, neckline) ? { first: left, breakout: neckline(last) } : undefined;
};
