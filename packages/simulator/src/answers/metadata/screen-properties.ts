import { create } from '@bufbuild/protobuf';
import {
  ResultPropertyBrokerSchema,
  ResultPropertyCumulativeSchema,
  ResultPropertyFeaturedSchema,
  ResultPropertyFinancialSchema,
  ResultPropertyIndicatorSchema,
  ResultPropertyKlineShapeSchema,
  ResultPropertyOptionSchema,
  ResultPropertySimpleSchema,
  type RetrieveQuery,
  type RspItemResult,
  RspItemResultSchema,
  type Sort,
} from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { Refusal } from '../../refusal.js';
import type { Figure } from '../../screen/index.js';
import { brokerFigureOf, featuredFigureOf } from './screen-holdings.js';
import { indicatorFigureOf, optionFigureOf } from './screen-indicators.js';
import { isShape, shapeFigureOf, shapeName } from './screen-shapes.js';
import { cumulativeFigure, financialFigureOf, simpleFigure } from './stock-properties.js';

/** A property that is a number, as requests retrieve it and sort by it. */
export interface NumberProperty {
  readonly figure: Figure;
  /** A value of it in an answer; NaN: the stock has none. */
  readonly result: (value: number) => RspItemResult;
}

/** ResultProperty….valueType. */
const INTEGER = 2;
const DOUBLE = 4;

type Result = Parameters<typeof create<typeof RspItemResultSchema>>[1];
type Value = { readonly valueType: number; readonly dval?: number };

/** The property that a query names, but for codes, names and industries, which are texts. */
export function numberProperty(query: RetrieveQuery | Sort, path: string): NumberProperty | Refusal {
  const { simpleProperty: simple, cumulativeProperty: cumulative, financialProperty: financial, indicatorProperty: indicator } = query;
  const { featuredProperty: featured, brokerProperty: broker, optionProperty: option, klineShapeProperty: shape } = query;
  if (simple !== undefined)
    return property(simpleFigure(simple, `${path}.simple_property`), (value) => ({
      simplePropertyResult: create(ResultPropertySimpleSchema, { property: simple, ...value }),
    }));
  if (cumulative !== undefined)
    return property(cumulativeFigure(cumulative, `${path}.cumulative_property`), (value) => ({
      cumulativePropertyResult: create(ResultPropertyCumulativeSchema, { property: cumulative, ...value }),
    }));
  if (financial !== undefined)
    return property(financialFigureOf(financial, `${path}.financial_property`), (value) => ({
      financialPropertyResult: create(ResultPropertyFinancialSchema, { property: financial, ...value }),
    }));
  if (indicator !== undefined)
    return property(indicatorFigureOf(indicator, `${path}.indicator_property`), (value) => ({
      indicatorPropertyResult: create(ResultPropertyIndicatorSchema, { property: indicator, ...value }),
    }));
  if (featured !== undefined)
    return property(featuredFigureOf(featured, `${path}.featured_property`), (value) => ({
      featuredPropertyResult: create(ResultPropertyFeaturedSchema, { property: featured, ...value }),
    }));
  if (broker !== undefined)
    return property(brokerFigureOf(broker, `${path}.broker_property`), (value) => ({
      brokerPropertyResult: create(ResultPropertyBrokerSchema, { property: broker, ...value }),
    }));
  if (option !== undefined)
    return property(optionFigureOf(option, `${path}.option_property`), (value) => ({
      optionPropertyResult: create(ResultPropertyOptionSchema, { property: option, ...value }),
    }));
  if (shape !== undefined)
    return property(shapeFigureOf(shape, `${path}.kline_shape_property`), (value) => ({
      klineShapePropertyResult: create(ResultPropertyKlineShapeSchema, { property: shape, ...(isShape(shape) ? named(value) : value) }),
    }));
  return new Refusal(`${path}: expected one property, found none`, 'broker.value');
}

/** A stock without a value is told without one. */
function property(figure: Figure | Refusal, wrap: (value: Value) => Result): NumberProperty | Refusal {
  if (figure instanceof Refusal) return figure;
  const result = (value: number) =>
    create(RspItemResultSchema, wrap({ valueType: DOUBLE, ...(Number.isNaN(value) ? {} : { dval: value }) }));
  return { figure, result };
}

/** The same of the number of a shape, which has a name. */
function named({ dval }: Value) {
  if (dval === undefined) return { valueType: INTEGER };
  return { valueType: INTEGER, ival: BigInt(dval), enumTypeName: 'KlineShapeType', enumName: shapeName(dval) };
}
