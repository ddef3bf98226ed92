import type { Series } from './series.js';

/** From the last turning point of a chart pattern to the bar that completes it. */
const COMPLETION_BARS_MAX = 25;

/**
 * Whether a bar is the first to close above a line since a turning point. A turning point is known three bars later, and a pattern is given up when it is not completed
 * soon.
 */
export function breaksOut(series: Series, since: number, last: number, line: (index: number) => number): boolean {
  if (last - since < 4 || last - since > COMPLETION_BARS_MAX || series.bar(last).close <= line(last)) return false;
  for (let index = since; index < last; index++) if (series.bar(index).close > line(index)) return false;
  return true;
}

/** Index of the highest high strictly between two bars. */
export function highestBetween(series: Series, from: number, to: number): number {
  let highest = from + 1;
  for (let index = from + 2; index < to; index++) if (series.bar(index).high > series.bar(highest).high) highest = index;
  return highest;
}
