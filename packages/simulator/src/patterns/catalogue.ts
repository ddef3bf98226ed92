import {
  bullishEngulfing,
  bullishHarami,
  morningStar,
  piercingLine,
  risingThreeMethods,
  threeInsideUp,
  threeWhiteSoldiers,
  tweezerBottom,
} from './bar-sequences.js';
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

function candlestick(shape: number, name: string, color: PatternColor, bars: number, detect: Detector): Pattern {
  return { shape, name, color, category: 'candlestick', bars: [bars, bars], definition: definitions[shape] ?? '', detect };
}

function chart(shape: number, name: string, color: PatternColor, bars: readonly [number, number], detect: Detector): Pattern {
  return { shape, name, color, category: 'chart', bars, definition: definitions[shape] ?? '', detect };
}

/** Every pattern that is looked for, by its number. */
export const catalogue: readonly Pattern[] = [
  candlestick(1, 'Hammer', 'bullish', 1, hammer),
  candlestick(2, 'Hanging man', 'bearish', 1, hangingMan),
  candlestick(3, 'Inverted hammer', 'bullish', 1, mirrored(hangingMan)),
  candlestick(4, 'Shooting star', 'bearish', 1, mirrored(hammer)),
  candlestick(5, 'Doji', 'neutral', 1, doji),
  candlestick(6, 'Dragonfly doji', 'bullish', 1, dragonfly),
  candlestick(7, 'Gravestone doji', 'bearish', 1, mirrored(dragonfly)),
  candlestick(8, 'Bullish engulfing', 'bullish', 2, bullishEngulfing),
  candlestick(9, 'Bearish engulfing', 'bearish', 2, mirrored(bullishEngulfing)),
  candlestick(10, 'Bullish harami', 'bullish', 2, bullishHarami),
  candlestick(11, 'Bearish harami', 'bearish', 2, mirrored(bullishHarami)),
  candlestick(12, 'Piercing line', 'bullish', 2, piercingLine),
  candlestick(13, 'Dark cloud cover', 'bearish', 2, mirrored(piercingLine)),
  candlestick(14, 'Morning star', 'bullish', 3, morningStar),
  candlestick(15, 'Evening star', 'bearish', 3, mirrored(morningStar)),
  candlestick(16, 'Three white soldiers', 'bullish', 3, threeWhiteSoldiers),
  candlestick(17, 'Three black crows', 'bearish', 3, mirrored(threeWhiteSoldiers)),
  candlestick(18, 'Rising marubozu', 'bullish', 1, risingMarubozu),
  candlestick(19, 'Falling marubozu', 'bearish', 1, mirrored(risingMarubozu)),
  candlestick(20, 'Three inside up', 'bullish', 3, threeInsideUp),
  candlestick(21, 'Three inside down', 'bearish', 3, mirrored(threeInsideUp)),
  candlestick(22, 'Tweezer bottom', 'bullish', 2, tweezerBottom),
  candlestick(23, 'Tweezer top', 'bearish', 2, mirrored(tweezerBottom)),
  candlestick(24, 'Rising three methods', 'bullish', 5, risingThreeMethods),
  candlestick(25, 'Falling three methods', 'bearish', 5, mirrored(risingThreeMethods)),
  chart(101, 'Double bottom', 'bullish', [11, 86], doubleBottom),
  chart(102, 'Double top', 'bearish', [11, 86], mirrored(doubleBottom)),
  chart(103, 'Triple bottom', 'bullish', [17, 146], tripleBottom),
  chart(104, 'Triple top', 'bearish', [17, 146], mirrored(tripleBottom)),
  chart(105, 'Inverse head and shoulders', 'bullish', [15, 116], inverseHeadAndShoulders),
  chart(106, 'Head and shoulders', 'bearish', [15, 116], mirrored(inverseHeadAndShoulders)),
  chart(107, 'Ascending triangle', 'bullish', [9, 81], ascendingTriangle),
  chart(108, 'Descending triangle', 'bearish', [9, 81], mirrored(ascendingTriangle)),
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
