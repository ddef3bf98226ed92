import { PatternField } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';

/** Technical indicators over a series, oldest value first; NaN where there are not enough values yet. */
export type Values = readonly number[];

/** Simple moving average. */
export function sma(values: Values, period: number): number[] {
  // Summed anew for each: a running sum would carry its rounding along.
  return values.map((_, i) =>
    i < period - 1 ? Number.NaN : values.slice(i - period + 1, i + 1).reduce((sum, value) => sum + value, 0) / period,
  );
}

/** Exponential moving average with α = 2 ÷ (period + 1), from the first value on. */
export function ema(values: Values, period: number): number[] {
  let last = Number.NaN;
  return values.map((value) => {
    last = Number.isNaN(last) ? value : last + (2 / (period + 1)) * (value - last);
    return last;
  });
}

/** Relative strength index (Wilder 1978): 100 × mean gain ÷ (mean gain + mean loss), the means smoothed by 1 ÷ period. */
export function rsi(values: Values, period: number): number[] {
  let [gain, loss] = [0, 0];
  return values.map((value, i) => {
    if (i === 0) return Number.NaN;
    const change = value - (values[i - 1] ?? value);
    const weight = i === 1 ? 1 : 1 / period;
    gain += weight * (Math.max(change, 0) - gain);
    loss += weight * (Math.max(-change, 0) - loss);
    return i < period ? Number.NaN : gain + loss === 0 ? 50 : (100 * gain) / (gain + loss);
  });
}

/** Moving average convergence and divergence: DIFF = EMA(fast) − EMA(slow), DEA = EMA(DIFF), MACD = 2 × (DIFF − DEA). */
export function macd(values: Values, [fast = 12, slow = 26, signal = 9]: Values) {
  const quick = ema(values, fast);
  const calm = ema(values, slow);
  const diff = quick.map((value, i) => value - (calm[i] ?? 0));
  const dea = ema(diff, signal);
  return { diff, dea, macd: diff.map((value, i) => 2 * (value - (dea[i] ?? 0))) };
}

export interface Candles {
  readonly close: Values;
  readonly high: Values;
  readonly low: Values;
}

/** Stochastic K, D and J: RSV over the range of `period` bars, smoothed twice from 50 on; J = 3K − 2D. */
export function kdj({ close, high, low }: Candles, [period = 9, smoothK = 3, smoothD = 3]: Values) {
  let [k, d] = [50, 50];
  const all = close.map((value, i) => {
    const from = Math.max(0, i - period + 1);
    const top = Math.max(...high.slice(from, i + 1));
    const bottom = Math.min(...low.slice(from, i + 1));
    const rsv = top === bottom ? 50 : (100 * (value - bottom)) / (top - bottom);
    k += (rsv - k) / smoothK;
    d += (k - d) / smoothD;
    return { k, d, j: 3 * k - 2 * d };
  });
  return { k: all.map((one) => one.k), d: all.map((one) => one.d), j: all.map((one) => one.j) };
}

/** Bollinger bands: the mean of `period` closes, and so many (population) standard deviations either side. */
export function bollinger(values: Values, [period = 20, width = 2]: Values) {
  const middle = sma(values, period);
  const deviation = middle.map((mean, i) => {
    if (Number.isNaN(mean)) return Number.NaN;
    const squares = values.slice(i - period + 1, i + 1).reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return Math.sqrt(squares / period);
  });
  return {
    upper: middle.map((mean, i) => mean + width * (deviation[i] ?? 0)),
    middle,
    lower: middle.map((mean, i) => mean - width * (deviation[i] ?? 0)),
  };
}

/** Whether a pattern stands at a bar. */
type Pattern = (candles: Candles) => (index: number) => boolean;

const at = (values: Values, index: number) => values[index] ?? Number.NaN;
const AVERAGES = [5, 10, 20, 30, 60];
const SHORT_RSI = 6;
const LONG_RSI = 12;

/** Averages in order on two bars running, the later one of which closes beyond the one before. */
function alignment(average: (values: Values, period: number) => number[], sign: 1 | -1): Pattern {
  return ({ close }) => {
    const lines = AVERAGES.map((period) => average(close, period));
    const inOrder = (index: number) => lines.every((line, i) => i === 0 || sign * (at(lines[i - 1] ?? [], index) - at(line, index)) > 0);
    return (index) => inOrder(index) && inOrder(index - 1) && sign * (at(close, index) - at(close, index - 1)) > 0;
  };
}

