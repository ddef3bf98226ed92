import * as sequences from './bar-sequences.js';
import { ascendingTriangle, doubleBottom, inverseHeadAndShoulders, tripleBottom } from './chart-patterns.js';
import { type Detector, type Found, mirrored, type Pattern, type PatternColor } from './pattern.js';
import type { Series } from './series.js';
import { doji, dragonfly, hammer, hangingMan, risingMarubozu } from './single-bars.js';

/** Definitions by the number of the pattern. */
const definitions: Readonly<Record<number, string>> = {
  1: 'After a decline, a small body at the top of the bar with a lower shadow of at least twice its length.',
  2: 'After a rise, a small body at the top of the bar with a lower shadow of at least twice its length.',
  3: 'After a decline, a small body at the bottom of the bar with an upper shadow of at least twice its length.',
  4: 'After a rise, a small body at the bottom of the bar with an upper shadow of at least twice its length.',
  5: 'Open and close nearly the same, with shadows on both sides.',
  6: 'Open and close nearly the same, at the high of the bar.',
  7: 'Open and close nearly the same, at the low of the bar.',
  8: 'After a decline, a rising body that holds all of the falling body before it.',
  9: 'After a rise, a falling body that holds all of the rising body before it.',
  10: 'After a decline, a short rising body inside the long falling one before it.',
  11: 'After a rise, a short falling body inside the long rising one before it.',
  12: 'After a decline, a bar that opens below the long falling body before it and closes in its upper half.',
  13: 'After a rise, a bar that opens above the long rising body before it and closes in its lower half.',
  14: 'After a decline, a long falling bar, a short body below it, and a long rising bar that closes in the upper half of the first.',
  15: 'After a rise, a long rising bar, a short body above it, and a long falling bar that closes in the lower half of the first.',
  16: 'Three long rising bars, each opening within the body before it and closing higher, near its high.',
  17: 'Three long falling bars, each opening within the body before it and closing lower, near its low.',
  18: 'A long rising body with hardly a shadow.',
  19: 'A long falling body with hardly a shadow.',
  20: 'A bullish harami and a bar that closes above its long body.',
  21: 'A bearish harami and a bar that closes below its long body.',
  22: 'After a decline, a falling and a rising bar with the same low.',
  23: 'After a rise, a rising and a falling bar with the same high.',
  24: 'A long rising bar, three short ones falling within its range, and a long one that closes above it.',
  25: 'A long falling bar, three short ones rising within its range, and a long one that closes below it.',
  101: 'Two lows at one level, and the first close above the peak between them.',
  102: 'Two highs at one level, and the first close below the trough between them.',
  103: 'Three lows at one level, and the first close above the peaks between them.',
  104: 'Three highs at one level, and the first close below the troughs between them.',
  105: 'Three lows of which the middle one is the lowest, and the first close above the line through the peaks between them.',
  106: 'Three highs of which the middle one is the highest, and the first close below the line through the troughs between them.',
  107: 'Highs at one level and rising lows, and the first close above the highs.',
  108: 'Lows at one level and falling highs, and the first close below the lows.',
};

/** A pattern of a number of bars: candlesticks have exactly so many, charts from the first to the second. */
function pattern(shape: number, name: string, color: PatternColor, bars: number | readonly [number, number], detect: Detector): Pattern {
  const [category, range] = typeof bars === 'number' ? (['candlestick', [bars, bars]] as const) : (['chart', bars] as const);
  return { shape, name, color, category, bars: range, definition: definitions[shape] ?? '', detect };
}

/** Every pattern that is looked for, by its number. */
export const catalogue: readonly Pattern[] = [
  pattern(1, 'Hammer', 'bullish', 1, hammer),
  pattern(2, 'Hanging man', 'bearish', 1, hangingMan),
  pattern(3, 'Inverted hammer', 'bullish', 1, mirrored(hangingMan)),
  pattern(4, 'Shooting star', 'bearish', 1, mirrored(hammer)),
  pattern(5, 'Doji', 'neutral', 1, doji),
  pattern(6, 'Dragonfly doji', 'bullish', 1, dragonfly),
  pattern(7, 'Gravestone doji', 'bearish', 1, mirrored(dragonfly)),
  pattern(8, 'Bullish engulfing', 'bullish', 2, sequences.bullishEngulfing),
  pattern(9, 'Bearish engulfing', 'bearish', 2, mirrored(sequences.bullishEngulfing)),
  pattern(10, 'Bullish harami', 'bullish', 2, sequences.bullishHarami),
  pattern(11, 'Bearish harami', 'bearish', 2, mirrored(sequences.bullishHarami)),
  pattern(12, 'Piercing line', 'bullish', 2, sequences.piercingLine),
  pattern(13, 'Dark cloud cover', 'bearish', 2, mirrored(sequences.piercingLine)),
  pattern(14, 'Morning star', 'bullish', 3, sequences.morningStar),
  pattern(15, 'Evening star', 'bearish', 3, mirrored(sequences.morningStar)),
  pattern(16, 'Three white soldiers', 'bullish', 3, sequences.threeWhiteSoldiers),
  pattern(17, 'Three black crows', 'bearish', 3, mirrored(sequences.threeWhiteSoldiers)),
  pattern(18, 'Rising marubozu', 'bullish', 1, risingMarubozu),
  pattern(19, 'Falling marubozu', 'bearish', 1, mirrored(risingMarubozu)),
  pattern(20, 'Three inside up', 'bullish', 3, sequences.threeInsideUp),
  pattern(21, 'Three inside down', 'bearish', 3, mirrored(sequences.threeInsideUp)),
  pattern(22, 'Tweezer bottom', 'bullish', 2, sequences.tweezerBottom),
  pattern(23, 'Tweezer top', 'bearish', 2, mirrored(sequences.tweezerBottom)),
  pattern(24, 'Rising three methods', 'bullish', 5, sequences.risingThreeMethods),
  pattern(25, 'Falling three methods', 'bearish', 5, mirrored(sequences.risingThreeMethods)),
  pattern(101, 'Double bottom', 'bullish', [11, 86], doubleBottom),
  pattern(102, 'Double top', 'bearish', [11, 86], mirrored(doubleBottom)),
  pattern(103, 'Triple bottom', 'bullish', [17, 146], tripleBottom),
  pattern(104, 'Triple top', 'bearish', [17, 146], mirrored(tripleBottom)),
  pattern(105, 'Inverse head and shoulders', 'bullish', [15, 116], inverseHeadAndShoulders),
  pattern(106, 'Head and shoulders', 'bearish', [15, 116], mirrored(inverseHeadAndShoulders)),
  pattern(107, 'Ascending triangle', 'bullish', [9, 81], ascendingTriangle),
  pattern(108, 'Descending triangle', 'bearish', [9, 81], mirrored(ascendingTriangle)),
];

/** The pattern of a number, if there is one. */
export function patternOf(shape: number): Pattern | undefined {
  return catalogue.find((pattern) => pattern.shape === shape);
}

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
