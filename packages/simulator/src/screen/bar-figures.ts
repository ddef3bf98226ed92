import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { AccumulateField, CustomIndicatorField, RelativePosition } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import type { Bar, BarPeriod } from '../market/market.js';
import type { Market } from '../market/simulated-market.js';
import { atOnce } from '../pace.js';
import { threePlaces, turnoverRate } from '../view/figures.js';
import { newestBars } from '../view/history-bars.js';
import { daysBefore } from '../view/past-trading.js';
import type { Figure, Row, ScreenFacts } from './column-snapshot.js';
import { bollinger, type Candles, ema, kdj, macd, patterns, rsi, sma, type Values } from './patterns.js';

/** About a hundred megabytes. */
const BARS_MAX = 400_000;

/** Bars that will not change any more, by what they are of. When full, it starts anew: they can all be read again. */
class WholeBars {
  readonly #bars = new Map<string, readonly Bar[]>();
  #count = 0;

  constructor(private readonly barsMax: number = BARS_MAX) {}

  of(name: string): readonly Bar[] | undefined {
    return this.#bars.get(name);
  }

  keep(name: string, bars: readonly Bar[]): void {
    const more = bars.length - (this.#bars.get(name)?.length ?? 0);
    if (this.#count + more > this.barsMax) {
      this.#bars.clear();
      this.#count = 0;
    }
    if (bars.length === 0 || bars.length > this.barsMax) return;
    this.#count += bars.length - (this.#bars.get(name)?.length ?? 0);
    this.#bars.set(name, bars);
  }
}

/** Uncached bars take milliseconds per symbol. */
const SPEED = 1;

/** Qot_Common.KLType of the bars that figures may be about. */
const periods: ReadonlyMap<number, BarPeriod> = new Map<number, BarPeriod>([
  [1, { unit: 'minute', count: 1 }],
  [2, { unit: 'day' }],
  [3, { unit: 'week' }],
  [4, { unit: 'month' }],
  [6, { unit: 'minute', count: 5 }],
  [7, { unit: 'minute', count: 15 }],
  [8, { unit: 'minute', count: 30 }],
  [9, { unit: 'minute', count: 60 }],
  [10, { unit: 'minute', count: 3 }],
]);

/** The longest run of bars over which a condition may have to hold. */
export const RUN_MAX = 12;
/** The longest period of an indicator's parameter. */
export const PERIOD_MAX = 250;
/** An exponential average starts four periods back: what came before weighs less than a thousandth. */
const WARM_UP = 4;
/** The longest average that a pattern is about. */
const PATTERN_PERIOD = 60;

const kept = new WeakMap<Row, Map<string, readonly Bar[]>>();
const past = new WeakMap<Market, WholeBars>();

/** The newest bars of a row, forward adjusted, the running one last. */
export function barsOf(facts: ScreenFacts, row: Row, klType: number, count: number): readonly Bar[] {
  let ofRow = kept.get(row);
  if (ofRow === undefined) {
    ofRow = new Map();
    kept.set(row, ofRow);
  }
  const key = `${klType} ${count}`;
  let bars = ofRow.get(key);
  if (bars === undefined) {
    const period = periods.get(klType) ?? { unit: 'day' };
    bars = barsNow(facts, row, period, count, key);
    ofRow.set(key, bars);
  }
  return bars;
}

/** Whole bars stay as they are throughout a trading day, and only what came after them is read again. */
function barsNow(facts: ScreenFacts, { listing, quote }: Row, period: BarPeriod, count: number, key: string): readonly Bar[] {
  const { clock, world, market } = facts;
  const { instrument } = listing;
  const calendar = world.calendar(instrument);
  const today = calendar.tradingDay(clock.now());
  const name = `${instrument.symbol} ${key} ${today} ${quote.tradingDay}`;
  const whole = past.get(market) ?? new WholeBars();
  past.set(market, whole);
  const known = whole.of(name);
  const last = known?.at(-1);
  if (known !== undefined && last !== undefined) {
    return [...known, ...market.bars(instrument, period, { from: last.start + 1 }, 'forward')].slice(-count);
  }
  const bars = atOnce(newestBars(facts, listing, period, 'forward', count));
  const opening = calendar.sessions(today)[0]?.start ?? Number.NEGATIVE_INFINITY;
  // A trade printed between sessions is of the last bar before.
  whole.keep(name, bars.filter(({ end }) => end <= opening).slice(0, -1));
  return bars;
}

function candlesOf(bars: readonly Bar[]): Candles {
  const of = (field: 'close' | 'high' | 'low') => bars.map((bar) => decimalToNumber(bar[field]));
  return { close: of('close'), high: of('high'), low: of('low') };
}

/**
 * The bars of the last `days` trading days of the market, forward adjusted: fewer where nothing traded on some of them, as today before the
 * opening. Undefined for what has not traded that long.
 */
function barsWithin(facts: ScreenFacts, row: Row, days: number): readonly Bar[] | undefined {
  const calendar = facts.world.calendar(row.listing.instrument);
  const { tradingDay } = row.quote;
  const day = days === 1 ? tradingDay : daysBefore(calendar, tradingDay).at(1 - days);
  if (day === undefined) return undefined;
  const bars = barsOf(facts, row, 2, days);
  const within = bars.filter(({ start }) => calendar.tradingDay(start) >= day);
  const [first] = within;
  // Newcomers count from their offer price, before their first day.
  return within.length < bars.length || (first !== undefined && calendar.tradingDay(first.start) === day) ? within : undefined;
}

/** A figure over the last `days` trading days, today's so far included; NaN for what has not traded that long. */
export function accumulated(field: AccumulateField, days: number): Figure {
  return {
    key: `accumulated ${field} over ${days}`,
    lasts: 'moment',
    speed: SPEED,
    of: (facts, row) => {
      const bars = barsWithin(facts, row, days);
      if (bars === undefined) return Number.NaN;
      const { last, tradingDay } = row.quote;
      const base = Number(bars[0]?.previousClose ?? last);
      switch (field) {
        case AccumulateField.AccumulateField_ChangeRate:
          return threePlaces((100 * (Number(last) - base)) / base);
        case AccumulateField.AccumulateField_Amplitude: {
          if (bars.length === 0) return 0;
          const high = Math.max(...bars.map((bar) => Number(bar.high)));
          const low = Math.min(...bars.map((bar) => Number(bar.low)));
          return threePlaces((100 * (high - low)) / base);
        }
        case AccumulateField.AccumulateField_Volume:
          return Math.floor(Number(bars.reduce((sum, bar) => sum + bar.volume, 0n)) / days);
        case AccumulateField.AccumulateField_Turnover:
          return threePlaces(decimalToNumber(bars.reduce((sum, bar) => sum + bar.turnover, 0n)) / days);
        default: {
          const volume = bars.reduce((sum, bar) => sum + bar.volume, 0n);
          return turnoverRate(facts.companies, row.listing.instrument, tradingDay, volume);
        }
      }
    },
  };
}

/** 1 where a pattern stands at each of the last `run` bars, else 0; NaN where there are too few bars. */
export function patternFigure(field: number, klType: number, run: number): Figure {
  return {
    key: `pattern ${field} of ${klType} over ${run}`,
    lasts: 'moment',
    speed: SPEED,
    of: (facts, row) => {
      const bars = barsOf(facts, row, klType, WARM_UP * PATTERN_PERIOD + RUN_MAX);
      const pattern = patterns.get(field);
      if (pattern === undefined || bars.length < run + 2) return Number.NaN;
      const stands = pattern(candlesOf(bars));
      return Number(lastOf(bars.length, run).every(stands));
    },
  };
}

/** An indicator by its number and parameters (none: the usual ones), or a value that stands still. */
export interface Indicator {
  readonly field: number;
  readonly parameters: Values;
  /** Number in CustomIndicatorField_Value. */
  readonly value: number;
}

/** How many parameters an indicator takes, and what they are when none are given. */
export const parametersOf: ReadonlyMap<number, Values> = new Map([
  [CustomIndicatorField.CustomIndicatorField_Price, []],
  ...[5, 10, 20, 30, 60, 120, 250].flatMap((period, i): [number, Values][] => [
    [CustomIndicatorField.CustomIndicatorField_MA5 + i, [period]],
    [CustomIndicatorField.CustomIndicatorField_EMA5 + i, [period]],
  ]),
  [CustomIndicatorField.CustomIndicatorField_RSI, [12]],
  [CustomIndicatorField.CustomIndicatorField_Value, []],
  [CustomIndicatorField.CustomIndicatorField_MA, [5]],
  [CustomIndicatorField.CustomIndicatorField_EMA, [5]],
  ...[
    CustomIndicatorField.CustomIndicatorField_KDJ_K,
    CustomIndicatorField.CustomIndicatorField_KDJ_D,
    CustomIndicatorField.CustomIndicatorField_KDJ_J,
  ].map((field): [number, Values] => [field, [9, 3, 3]]),
  ...[
    CustomIndicatorField.CustomIndicatorField_MACD_DIFF,
    CustomIndicatorField.CustomIndicatorField_MACD_DEA,
    CustomIndicatorField.CustomIndicatorField_MACD,
  ].map((field): [number, Values] => [field, [12, 26, 9]]),
  ...[
    CustomIndicatorField.CustomIndicatorField_BOLL_UPPER,
    CustomIndicatorField.CustomIndicatorField_BOLL_MIDDLER,
    CustomIndicatorField.CustomIndicatorField_BOLL_LOWER,
  ].map((field): [number, Values] => [field, [20, 2]]),
]);

function lineOf({ field, parameters, value }: Indicator, candles: Candles): Values {
  const { close } = candles;
  const [period = 0] = parameters;
  switch (field) {
    case CustomIndicatorField.CustomIndicatorField_Price:
      return close;
    case CustomIndicatorField.CustomIndicatorField_Value:
      return close.map(() => value);
    case CustomIndicatorField.CustomIndicatorField_RSI:
      return rsi(close, period);
    case CustomIndicatorField.CustomIndicatorField_KDJ_K:
      return kdj(candles, parameters).k;
    case CustomIndicatorField.CustomIndicatorField_KDJ_D:
      return kdj(candles, parameters).d;
    case CustomIndicatorField.CustomIndicatorField_KDJ_J:
      return kdj(candles, parameters).j;
    case CustomIndicatorField.CustomIndicatorField_MACD_DIFF:
      return macd(close, parameters).diff;
    case CustomIndicatorField.CustomIndicatorField_MACD_DEA:
      return macd(close, parameters).dea;
    case CustomIndicatorField.CustomIndicatorField_MACD:
      return macd(close, parameters).macd;
    case CustomIndicatorField.CustomIndicatorField_BOLL_UPPER:
      return bollinger(close, parameters).upper;
    case CustomIndicatorField.CustomIndicatorField_BOLL_MIDDLER:
      return bollinger(close, parameters).middle;
    case CustomIndicatorField.CustomIndicatorField_BOLL_LOWER:
      return bollinger(close, parameters).lower;
    default:
      return isExponential(field) ? ema(close, period) : sma(close, period);
  }
}

function isExponential(field: number): boolean {
  const { CustomIndicatorField_EMA: any, CustomIndicatorField_EMA5: first, CustomIndicatorField_EMA250: last } = CustomIndicatorField;
  return field === any || (field >= first && field <= last);
}

/** Bars that indicators need for their last values. */
function countFor(indicators: readonly Indicator[], run: number): number {
  return WARM_UP * Math.max(20, ...indicators.flatMap(({ parameters }) => [...parameters])) + run + 1;
}

/** The value of an indicator at the newest bar. */
export function indicatorFigure(indicator: Indicator, klType: number): Figure {
  const { field, parameters, value } = indicator;
  return {
    key: `indicator ${field} [${parameters}] ${value} of ${klType}`,
    lasts: 'moment',
    speed: SPEED,
    of: (facts, row) => {
      const bars = barsOf(facts, row, klType, countFor([indicator], RUN_MAX));
      const last = lineOf(indicator, candlesOf(bars)).at(-1) ?? Number.NaN;
      return threePlaces(last);
    },
  };
}

/** 1 where the first indicator stands to the second as asked at each of the last `run` bars, else 0; NaN where either is not there. */
export function positionFigure(first: Indicator, second: Indicator, position: number, klType: number, run: number): Figure {
  const name = ({ field, parameters, value }: Indicator) => `${field} [${parameters}] ${value}`;
  return {
    key: `${name(first)} to ${name(second)} ${position} of ${klType} over ${run}`,
    lasts: 'moment',
    speed: SPEED,
    of: (facts, row) => {
      const candles = candlesOf(barsOf(facts, row, klType, countFor([first, second], RUN_MAX)));
      const [a, b] = [lineOf(first, candles), lineOf(second, candles)];
      const difference = (index: number) => apart((a[index] ?? Number.NaN) - (b[index] ?? Number.NaN));
      const indices = lastOf(candles.close.length, run);
      if (indices.some((index) => Number.isNaN(difference(index)))) return Number.NaN;
      return Number(indices.every((index) => holds(position, difference(index), difference(index - 1))));
    },
  };
}

/** Lines that differ by the rounding of their sums alone are equal. */
function apart(difference: number): number {
  return Math.abs(difference) < 1e-9 ? 0 : difference;
}

function holds(position: number, now: number, before: number): boolean {
  switch (position) {
    case RelativePosition.RelativePosition_More:
      return now > 0;
    case RelativePosition.RelativePosition_Less:
      return now < 0;
    case RelativePosition.RelativePosition_CrossUp:
      return before < 0 && now > 0;
    default:
      return before > 0 && now < 0;
  }
}

/** The last `run` indices of a list of so many. */
function lastOf(count: number, run: number): readonly number[] {
  return Array.from({ length: run }, (_, i) => count - run + i);
}
