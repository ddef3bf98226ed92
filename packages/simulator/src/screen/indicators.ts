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
