/** Prices of one bar; those of several are comparable with one another (forward adjusted). Whole numbers are compared exactly: billionths. */
export interface PatternBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Bars by their indices, oldest first: a list of them, or what finds each when somebody looks at it. */
export interface PatternBars {
  readonly length: number;
  at(index: number): PatternBar | undefined;
}

/** Bars over which a usual body and a usual range are taken. */
const USUAL_BARS = 10;
/** A turning point is the lowest low, or highest high, of so many bars to either side. */
const TURN_BARS = 3;

/**
 * Bars with what detectors measure on them. Sizes are relative to the bars before, as TA-Lib's candle settings define them (ta-lib.org): a long body is longer than the mean of
 * ten, a doji's is at most a tenth of the mean range of ten, a shadow that is hardly there at most a tenth too. Only bars that a detector looks at are read, each once.
 */
export class Series {
  readonly length: number;
  readonly #bars: (PatternBar | undefined)[];
  #mirror: Series | undefined;

  constructor(private readonly source: PatternBars) {
    this.length = source.length;
    this.#bars = new Array<PatternBar | undefined>(source.length).fill(undefined);
  }

  /** The same bars upside down: what is bearish here is bullish there. */
  get mirror(): Series {
    if (this.#mirror === undefined) {
      this.#mirror = new Series({ length: this.length, at: (index) => upsideDown(this.bar(index)) });
      this.#mirror.#mirror = this;
    }
    return this.#mirror;
  }

  /**
   * The newest `count` bars, oldest first, whose low is the lowest of three to either side, which is known at bar `last`; undefined where there
   * are fewer. Of two equal ones the first counts.
   */
  lows(last: number, count: number): readonly number[] | undefined {
    const found: number[] = [];
    for (let index = last - TURN_BARS; index >= TURN_BARS && found.length < count; index--) if (this.#isLow(index)) found.unshift(index);
    return found.length < count ? undefined : found;
  }

  /** The same of highs. */
  highs(last: number, count: number): readonly number[] | undefined {
    return this.mirror.lows(last, count);
  }

  bar(index: number): PatternBar {
    const known = this.#bars[index];
    if (known !== undefined) return known;
    const bar = index < 0 ? undefined : this.source.at(index);
    if (bar === undefined) throw new RangeError(`no bar ${index} of ${this.length}`);
    this.#bars[index] = bar;
    return bar;
  }

  /** Mean body of the ten bars before one; 0 where there are fewer. */
  usualBody(index: number): number {
    return this.#meanBefore(index, ({ open, close }) => Math.abs(close - open));
  }

  usualRange(index: number): number {
    return this.#meanBefore(index, ({ high, low }) => high - low);
  }

  isLong(index: number): boolean {
    const { open, close } = this.bar(index);
    const usual = this.usualBody(index);
    return Math.abs(close - open) > usual && usual > 0;
  }

  isShort(index: number): boolean {
    const { open, close } = this.bar(index);
    return Math.abs(close - open) < this.usualBody(index);
  }

  isDoji(index: number): boolean {
    const { open, close } = this.bar(index);
    const usual = this.usualRange(index);
    return usual > 0 && Math.abs(close - open) <= 0.1 * usual;
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

  #isLow(index: number): boolean {
    const { low } = this.bar(index);
    for (let away = 1; away <= TURN_BARS; away++) {
      if (this.bar(index + away).low < low || this.bar(index - away).low <= low) return false;
    }
    return true;
  }

  /** Mean of a figure over the bars before one. */
  #meanBefore(index: number, figure: (bar: PatternBar) => number): number {
    if (index < USUAL_BARS) return 0;
    let sum = 0;
    for (let before = index - USUAL_BARS; before < index; before++) sum += figure(this.bar(before));
    return sum / USUAL_BARS;
  }

  #meanClose(from: number, to: number): number {
    let sum = 0;
    for (let index = from; index < to; index++) sum += this.bar(index).close;
    return sum / (to - from);
  }
}

function upsideDown({ open, high, low, close }: PatternBar): PatternBar {
  return { open: -open, high: -low, low: -high, close: -close };
}

/** Bars as detectors read them. */
export function seriesOf(bars: readonly { readonly [K in keyof PatternBar]: bigint }[]): Series {
  return new Series(
    bars.map(({ open, high, low, close }) => ({ open: Number(open), high: Number(high), low: Number(low), close: Number(close) })),
  );
}
