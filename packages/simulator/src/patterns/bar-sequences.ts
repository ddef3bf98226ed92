import type { Detector } from './pattern.js';

/** After a decline, a rising body that holds all of the falling body before it (Nison, ch. 4). */
export const bullishEngulfing: Detector = (series, last) => {
  if (last < 1 || !series.isFalling(last - 1) || !series.isRising(last) || !series.declinesBefore(last)) return undefined;
  const [before, bar] = [series.bar(last - 1), series.bar(last)];
  const holds = bar.open <= before.close && bar.close >= before.open && bar.close - bar.open > before.open - before.close;
  return holds ? { first: last - 1 } : undefined;
};

/** After a decline, a short body inside the long falling one before it (Nison, ch. 6). */
export const bullishHarami: Detector = (series, last) => {
  if (last < 1 || !series.isFalling(last - 1) || !series.isLong(last - 1) || !series.isShort(last)) return undefined;
  const [before, bar] = [series.bar(last - 1), series.bar(last)];
  const isInside = Math.max(bar.open, bar.close) < before.open && Math.min(bar.open, bar.close) > before.close;
  return isInside && series.isRising(last) && series.declinesBefore(last) ? { first: last - 1 } : undefined;
};

/** After a decline, a long falling bar and one that opens below its low and closes in the upper half of its body (Nison, ch. 4). Upside down, dark cloud cover. */
export const piercingLine: Detector = (series, last) => {
  if (last < 1 || !series.isFalling(last - 1) || !series.isLong(last - 1) || !series.isRising(last)) return undefined;
  const [before, bar] = [series.bar(last - 1), series.bar(last)];
  const middle = (before.open + before.close) / 2;
  const pierces = bar.open < before.close && bar.close > middle && bar.close < before.open;
  return pierces && series.declinesBefore(last) ? { first: last - 1 } : undefined;
};

/** After a decline, a falling and a rising bar with the same low, to a twentieth of the usual range (Nison, ch. 6). Upside down, tweezer tops. */
export const tweezerBottom: Detector = (series, last) => {
  if (last < 1 || !series.isFalling(last - 1) || !series.isRising(last) || !series.isLong(last - 1)) return undefined;
  const isLevel = Math.abs(series.bar(last).low - series.bar(last - 1).low) <= 0.05 * series.usualRange(last);
  return isLevel && series.usualRange(last) > 0 && series.declinesBefore(last) ? { first: last - 1 } : undefined;
};

/** After a decline, a long falling bar, a short body below it, and a rising bar that closes in the upper half of the first (Nison, ch. 5). Upside down, the evening star. */
export const morningStar: Detector = (series, last) => {
  if (last < 2 || !series.isFalling(last - 2) || !series.isLong(last - 2)) return undefined;
  if (!series.isShort(last - 1) || !series.isRising(last) || !series.isLong(last)) return undefined;
  const [first, star, bar] = [series.bar(last - 2), series.bar(last - 1), series.bar(last)];
  const isBelow = (star.open + star.close) / 2 < first.close && Math.max(star.open, star.close) < (first.open + first.close) / 2;
  const recovers = bar.close > (first.open + first.close) / 2;
  return isBelow && recovers && series.declinesBefore(last - 1) ? { first: last - 2 } : undefined;
};

/** Three long rising bars, each opening within the body before it and closing near its high, higher each time (Nison, ch. 6). Upside down, three black crows. */
export const threeWhiteSoldiers: Detector = (series, last) => {
  if (last < 2) return undefined;
  for (let index = last - 2; index <= last; index++) {
    const { high, close } = series.bar(index);
    if (!series.isRising(index) || !series.isLong(index) || high - close > 0.3 * series.usualRange(index)) return undefined;
    if (index === last - 2) continue;
    const before = series.bar(index - 1);
    const { open } = series.bar(index);
    if (open < before.open || open > before.close || close <= before.close) return undefined;
  }
  return { first: last - 2 };
};

/** A bullish harami and a bar that closes above its long body's open (Morris, Candlestick Charting Explained; TA-Lib CDL3INSIDE). */
export const threeInsideUp: Detector = (series, last) => {
  if (last < 2 || bullishHarami(series, last - 1) === undefined) return undefined;
  return series.isRising(last) && series.bar(last).close > series.bar(last - 2).open ? { first: last - 2 } : undefined;
};

/** A long rising bar, three short ones that stay within its range and close lower each time, and a long one that closes above it (Nison, ch. 7). */
export const risingThreeMethods: Detector = (series, last) => {
  const first = last - 4;
  if (first < 0 || !series.isRising(first) || !series.isLong(first) || !series.isRising(last) || !series.isLong(last)) return undefined;
  const pole = series.bar(first);
  for (let index = first + 1; index < last; index++) {
    const { high, low, close } = series.bar(index);
    if (!series.isShort(index) || high > pole.high || low < pole.low) return undefined;
    if (index > first + 1 && close >= series.bar(index - 1).close) return undefined;
  }
  return series.bar(last).close > pole.close ? { first } : undefined;
};
