import type { Detector } from './pattern.js';

/** After a decline, a rising body that holds all of the falling body before it (Nison, ch. 4). */
export const bullishEngulfing: Detector = (series, last) => {
  if (last < 1 || !series.isFalling(last - 1) || !series.isRising(last) || !series.declinesBefore(last)) return undefined;
  const [before, bar] = [series.bar(last - 1), series.bar(last)];
  const holds = bar.open <= before.close && bar.close >= before.open && bar.close - bar.open > before.open - before.close;
  return holds ? { first: last - 1 } : undefined;
};
