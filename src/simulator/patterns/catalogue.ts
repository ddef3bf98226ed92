import { doubleBottom, tripleBottom } from './bottoms.js';
import { doji, dragonfly } from './doji.js';
import { bullishEngulfing } from './engulfing.js';
import { hammer, hangingMan } from './hammer.js';
import { bullishHarami } from './harami.js';
import { inverseHeadAndShoulders } from './head-and-shoulders.js';
import { risingMarubozu } from './marubozu.js';
import { type Detector, mirrored, type Pattern, type PatternColor } from './pattern.js';
import { piercingLine } from './piercing.js';
import { threeWhiteSoldiers } from './soldiers.js';
import { morningStar } from './star.js';
import { threeInsideUp } from './three-inside.js';
import { risingThreeMethods } from './three-methods.js';
import { ascendingTriangle } from './triangle.js';
import { tweezerBottom } from './tweezers.js';

function candles(shape: number, name: string, color: PatternColor, bars: number, detect: Detector, definition: string): Pattern {
  return { shape, name, color, category: 'candlestick', bars: [bars, bars], definition, detect };
}

function chart(
  shape: number,
  name: string,
  color: PatternColor,
  bars: readonly [number, number],
  detect: Detector,
  definition: string,
): Pattern {
  return { shape, name, color, category: 'chart', bars, definition, detect };
}

/** Every pattern that is looked for, by its number. */
export const catalogue: readonly Pattern[] = [
  candles(
    1,
    'Hammer',
    'bullish',
    1,
    hammer,
    'After a decline, a small body at the top of the bar with a lower shadow of at least twice its length.',
  ),
  candles(
    2,
    'Hanging man',
    'bearish',
    1,
    hangingMan,
    'After a rise, a small body at the top of the bar with a lower shadow of at least twice its length.',
  ),
  candles(
    3,
    'Inverted hammer',
    'bullish',
    1,
    mirrored(hangingMan),
    'After a decline, a small body at the bottom of the bar with an upper shadow of at least twice its length.',
  ),
  candles(
    4,
    'Shooting star',
    'bearish',
    1,
    mirrored(hammer),
    'After a rise, a small body at the bottom of the bar with an upper shadow of at least twice its length.',
  ),
  candles(5, 'Doji', 'neutral', 1, doji, 'Open and close nearly the same, with shadows on both sides.'),
  candles(6, 'Dragonfly doji', 'bullish', 1, dragonfly, 'Open and close nearly the same, at the high of the bar.'),
  candles(7, 'Gravestone doji', 'bearish', 1, mirrored(dragonfly), 'Open and close nearly the same, at the low of the bar.'),
  candles(
    8,
    'Bullish engulfing',
    'bullish',
    2,
    bullishEngulfing,
    'After a decline, a rising body that holds all of the falling body before it.',
  ),
  candles(
    9,
    'Bearish engulfing',
    'bearish',
    2,
    mirrored(bullishEngulfing),
    'After a rise, a falling body that holds all of the rising body before it.',
  ),
  candles(10, 'Bullish harami', 'bullish', 2, bullishHarami, 'After a decline, a short rising body inside the long falling one before it.'),
  candles(
    11,
    'Bearish harami',
    'bearish',
    2,
    mirrored(bullishHarami),
    'After a rise, a short falling body inside the long rising one before it.',
  ),
  candles(
    12,
    'Piercing line',
    'bullish',
    2,
    piercingLine,
    'After a decline, a bar that opens below the long falling body before it and closes in its upper half.',
  ),
  candles(
    13,
    'Dark cloud cover',
    'bearish',
    2,
    mirrored(piercingLine),
    'After a rise, a bar that opens above the long rising body before it and closes in its lower half.',
  ),
  candles(
    14,
    'Morning star',
    'bullish',
    3,
    morningStar,
    'After a decline, a long falling bar, a short body below it, and a long rising bar that closes in the upper half of the first.',
  ),
  candles(
    15,
    'Evening star',
    'bearish',
    3,
    mirrored(morningStar),
    'After a rise, a long rising bar, a short body above it, and a long falling bar that closes in the lower half of the first.',
  ),
  candles(
    16,
    'Three white soldiers',
    'bullish',
    3,
    threeWhiteSoldiers,
    'Three long rising bars, each opening within the body before it and closing higher, near its high.',
  ),
  candles(
    17,
    'Three black crows',
    'bearish',
    3,
    mirrored(threeWhiteSoldiers),
    'Three long falling bars, each opening within the body before it and closing lower, near its low.',
  ),
  candles(18, 'Rising marubozu', 'bullish', 1, risingMarubozu, 'A long rising body with hardly a shadow.'),
  candles(19, 'Falling marubozu', 'bearish', 1, mirrored(risingMarubozu), 'A long falling body with hardly a shadow.'),
  candles(20, 'Three inside up', 'bullish', 3, threeInsideUp, 'A bullish harami and a bar that closes above its long body.'),
  candles(21, 'Three inside down', 'bearish', 3, mirrored(threeInsideUp), 'A bearish harami and a bar that closes below its long body.'),
  candles(22, 'Tweezer bottom', 'bullish', 2, tweezerBottom, 'After a decline, a falling and a rising bar with the same low.'),
  candles(23, 'Tweezer top', 'bearish', 2, mirrored(tweezerBottom), 'After a rise, a rising and a falling bar with the same high.'),
  candles(
    24,
    'Rising three methods',
    'bullish',
    5,
    risingThreeMethods,
    'A long rising bar, three short ones falling within its range, and a long one that closes above it.',
  ),
  candles(
    25,
    'Falling three methods',
    'bearish',
    5,
    mirrored(risingThreeMethods),
    'A long falling bar, three short ones rising within its range, and a long one that closes below it.',
  ),
  chart(101, 'Double bottom', 'bullish', [11, 86], doubleBottom, 'Two lows at one level, and the first close above the peak between them.'),
  chart(
    102,
    'Double top',
    'bearish',
    [11, 86],
    mirrored(doubleBottom),
    'Two highs at one level, and the first close below the trough between them.',
  ),
  chart(
    103,
    'Triple bottom',
    'bullish',
    [17, 146],
    tripleBottom,
    'Three lows at one level, and the first close above the peaks between them.',
  ),
  chart(
    104,
    'Triple top',
    'bearish',
    [17, 146],
    mirrored(tripleBottom),
    'Three highs at one level, and the first close below the troughs between them.',
  ),
  chart(
    105,
    'Inverse head and shoulders',
    'bullish',
    [15, 116],
    inverseHeadAndShoulders,
    'Three lows of which the middle one is the lowest, and the first close above the line through the peaks between them.',
  ),
  chart(
    106,
    'Head and shoulders',
    'bearish',
    [15, 116],
    mirrored(inverseHeadAndShoulders),
    'Three highs of which the middle one is the highest, and the first close below the line through the troughs between them.',
  ),
  chart(
    107,
    'Ascending triangle',
    'bullish',
    [9, 81],
    ascendingTriangle,
    'Highs at one level and rising lows, and the first close above the highs.',
  ),
  chart(
    108,
    'Descending triangle',
    'bearish',
    [9, 81],
    mirrored(ascendingTriangle),
    'Lows at one level and falling highs, and the first close below the lows.',
  ),
];

const byShape = new Map(catalogue.map((pattern) => [pattern.shape, pattern]));

/** The pattern of a number, if there is one. */
export function patternOf(shape: number): Pattern | undefined {
  return byShape.get(shape);
}
