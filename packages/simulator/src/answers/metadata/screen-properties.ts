import type {
  Boundary,
  Interval,
  PropertyKlineShape,
  QueryKlineShape,
  RetrieveQuery,
  RspItemResult,
  ScreenQuery,
  Sort,
} from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import type { BarPeriod } from '../../market/index.js';
import { catalogue, occurrences, seriesOf } from '../../patterns/index.js';
import { missing, Refusal } from '../../refusal.js';
import type { Figure } from '../../screen/column-snapshot.js';
import type { Condition } from '../../screen/screen.js';
import { completeBars } from '../../view/history-bars.js';
import type { Fields } from '../../view/messages.js';
import { indicatorFigureOf, optionFigureOf, patternCondition, positionCondition } from './screen-indicators.js';
import { brokerFigureOf, cumulativeFigure, featuredFigureOf, financialFigureOf, simpleFigure, unserved } from './stock-properties.js';

/** A property that is a number, as requests retrieve it and sort by it. */
interface NumberProperty {
  readonly figure: Figure;
  /** A value of it in an answer; NaN: the stock has none. */
  readonly result: (value: number) => Fields<RspItemResult>;
}

/** ResultProperty….valueType. */
const INTEGER = 2;
const DOUBLE = 4;

/** The property that a query names, but for codes, names and industries, which are texts. */
export function numberProperty(query: RetrieveQuery | Sort, path: string): NumberProperty | Refusal {
  const named =
    propertyOf(query, path, 'simpleProperty', simpleFigure) ??
    propertyOf(query, path, 'cumulativeProperty', cumulativeFigure) ??
    propertyOf(query, path, 'financialProperty', financialFigureOf) ??
    propertyOf(query, path, 'indicatorProperty', indicatorFigureOf) ??
    propertyOf(query, path, 'featuredProperty', featuredFigureOf) ??
    propertyOf(query, path, 'brokerProperty', brokerFigureOf) ??
    propertyOf(query, path, 'optionProperty', optionFigureOf) ??
    propertyOf(query, path, 'klineShapeProperty', shapeFigureOf);
  return named ?? new Refusal(`${path}: expected one property, found none`, 'broker.value');
}

type PropertyName = keyof RetrieveQuery & keyof Sort & `${string}Property`;

/** The property of a field, where the query has it. A stock without a value is told without one; the number of a shape has a name. */
function propertyOf<Name extends PropertyName>(
  query: RetrieveQuery | Sort,
  path: string,
  name: Name,
  figureOf: (property: NonNullable<Sort[Name]>, path: string) => Figure | Refusal,
): NumberProperty | Refusal | undefined {
  const { [name]: property } = query;
  if (property === undefined) return undefined;
  const figure = figureOf(property as NonNullable<Sort[Name]>, `${path}.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`);
  if (figure instanceof Refusal) return figure;
  const isNumber = name === 'klineShapeProperty' && isShape(property as PropertyKlineShape);
  return { figure, result: (value) => ({ [`${name}Result`]: { property, ...(isNumber ? shapeValue(value) : doubleValue(value)) } }) };
}

function doubleValue(value: number) {
  return { valueType: DOUBLE, dval: Number.isNaN(value) ? undefined : value };
}

function shapeValue(value: number) {
  if (Number.isNaN(value)) return { valueType: INTEGER };
  return { valueType: INTEGER, ival: BigInt(value), enumTypeName: 'KlineShapeType', enumName: shapeName(value) };
}

