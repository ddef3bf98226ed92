import type { PropertyKlineShape, QueryKlineShape } from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import type { BarPeriod } from '../../market/index.js';
import { catalogue, occurrences, seriesOf } from '../../patterns/index.js';
import { missing, Refusal } from '../../refusal.js';
import type { Condition, Figure } from '../../screen/index.js';
import { completeBars } from '../../view/history-bars.js';
import { unserved } from './stock-properties.js';

/** Qot_StockScreen's KlineShape properties. */

const SHAPE = 6200;
const PROBABILITY = 6201;

/** Published names and numbers of KlineShapeType → `shape` of the pattern catalogue. The simulation looks for no others. */
const shapes = [
  { type: 1, name: 'DOUBLE_BOTTOMS', shape: 101 },
  { type: 2, name: 'TRIPLE_BOTTOMS', shape: 103 },
  { type: 3, name: 'HEAD_SHOULDERS_BOTTOM', shape: 105 },
  { type: 10, name: 'SUSTAINABLE_TRIANGLE', shape: 107 },
  { type: 1001, name: 'DOUBLE_PEAKS', shape: 102 },
  { type: 1002, name: 'TRIPLE_PEAKS', shape: 104 },
  { type: 1003, name: 'HEAD_SHOULDERS_PEAK', shape: 106 },
  { type: 1010, name: 'SUSTAINABLE_TRIANGLE_DOWN', shape: 108 },
] as const;
/** Bearish shapes are numbered from here on. */
const BEARISH = 1000;
/** Any bullish, any bearish shape. */
const [BULLISH_TYPE, BEARISH_TYPE] = [2000, 2001];

const patterns = catalogue.filter(({ shape }) => shapes.some((one) => one.shape === shape));

/** The protocol knows shapes of days and hours. */
const periods: ReadonlyMap<number, BarPeriod> = new Map<number, BarPeriod>([
  [5, { unit: 'minute', count: 60 }],
  [11, { unit: 'day' }],
]);

/** Bars that the longest pattern needs. */
const BARS_FOR_SHAPE = 170;
/** Bars in which earlier shapes of the kind are looked for, as in the statistics of patterns. */
const BARS_EXAMINED = 1000;
/** Bars after a shape at which its outcome is looked at. */
const OUTCOME_BARS = 5;
const SPEED = 1;

export function shapeFigureOf({ name, period }: PropertyKlineShape, path: string): Figure | Refusal {
  if (name !== SHAPE && name !== PROBABILITY) return unserved(path, name, [SHAPE, PROBABILITY]);
  const bars = periods.get(period);
  if (bars === undefined) return new Refusal(`${path}.period: ${period} is not served; served: 5 (60 minutes), 11 (day)`, 'broker.value');
  return name === SHAPE ? shapeFigure(bars) : probabilityFigure(bars);
}

/** Holds where the newest complete bar completes one of the shapes of `value_set`. */
export function shapeCondition({ property, valueSet }: QueryKlineShape, path: string): Condition | Refusal {
  if (property === undefined) return missing([`${path}.property`]);
  if (property.name !== SHAPE)
    return new Refusal(`${path}.property.name: ${property.name} is no condition; accepted: ${SHAPE} (shape)`, 'broker.value');
  const figure = shapeFigureOf(property, `${path}.property`);
  if (figure instanceof Refusal) return figure;
  if (valueSet.length === 0) return new Refusal(`${path}.value_set: expected at least one shape`, 'broker.value');
  const wanted = new Set(valueSet.map(Number));
  const accepted: readonly number[] = [...shapes.map(({ type }) => type), BULLISH_TYPE, BEARISH_TYPE];
  const unknown = [...wanted].find((type) => !accepted.includes(type));
  if (unknown !== undefined)
    return new Refusal(`${path}.value_set: shape ${unknown} is not served; served: ${accepted.join(', ')}`, 'broker.value');
  return {
    figure,
    accepts: (type) => wanted.has(type) || wanted.has(type < BEARISH ? BULLISH_TYPE : BEARISH_TYPE),
  };
}

/** The published name of a shape's number. */
export function shapeName(type: number): string {
  return shapes.find((one) => one.type === type)?.name ?? '';
}

/** Whether a property's value is the number of a shape. */
export function isShape({ name }: PropertyKlineShape): boolean {
  return name === SHAPE;
}

/** Number of the shape that the newest complete bar completes, the lowest of several. */
function shapeFigure(period: BarPeriod): Figure {
  return {
    key: `shape of ${lengthOf(period)}`,
    lasts: 'moment',
    speed: SPEED,
    of: (facts, { listing }) => {
      const series = seriesOf(completeBars(facts, listing, period, BARS_FOR_SHAPE));
      const found = occurrences(series, series.length - 1, series.length, patterns).map(({ pattern }) => pattern.shape);
      return shapes.find(({ shape }) => found.includes(shape))?.type ?? Number.NaN;
    },
  };
}

/** Percent of the earlier shapes of this kind in the newest bars of the stock after which the close went the shape's way; NaN where none was. */
function probabilityFigure(period: BarPeriod): Figure {
  const shapeNow = shapeFigure(period);
  return {
    key: `probability of ${lengthOf(period)}`,
    lasts: 'moment',
    speed: SPEED,
    of: (facts, row) => {
      const type = shapeNow.of(facts, row);
      const pattern = patterns.filter(({ shape }) => shapes.some((one) => one.type === type && one.shape === shape));
      if (pattern.length === 0) return Number.NaN;
      const series = seriesOf(completeBars(facts, row.listing, period, BARS_EXAMINED));
      const sign = type < BEARISH ? 1 : -1;
      const outcomes = occurrences(series, 0, series.length - OUTCOME_BARS, pattern).map(
        ({ last }) => sign * (series.bar(last + OUTCOME_BARS).close - series.bar(last).close) > 0,
      );
      if (outcomes.length === 0) return Number.NaN;
      return Math.round((100_000 * outcomes.filter(Boolean).length) / outcomes.length) / 1000;
    },
  };
}

function lengthOf(period: BarPeriod): string {
  return period.unit === 'minute' ? `${period.count} minutes` : period.unit;
}
