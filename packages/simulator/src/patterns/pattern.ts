import type { Series } from './series.js';

/** Where a pattern begins that ends with a given bar. */
export interface Found {
  /** Index of its first bar. */
  readonly first: number;
  /** Price whose crossing completed a chart pattern. */
  readonly breakout?: number;
}

/** Looks for a pattern that ends with a bar. */
export type Detector = (series: Series, last: number) => Found | undefined;

export type PatternColor = 'bullish' | 'bearish' | 'neutral';

/** A pattern of the catalogue. */
export interface Pattern {
  /** Its number, which never changes. */
  readonly shape: number;
  readonly name: string;
  readonly color: PatternColor;
  readonly category: 'candlestick' | 'chart';
  /** Fewest and most bars from first to last. */
  readonly bars: readonly [number, number];
  readonly definition: string;
  readonly detect: Detector;
}

/** The bearish counterpart of a bullish detector, and the other way round: the same on the bars upside down. */
export function mirrored(detect: Detector): Detector {
  return (series, last) => {
    const found = detect(series.mirror, last);
    return found?.breakout === undefined ? found : { ...found, breakout: -found.breakout };
  };
}
