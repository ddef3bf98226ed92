import type {
  Boundary,
  Interval,
  PropertyKlineShape,
  RetrieveQuery,
  RspItemResult,
  ScreenQuery,
  Sort,
} from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { missing, Refusal } from '../../refusal.js';
import type { Condition, Figure } from '../../screen/index.js';
import type { Fields } from '../../view/messages.js';
import { indicatorFigureOf, optionFigureOf, patternCondition, positionCondition } from './screen-indicators.js';
import { isShape, shapeCondition, shapeFigureOf, shapeName } from './screen-shapes.js';
import { brokerFigureOf, cumulativeFigure, featuredFigureOf, financialFigureOf, simpleFigure } from './stock-properties.js';

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
