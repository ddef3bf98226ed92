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

type IsBeyond = (bar: PatternBar, other: PatternBar) => boolean;

/**
 * Bars with what detectors measure on them. Sizes are relative to the bars before, as TA-Lib's candle settings define them (ta-lib.org): a long body is longer than the mean of
 * ten, a doji's is at most a tenth of the mean range of ten, a shadow that is hardly there at most a tenth too. Only bars that a detector looks at are read, each once.
 */
export class Series {
  readonly length: number;
  readonly #bars: (PatternBar | undefined)[];
  readonly #bodies: Means;
  readonly #ranges: Means;
  readonly #lows: Turns;
  readonly #highs: Turns;
  #mirror: Series | undefined;

  constructor(private readonly source: PatternBars) {
    this.length = source.length;
    this.#bars = new Array<PatternBar | undefined>(source.length).fill(undefined);
    this.#bodies = new Means(this, ({ open, close }) => Math.abs(close - open));
    this.#ranges = new Means(this, ({ high, low }) => high - low);
    this.#lows = new Turns(this, (bar, other) => bar.low < other.low);
    this.#highs = new Turns(this, (bar, other) => bar.high > other.high);
  }

  /** The same bars upside down: what is bearish here is bullish there. */
  get mirror(): Series {
    this.#mirror ??= new Series({ length: this.length, at: (index) => upsideDown(this.bar(index)) });
    return this.#mirror;
  }

  /** The newest `count` bars, oldest first, whose low is the lowest of three to either side, which is known at bar `last`; undefined where there are fewer. */
  lows(last: number, count: number): readonly number[] | undefined {
    return this.#lows.newest(last, count);
  }

  /** The same of highs. */
  highs(last: number, count: number): readonly number[] | undefined {
    return this.#highs.newest(last, count);
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
    return this.#bodies.before(index);
  }

  usualRange(index: number): number {
    return this.#ranges.before(index);
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
}

/** Means of a figure over the bars before each. */
class Means {
  #known: Float64Array | undefined;

  constructor(
    private readonly series: Pick<Series, 'length' | 'bar'>,
    private readonly figure: (bar: PatternBar) => number,
  ) {}

  before(index: number): number {
    if (index < USUAL_BARS) return 0;
    this.#known ??= new Float64Array(this.series.length).fill(Number.NaN);
    const known = this.#known[index] as number;
    if (!Number.isNaN(known)) return known;
    let sum = 0;
    for (let before = index - USUAL_BARS; before < index; before++) sum += this.figure(this.series.bar(before));
    this.#known[index] = sum / USUAL_BARS;
    return sum / USUAL_BARS;
  }
}

/** Turning points of one direction. Of two equal ones the first counts. */
class Turns {
  /** By bar: 1 for a turning point, 0 for none, -1 where nobody has looked. */
  #known: Int8Array | undefined;

  constructor(
    private readonly series: Pick<Series, 'length' | 'bar'>,
    private readonly isBeyond: IsBeyond,
  ) {}

  newest(last: number, count: number): readonly number[] | undefined {
    const found: number[] = [];
    for (let index = last - TURN_BARS; index >= TURN_BARS && found.length < count; index--) if (this.#isTurn(index)) found.push(index);
    return found.length < count ? undefined : found.reverse();
  }

  #isTurn(index: number): boolean {
    this.#known ??= new Int8Array(this.series.length).fill(-1);
    if (this.#known[index] === -1) this.#known[index] = this.#look(index) ? 1 : 0;
    return this.#known[index] === 1;
  }

  #look(index: number): boolean {
    const bar = this.series.bar(index);
    for (let away = 1; away <= TURN_BARS; away++) if (this.isBeyond(this.series.bar(index + away), bar)) return false;
    for (let away = 1; away <= TURN_BARS; away++) if (!this.isBeyond(bar, this.series.bar(index - away))) return false;
    return true;
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
