import { PatternField } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import { bollinger, type Candles, ema, kdj, macd, rsi, sma, type Values } from './indicators.js';

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