/** The condition of a filter of Qot_StockScreen that is about a property. */
export function conditionOf(query: ScreenQuery, path: string): Condition | Refusal {
  const { simplePropertyQuery: simple, cumulativePropertyQuery: cumulative, financialPropertyQuery: financial } = query;
  if (simple !== undefined)
    return bounded(simple.property && simpleFigure(simple.property, `${path}.simple_property_query.property`), simple, path);
  if (cumulative !== undefined) {
    const at = `${path}.cumulative_property_query`;
    return (
      checkSingle(cumulative, at) ??
      bounded(cumulative.property && cumulativeFigure(cumulative.property, `${at}.property`), cumulative, path)
    );
  }
  if (financial !== undefined) {
    const at = `${path}.financial_property_query`;
    return (
      checkSingle(financial, at) ?? bounded(financial.property && financialFigureOf(financial.property, `${at}.property`), financial, path)
    );
  }
  if (query.indicatorPositionalQuery !== undefined)
    return positionCondition(query.indicatorPositionalQuery, `${path}.indicator_positional_query`);
  if (query.indicatorPatternQuery !== undefined) return patternCondition(query.indicatorPatternQuery, `${path}.indicator_pattern_query`);
  if (query.klineShapeQuery !== undefined) return shapeCondition(query.klineShapeQuery, `${path}.kline_shape_query`);
  const { featuredPropertyQuery: featured, brokerHoldingsQuery: broker, optionQuery: option } = query;
  if (featured !== undefined) {
    const at = `${path}.featured_property_query`;
    if (featured.valueSet.length > 0) return new Refusal(`${at}.value_set: not served; give intervals`, 'broker.value');
    const bounds = featured.intervals.length > 0 ? featured.intervals : [featured];
    return withinIntervals(featured.property && featuredFigureOf(featured.property, `${at}.property`), bounds, at);
  }
  if (broker !== undefined) {
    const at = `${path}.broker_holdings_query`;
    return withinIntervals(broker.property && brokerFigureOf(broker.property, `${at}.property`), broker.intervals, at);
  }
  const at = `${path}.option_query`;
  return withinIntervals(option?.property && optionFigureOf(option.property, `${at}.property`), option?.intervals ?? [], at);
}

function checkSingle({ continuousPeriod }: { readonly continuousPeriod: number }, path: string): Refusal | undefined {
  return continuousPeriod > 1 ? new Refusal(`${path}.continuous_period: runs are not served`, 'broker.value') : undefined;
}

/** Within any of some intervals; without one, whatever has the figure. */
function withinIntervals(
  figure: Figure | Refusal | undefined,
  intervals: readonly Pick<Interval, 'filterMin' | 'filterMax'>[],
  path: string,
): Condition | Refusal {
  const whole = bounded(figure, {}, path);
  if (whole instanceof Refusal || intervals.length === 0) return whole;
  const each: Condition[] = [];
  for (const [index, interval] of intervals.entries()) {
    const condition = bounded(figure, interval, `${path}.intervals[${index}]`);
    if (condition instanceof Refusal) return condition;
    each.push(condition);
  }
  return { figure: whole.figure, accepts: (value) => each.some((one) => one.accepts(value)) };
}

function bounded(
  figure: Figure | Refusal | undefined,
  { filterMin, filterMax }: { readonly filterMin?: Boundary | undefined; readonly filterMax?: Boundary | undefined },
  path: string,
): Condition | Refusal {
  if (figure === undefined || figure instanceof Refusal) return figure ?? missing([`${path}.property`]);
  if (filterMin !== undefined && filterMax !== undefined && filterMin.value > filterMax.value)
    return new Refusal(`${path}: filter_min ${filterMin.value} exceeds filter_max ${filterMax.value}`);
  const accepts = (value: number) =>
    (filterMin === undefined || value > filterMin.value || (filterMin.includes && value === filterMin.value)) &&
    (filterMax === undefined || value < filterMax.value || (filterMax.includes && value === filterMax.value));
  return { figure, accepts };
}

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

function shapeFigureOf({ name, period }: PropertyKlineShape, path: string): Figure | Refusal {
  if (name !== SHAPE && name !== PROBABILITY) return unserved(path, name, [SHAPE, PROBABILITY]);
  const bars = periods.get(period);
  if (bars === undefined) return new Refusal(`${path}.period: ${period} is not served; served: 5 (60 minutes), 11 (day)`, 'broker.value');
  return name === SHAPE ? shapeFigure(bars) : probabilityFigure(bars);
}

/** Holds where the newest complete bar completes one of the shapes of `value_set`. */
function shapeCondition({ property, valueSet }: QueryKlineShape, path: string): Condition | Refusal {
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
function shapeName(type: number): string {
  return shapes.find((one) => one.type === type)?.name ?? '';
}

/** Whether a property's value is the number of a shape. */
function isShape({ name }: PropertyKlineShape): boolean {
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
