/** Prices of one bar; those of several are comparable with one another (forward adjusted). */
export interface PatternBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Bars over which a usual body and a usual range are taken. */
const USUAL_BARS = 10;
/** A turning point is the lowest low, or highest high, of so many bars to either side. */
const TURN_BARS = 3;

/**
 * Bars with what detectors measure on them. Sizes are relative to the bars before, as TA-Lib's candle settings define them (ta-lib.org): a long body is longer than the mean of
 * ten, a doji's is at most a tenth of the mean range of ten, a shadow that is hardly there at most a tenth too.
 */
export class Series {
  readonly #bodySums: Float64Array;
  readonly #rangeSums: Float64Array;
  #mirror: Series | undefined;
  #turns: { readonly lows: readonly number[]; readonly highs: readonly number[] } | undefined;

  constructor(readonly bars: readonly PatternBar[]) {
    this.#bodySums = sums(bars, ({ open, close }) => Math.abs(close - open));
    this.#rangeSums = sums(bars, ({ high, low }) => high - low);
  }

  /** The same bars upside down: what is bearish here is bullish there. */
  get mirror(): Series {
    this.#mirror ??= new Series(this.bars.map(({ open, high, low, close }) => ({ open: -open, high: -low, low: -high, close: -close })));
    return this.#mirror;
  }

  /** Bars whose low is the lowest of three to either side, in order: known three bars later. */
  get lows(): readonly number[] {
    return this.#turningPoints.lows;
  }

  get highs(): readonly number[] {
    return this.#turningPoints.highs;
  }

  bar(index: number): PatternBar {
    const bar = this.bars[index];
    if (bar === undefined) throw new RangeError(`no bar ${index} of ${this.bars.length}`);
    return bar;
  }

  /** Mean body of the ten bars before one; 0 where there are fewer. */
  usualBody(index: number): number {
    return mean(this.#bodySums, index);
  }

  usualRange(index: number): number {
    return mean(this.#rangeSums, index);
  }

  isLong(index: number): boolean {
    const { open, close } = this.bar(index);
    return Math.abs(close - open) > this.usualBody(index) && this.usualBody(index) > 0;
  }

  isShort(index: number): boolean {
    const { open, close } = this.bar(index);
    return Math.abs(close - open) < this.usualBody(index);
  }

  isDoji(index: number): boolean {
    const { open, close } = this.bar(index);
    return this.usualRange(index) > 0 && Math.abs(close - open) <= 0.1 * this.usualRange(index);
  }

  isRising(index: number): boolean {
    const { open, close } = this.bar(index);
    return close > open;
  }

  isFalling(index: number): boolean {
    const { open, close } = this.bar(index);
    return close < open;
  }

  /** Whether prices fell before a bar: the mean close of the five bars before is below that of the five before these, and the last close below both. */
  declinesBefore(index: number): boolean {
    if (index < 10) return false;
    const [recent, earlier] = [this.#meanClose(index - 5, index), this.#meanClose(index - 10, index - 5)];
    return recent < earlier && this.bar(index - 1).close < recent;
  }

  risesBefore(index: number): boolean {
    return this.mirror.declinesBefore(index);
  }

  #meanClose(from: number, to: number): number {
    let sum = 0;
    for (let index = from; index < to; index++) sum += this.bar(index).close;
    return sum / (to - from);
  }

  get #turningPoints(): { readonly lows: readonly number[]; readonly highs: readonly number[] } {
    this.#turns ??= {
      lows: turns(this.bars, (bar, other) => bar.low < other.low),
      highs: turns(this.bars, (bar, other) => bar.high > other.high),
    };
    return this.#turns;
  }
}

/** Of two equal ones the first counts. */
function turns(bars: readonly PatternBar[], isBeyond: (bar: PatternBar, other: PatternBar) => boolean): readonly number[] {
  const found: number[] = [];
  for (let index = TURN_BARS; index < bars.length - TURN_BARS; index++) {
    const bar = bars[index] as PatternBar;
    const before = bars.slice(index - TURN_BARS, index);
    const after = bars.slice(index + 1, index + 1 + TURN_BARS);
    if (before.every((other) => isBeyond(bar, other)) && after.every((other) => !isBeyond(other, bar))) found.push(index);
  }
  return found;
}

function sums(bars: readonly PatternBar[], figure: (bar: PatternBar) => number): Float64Array {
  const totals = new Float64Array(bars.length + 1);
  for (const [index, bar] of bars.entries()) totals[index + 1] = (totals[index] ?? 0) + figure(bar);
  return totals;
}

function mean(totals: Float64Array, index: number): number {
  return index < USUAL_BARS ? 0 : ((totals[index] ?? 0) - (totals[index - USUAL_BARS] ?? 0)) / USUAL_BARS;
}
