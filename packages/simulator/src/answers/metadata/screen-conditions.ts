import type { Boundary, Interval, ScreenQuery } from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { missing, Refusal } from '../../refusal.js';
import type { Condition, Figure } from '../../screen/index.js';
import { brokerFigureOf, featuredFigureOf } from './screen-holdings.js';
import { optionFigureOf, patternCondition, positionCondition } from './screen-indicators.js';
import { shapeCondition } from './screen-shapes.js';
import { cumulativeFigure, financialFigureOf, simpleFigure } from './stock-properties.js';

/** The condition of a filter of Qot_StockScreen that is about a property. */
export function conditionOf(query: ScreenQuery, path: string): Condition | Refusal {
  const { simplePropertyQuery: simple, cumulativePropertyQuery: cumulative, financialPropertyQuery: financial } = query;
  if (simple !== undefined)
    return bounded(simple.property && simpleFigure(simple.property, `${path}.simple_property_query.property`), simple, path);
  if (cumulative !== undefined) {
    if (cumulative.continuousPeriod > 1)
      return new Refusal(`${path}.cumulative_property_query.continuous_period: runs are not served`, 'broker.value');
    return bounded(
      cumulative.property && cumulativeFigure(cumulative.property, `${path}.cumulative_property_query.property`),
      cumulative,
      path,
    );
  }
  if (financial !== undefined) {
    if (financial.continuousPeriod > 1)
      return new Refusal(`${path}.financial_property_query.continuous_period: runs are not served`, 'broker.value');
    return bounded(
      financial.property && financialFigureOf(financial.property, `${path}.financial_property_query.property`),
      financial,
      path,
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
