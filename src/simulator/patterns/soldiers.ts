import type { Detector } from './pattern.js';

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
