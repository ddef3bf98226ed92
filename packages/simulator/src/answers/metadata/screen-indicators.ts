import { CustomIndicatorField, PatternField } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import type {
  PropertyIndicator,
  PropertyOption,
  QueryIndicatorPattern,
  QueryIndicatorPositional,
} from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { Refusal } from '../../refusal.js';
import {
  type Indicator,
  indicatorFigure,
  PERIOD_MAX,
  parametersOf,
  patternFigure,
  positionFigure,
  RUN_MAX,
} from '../../screen/bar-figures.js';
import type { Figure } from '../../screen/column-snapshot.js';
import type { Condition } from '../../screen/screen.js';
import { given } from '../../view/messages.js';
import { volatilityRecord } from '../../view/past-trading.js';
import { unserved } from './stock-properties.js';

const { CustomIndicatorField_MA5: MA5, CustomIndicatorField_EMA5: EMA5 } = CustomIndicatorField;

/**
 * Indicators of Qot_StockScreen by their published numbers; figures are those of the stock filter. Averages are over 5, 10, 20, 30, 60, 120 and 250 bars.
 * Numbers with parameters of the request's own stand beside those with the usual ones.
 */
const indicators: ReadonlyMap<number, number> = new Map([
  [1, CustomIndicatorField.CustomIndicatorField_Price],
  ...Array.from({ length: 7 }, (_, i): [number, number] => [11 + i, MA5 + i]),
  [18, CustomIndicatorField.CustomIndicatorField_MA],
  ...Array.from({ length: 7 }, (_, i): [number, number] => [21 + i, EMA5 + i]),
  [28, CustomIndicatorField.CustomIndicatorField_EMA],
  ...lines(31, [
    CustomIndicatorField.CustomIndicatorField_KDJ_K,
    CustomIndicatorField.CustomIndicatorField_KDJ_D,
    CustomIndicatorField.CustomIndicatorField_KDJ_J,
  ]),
  ...lines(41, [
    CustomIndicatorField.CustomIndicatorField_MACD_DIFF,
    CustomIndicatorField.CustomIndicatorField_MACD_DEA,
    CustomIndicatorField.CustomIndicatorField_MACD,
  ]),
  [51, CustomIndicatorField.CustomIndicatorField_RSI],
  [52, CustomIndicatorField.CustomIndicatorField_RSI],
  ...lines(61, [
    CustomIndicatorField.CustomIndicatorField_BOLL_UPPER,
    CustomIndicatorField.CustomIndicatorField_BOLL_MIDDLER,
    CustomIndicatorField.CustomIndicatorField_BOLL_LOWER,
  ]),
]);

/** The lines of an indicator are numbered on end, and then the same lines with parameters. */
function lines(first: number, fields: readonly number[]): [number, number][] {
  return [...fields, ...fields].map((field, i) => [first + i, field]);
}

/** Period → Qot_Common.KLType. */
const periods: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [2, 10],
  [3, 6],
  [4, 7],
  [5, 9],
  [6, 8],
  [11, 2],
  [21, 3],
  [31, 4],
]);
const PERIODS = '1, 2, 3, 4, 6 and 5 (1, 3, 5, 15, 30 and 60 minutes), 11 (day), 21 (week), 31 (month)';

/** Patterns of Qot_StockScreen by their published numbers: those of the stock filter, four of each kind. */
const patternFields: ReadonlyMap<number, number> = new Map([
  [1, PatternField.PatternField_MAAlignmentLong],
  [2, PatternField.PatternField_MAAlignmentShort],
  [3, PatternField.PatternField_EMAAlignmentLong],
  [4, PatternField.PatternField_EMAAlignmentShort],
  [11, PatternField.PatternField_KDJGoldCrossLow],
  [12, PatternField.PatternField_KDJDeathCrossHigh],
  [13, PatternField.PatternField_KDJTopDivergence],
  [14, PatternField.PatternField_KDJBottomDivergence],
  [21, PatternField.PatternField_MACDGoldCrossLow],
  [22, PatternField.PatternField_MACDDeathCrossHigh],
  [23, PatternField.PatternField_MACDTopDivergence],
  [24, PatternField.PatternField_MACDBottomDivergence],
  [31, PatternField.PatternField_RSIGoldCrossLow],
  [32, PatternField.PatternField_RSIDeathCrossHigh],
  [33, PatternField.PatternField_RSITopDivergence],
  [34, PatternField.PatternField_RSIBottomDivergence],
  [41, PatternField.PatternField_BOLLBreakUpper],
  [42, PatternField.PatternField_BOLLLower],
  [43, PatternField.PatternField_BOLLCrossMiddleUp],
  [44, PatternField.PatternField_BOLLCrossMiddleDown],
]);

function indicatorNamed(name: number, parameters: readonly bigint[], path: string, paramsPath: string): Indicator | Refusal {
  const field = indicators.get(name);
  if (field === undefined)
    return new Refusal(`${path}: indicator ${name} is not served; served: ${[...indicators.keys()].join(', ')}`, 'broker.value');
  return withParameters(field, parameters.map(Number), 0, paramsPath);
}

function barsNumbered(period: number, path: string): number | Refusal {
  return periods.get(period) ?? new Refusal(`${path}: period ${period} is not served; served: ${PERIODS}`, 'broker.value');
}

