import { catalogue } from './catalogue.js';
import type { Found, Pattern } from './pattern.js';
import type { Series } from './series.js';

/** A pattern on a series of bars, by their indices. */
export interface Occurrence extends Found {
  readonly pattern: Pattern;
  readonly last: number;
}

/** The patterns that end with the bars [from, to), in order of their last bars. Without `patterns`, every one of the catalogue. */
export function occurrences(series: Series, from: number, to: number, patterns: readonly Pattern[] = catalogue): readonly Occurrence[] {
  const found: Occurrence[] = [];
  for (let last = Math.max(0, from); last < Math.min(to, series.length); last++) {
    for (const pattern of patterns) {
      const one = pattern.detect(series, last);
      if (one !== undefined) found.push({ ...one, pattern, last });
    }
  }
  return found;
}