function crosses(a: Values, b: Values, index: number, sign: 1 | -1): boolean {
  return sign * (at(a, index - 1) - at(b, index - 1)) < 0 && sign * (at(a, index) - at(b, index)) > 0;
}

/**
 * Two neighbouring peaks (troughs), the later one just confirmed by the bar: the close goes further and the indicator does not.
 */
function divergence(indicator: (candles: Candles) => Values, sign: 1 | -1): Pattern {
  return (candles) => {
    const { close } = candles;
    const values = indicator(candles);
    const isPeak = (i: number) => sign * (at(close, i) - at(close, i - 1)) > 0 && sign * (at(close, i) - at(close, i + 1)) > 0;
    return (index) => {
      const last = index - 1;
      if (!isPeak(last)) return false;
      let before = last - 1;
      while (before > 0 && !isPeak(before)) before -= 1;
      return before > 0 && sign * (at(close, last) - at(close, before)) > 0 && sign * (at(values, last) - at(values, before)) < 0;
    };
  };
}

function rsiCross(sign: 1 | -1): Pattern {
  return ({ close }) => {
    const [short, long] = [rsi(close, SHORT_RSI), rsi(close, LONG_RSI)];
    return (index) => crosses(short, long, index, sign) && sign * (50 - at(short, index)) > 0 && sign * (50 - at(long, index)) > 0;
  };
}

function kdjCross(sign: 1 | -1): Pattern {
  return (candles) => {
    const { k, d, j } = kdj(candles, []);
    const isExtreme = (value: number) => (sign === 1 ? value <= 30 : value >= 70);
    return (index) => crosses(k, d, index, sign) && crosses(j, d, index, sign) && [k, d, j].every((line) => isExtreme(at(line, index)));
  };
}

function macdCross(sign: 1 | -1): Pattern {
  return ({ close }) => {
    const { diff, dea } = macd(close, []);
    return (index) => crosses(diff, dea, index, sign);
  };
}

function bandCross(band: 'upper' | 'middle' | 'lower', sign: 1 | -1): Pattern {
  return ({ close }) => {
    const line = bollinger(close, [])[band];
    return (index) => crosses(close, line, index, sign);
  };
}

const ofRsi = ({ close }: Candles) => rsi(close, LONG_RSI);
const ofKdj = (candles: Candles) => kdj(candles, []).j;
const ofMacd = ({ close }: Candles) => macd(close, []).macd;

/** The patterns of Qot_StockFilter, as its protocol defines them. */
export const patterns: ReadonlyMap<number, Pattern> = new Map([
  [PatternField.PatternField_MAAlignmentLong, alignment(sma, 1)],
  [PatternField.PatternField_MAAlignmentShort, alignment(sma, -1)],
  [PatternField.PatternField_EMAAlignmentLong, alignment(ema, 1)],
  [PatternField.PatternField_EMAAlignmentShort, alignment(ema, -1)],
  [PatternField.PatternField_RSIGoldCrossLow, rsiCross(1)],
  [PatternField.PatternField_RSIDeathCrossHigh, rsiCross(-1)],
  [PatternField.PatternField_RSITopDivergence, divergence(ofRsi, 1)],
  [PatternField.PatternField_RSIBottomDivergence, divergence(ofRsi, -1)],
  [PatternField.PatternField_KDJGoldCrossLow, kdjCross(1)],
  [PatternField.PatternField_KDJDeathCrossHigh, kdjCross(-1)],
  [PatternField.PatternField_KDJTopDivergence, divergence(ofKdj, 1)],
  [PatternField.PatternField_KDJBottomDivergence, divergence(ofKdj, -1)],
  [PatternField.PatternField_MACDGoldCrossLow, macdCross(1)],
  [PatternField.PatternField_MACDDeathCrossHigh, macdCross(-1)],
  [PatternField.PatternField_MACDTopDivergence, divergence(ofMacd, 1)],
  [PatternField.PatternField_MACDBottomDivergence, divergence(ofMacd, -1)],
  [PatternField.PatternField_BOLLBreakUpper, bandCross('upper', 1)],
  [PatternField.PatternField_BOLLLower, bandCross('lower', -1)],
  [PatternField.PatternField_BOLLCrossMiddleUp, bandCross('middle', 1)],
  [PatternField.PatternField_BOLLCrossMiddleDown, bandCross('middle', -1)],
]);