/** Holds where an indicator stands to another one, or to a value, as asked, for as many bars running. */
export function positionCondition(query: QueryIndicatorPositional, path: string): Condition | Refusal {
  const secondIndicator = given(query, 'secondIndicator');
  const secondValue = given(query, 'secondValue');
  const first = indicatorNamed(
    query.firstIndicatorName || query.firstIndicator,
    query.firstIndicatorParams,
    `${path}.first_indicator_name`,
    `${path}.first_indicator_params`,
  );
  if (first instanceof Refusal) return first;
  const klType = barsNumbered(query.periodType || query.period, `${path}.period_type`);
  if (klType instanceof Refusal) return klType;
  const wrong = checkPosition(query.position, `${path}.position`);
  if (wrong !== undefined) return wrong;
  if (query.intervals.length > 0)
    return new Refusal(`${path}.intervals: not served; give second_indicator or second_value`, 'broker.value');
  const run = query.continuousPeriod || 1;
  const tooLong = checkRun(run, `${path}.continuous_period`);
  if (tooLong !== undefined) return tooLong;
  if ((secondIndicator === undefined) === (secondValue === undefined))
    return new Refusal(`${path}: expected one of second_indicator and second_value`, 'broker.value');
  const second =
    secondIndicator !== undefined
      ? indicatorNamed(secondIndicator, query.secondIndicatorParams, `${path}.second_indicator`, `${path}.second_indicator_params`)
      : { field: CustomIndicatorField.CustomIndicatorField_Value, parameters: [], value: Number(secondValue) };
  if (second instanceof Refusal) return second;
  return { figure: positionFigure(first, second, query.position, klType, run), accepts: (value) => value === 1 };
}

/** The value of an indicator at the newest bar. */
export function indicatorFigureOf({ name, period, indicatorParams }: PropertyIndicator, path: string): Figure | Refusal {
  const indicator = indicatorNamed(name, indicatorParams, `${path}.name`, `${path}.indicator_params`);
  if (indicator instanceof Refusal) return indicator;
  const klType = barsNumbered(period || DAY, `${path}.period`);
  return klType instanceof Refusal ? klType : indicatorFigure(indicator, klType);
}

/** Holds where a pattern stands (or does not, as asked) at each of so many bars running. */
export function patternCondition(query: QueryIndicatorPattern, path: string): Condition | Refusal {
  const number = query.name || query.pattern;
  const field = patternFields.get(number);
  if (field === undefined)
    return new Refusal(`${path}.name: pattern ${number} is not served; served: ${[...patternFields.keys()].join(', ')}`, 'broker.value');
  const klType = barsNumbered(query.periodType || query.period, `${path}.period_type`);
  if (klType instanceof Refusal) return klType;
  if (query.subPatterns.length > 0)
    return new Refusal(`${path}.sub_patterns: not served; give each pattern a filter of its own`, 'broker.value');
  const run = query.continuousPeriod || 1;
  const tooLong = checkRun(run, `${path}.continuous_period`);
  if (tooLong !== undefined) return tooLong;
  const wanted = given(query, 'isMatching') === false ? 0 : 1;
  return { figure: patternFigure(field, klType, run), accepts: (value) => value === wanted };
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
    speed: 1,
    of: (facts, { listing, quote }) => volatilityRecord(facts, listing, quote.tradingDay)?.[which] ?? Number.NaN,
  };
}

/** Terms of indicator and pattern conditions that the stock filter and the stock screen share; `path` is the field's, for refusals. */

/** An indicator with the parameters of a request, or the usual ones where it has none. */
export function withParameters(field: number, parameters: readonly number[], value: number, path: string): Indicator | Refusal {
  const usual = parametersOf.get(field) ?? [];
  if (parameters.length === 0 || hasFixedParameters(field)) return { field, parameters: usual, value };
  if (parameters.length !== usual.length)
    return new Refusal(`${path}: expected ${usual.length} parameters, found ${parameters.length}`, 'broker.value');
  const wrong = parameters.find((one) => one < 1 || one > PERIOD_MAX);
  if (wrong !== undefined) return new Refusal(`${path}: ${wrong} is out of range, accepted: 1 to ${PERIOD_MAX}`, 'broker.value');
  return { field, parameters, value };
}

/** The price has no parameters, and averages whose period is in their name have no others. */
function hasFixedParameters(field: number): boolean {
  return field < CustomIndicatorField.CustomIndicatorField_MA && field !== CustomIndicatorField.CustomIndicatorField_RSI;
}

/** Refuses a position of one indicator to another that neither message has. */
export function checkPosition(position: number, path: string): Refusal | undefined {
  if (position >= 1 && position <= 4) return undefined;
  return new Refusal(`${path}: unknown ${position}; accepted: 1 (above), 2 (below), 3 (crosses up), 4 (crosses down)`, 'broker.value');
}

/** Refuses a number of bars running that is out of bounds. */
export function checkRun(run: number, path: string): Refusal | undefined {
  return run >= 1 && run <= RUN_MAX ? undefined : new Refusal(`${path}: ${run} is out of range, accepted: 1 to ${RUN_MAX}`, 'broker.value');
}
