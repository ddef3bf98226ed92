import { CustomIndicatorField } from '../../../contract/generated/Qot_StockFilter_pb.js';
import {
  type PropertyIndicator,
  type PropertyOption,
  type QueryIndicatorPositional,
  QueryIndicatorPositionalSchema,
} from '../../../contract/generated/Qot_StockScreen_pb.js';
import { inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { type Indicator, indicatorFigure, PERIOD_MAX, parametersOf, positionFigure, RUN_MAX } from '../../screen/bar-figures.js';
import type { Condition, Figure } from '../../screen/index.js';
import { given } from '../../view/given.js';
import { volatilityRecord } from '../../view/volatility-record.js';
import { unserved } from './stock-properties.js';

/** Indicators of Qot_StockScreen by the numbers that its definition publishes; figures are those of the stock filter. */
const indicators: ReadonlyMap<number, number> = new Map([
  [1, CustomIndicatorField.CustomIndicatorField_Price],
  [11, CustomIndicatorField.CustomIndicatorField_MA5],
  [31, CustomIndicatorField.CustomIndicatorField_KDJ_K],
  [41, CustomIndicatorField.CustomIndicatorField_MACD_DIFF],
]);

/** Period → Qot_Common.KLType: day, week and month. */
const periods: ReadonlyMap<number, number> = new Map([
  [11, 2],
  [21, 3],
  [31, 4],
]);

/** Above, below, crossed upwards, crossed downwards: as in the stock filter. */
const POSITIONS = 4;

function indicatorNamed(name: number, parameters: readonly bigint[], path: string): Indicator | Refusal {
  const field = indicators.get(name);
  if (field === undefined) return new Refusal(`${path}: indicator ${name} is not served; served: ${[...indicators.keys()].join(', ')}`);
  const usual = parametersOf.get(field) ?? [];
  // The period of an average is in its name.
  const isFixed = usual.length < 2;
  if (parameters.length === 0 || isFixed) return { field, parameters: usual, value: 0 };
  if (parameters.length !== usual.length) return new Refusal(`${path}: expected ${usual.length} parameters, found ${parameters.length}`);
  const wrong = parameters.find((one) => one < 1n || one > BigInt(PERIOD_MAX));
  if (wrong !== undefined) return new Refusal(`${path}: parameter ${wrong} is out of range, accepted: 1 to ${PERIOD_MAX}`);
  return { field, parameters: parameters.map(Number), value: 0 };
}

function barsOf(period: number, path: string): number | Refusal {
  return periods.get(period) ?? new Refusal(`${path}: period ${period} is not served; served: 11 (day), 21 (week), 31 (month)`);
}

/** Holds where an indicator stands to another one, or to a value, as asked, for as many bars running. */
export function positionCondition(query: QueryIndicatorPositional, path: string): Condition | Refusal {
  const secondIndicator = given(QueryIndicatorPositionalSchema, query, 'secondIndicator');
  const secondValue = given(QueryIndicatorPositionalSchema, query, 'secondValue');
  const first = indicatorNamed(
    query.firstIndicatorName || query.firstIndicator,
    query.firstIndicatorParams,
    `${path}.first_indicator_name`,
  );
  if (first instanceof Refusal) return first;
  const klType = barsOf(query.periodType || query.period, `${path}.period_type`);
  if (klType instanceof Refusal) return klType;
  if (query.position < 1 || query.position > POSITIONS)
    return new Refusal(`${path}.position: ${query.position} is none; accepted: 1 above, 2 below, 3 crosses up, 4 crosses down`);
  if (query.intervals.length > 0) return new Refusal(`${path}.intervals: not served; give second_indicator or second_value`);
  const run = query.continuousPeriod || 1;
  if (run < 1 || run > RUN_MAX) return new Refusal(`${path}.continuous_period: ${run} is out of range, accepted: 1 to ${RUN_MAX}`);
  if ((secondIndicator === undefined) === (secondValue === undefined))
    return new Refusal(`${path}: expected one of second_indicator and second_value`);
  const second =
    secondIndicator !== undefined
      ? indicatorNamed(secondIndicator, query.secondIndicatorParams, `${path}.second_indicator`)
      : { field: CustomIndicatorField.CustomIndicatorField_Value, parameters: [], value: Number(secondValue) };
  if (second instanceof Refusal) return second;
  return { figure: positionFigure(first, second, query.position, klType, run), accepts: (value) => value === 1 };
}

/** The value of an indicator at the newest bar. */
export function indicatorFigureOf({ name, period, indicatorParams }: PropertyIndicator, path: string): Figure | Refusal {
  const indicator = indicatorNamed(name, indicatorParams, path);
  if (indicator instanceof Refusal) return indicator;
  const klType = barsOf(period || DAY, `${path}.period`);
  return klType instanceof Refusal ? klType : indicatorFigure(indicator, klType);
}

const DAY = 11;

/** Implied volatility of a share's options and its rank in the year, percent; nothing of shares without options. */
const optionFigures: ReadonlyMap<number, Figure> = new Map([
  [1000, volatility('implied')],
  [1001, volatility('rank')],
]);

export function optionFigureOf({ name }: PropertyOption, path: string): Figure | Refusal {
  return optionFigures.get(name) ?? unserved(path, name, optionFigures.keys());
}

function volatility(which: 'implied' | 'rank'): Figure {
  return {
    key: `option volatility ${which}`,
    lasts: 'day',
    rowsATurn: 1,
    of: async (facts, { listing, quote }) => (await inTurns(volatilityRecord(facts, listing, quote.tradingDay)))?.[which] ?? Number.NaN,
  };
}
