import {
  type AccumulateField,
  type AccumulateFilter,
  type BaseFilter,
  CustomIndicatorField,
  type CustomIndicatorFilter,
  type FinancialFilter,
  type PatternFilter,
  StockField,
} from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import { missing, Refusal } from '../../refusal.js';
import { accumulated, type Indicator, indicatorFigure, parametersOf, patternFigure, positionFigure } from '../../screen/bar-figures.js';
import type { Figure } from '../../screen/column-snapshot.js';
import { financialFields, financialFigure, reports } from '../../screen/financial-figures.js';
import { patterns } from '../../screen/patterns.js';
import * as quotes from '../../screen/quote-figures.js';
import { between, type Condition, type SortKey } from '../../screen/screen.js';
import * as shares from '../../screen/share-figures.js';
import { given } from '../../view/messages.js';
import { checkPosition, checkRun, withParameters } from './screen-indicators.js';

/** A figure that a request is about: what it filters, sorts and shows. */
export interface RequestedColumn {
  readonly fieldName: number;
  /** Days, quarter or K-line type: what identifies the figure beside its field. */
  readonly about: number;
  readonly parameters: readonly number[];
  /** Undefined for a code or a name, which are no numbers. */
  readonly figure: Figure | undefined;
  readonly condition: Condition | undefined;
  readonly key: SortKey | undefined;
}

/** Fields shared by simple, accumulated and financial filters. */
type Filter = BaseFilter | AccumulateFilter | FinancialFilter;

const DAYS_MAX = 250;

export function baseColumns(filters: readonly BaseFilter[]): readonly RequestedColumn[] | Refusal {
  return columnsOf('base_filter_list', filters, ({ fieldName }) => {
    if (fieldName === StockField.StockField_StockCode || fieldName === StockField.StockField_StockName)
      return { figure: undefined, about: 0 };
    const figure = stockFields.get(fieldName);
    const accepted = [StockField.StockField_StockCode, StockField.StockField_StockName, ...stockFields.keys()];
    return figure === undefined ? unknownField(fieldName, accepted) : { figure, about: 0 };
  });
}

export function accumulateColumns(filters: readonly AccumulateFilter[]): readonly RequestedColumn[] | Refusal {
  return columnsOf('accumulate_filter_list', filters, ({ fieldName, days }) => {
    const accepted = [1, 2, 3, 4, 5];
    if (!accepted.includes(fieldName)) return unknownField(fieldName, accepted);
    if (days < 1 || days > DAYS_MAX) return `.days: ${days} is out of range, accepted: 1 to ${DAYS_MAX}`;
    return { figure: accumulated(fieldName as AccumulateField, days), about: days };
  });
}

export function financialColumns(filters: readonly FinancialFilter[]): readonly RequestedColumn[] | Refusal {
  return columnsOf('financial_filter_list', filters, ({ fieldName, quarter }) => {
    if (!financialFields.includes(fieldName)) return unknownField(fieldName, financialFields);
    const report = reports.get(quarter);
    if (report === undefined)
      return `.quarter: ${quarter} is out of range, accepted: 1 (annual), 2 (first), 3 (interim), 4 (third), 5 (most recent)`;
    return { figure: financialFigure(fieldName, report), about: quarter };
  });
}

/** Reads a filter's field, or says what is wrong with it: ".days: …". */
type Read<F> = (filter: F) => { readonly figure: Figure | undefined; readonly about: number } | string;

function columnsOf<F extends Filter>(list: string, filters: readonly F[], read: Read<F>): readonly RequestedColumn[] | Refusal {
  const columns: RequestedColumn[] = [];
  for (const [index, filter] of filters.entries()) {
    const path = `${list}[${index}]`;
    const found = read(filter);
    if (typeof found === 'string') return new Refusal(`${path}${found}`, 'broker.value');
    const { figure, about } = found;
    const common: Filter = filter;
    const { fieldName, sortDir } = common;
    // Nothing is filtered unless the request says so.
    const isFilter = given(common, 'isNoFilter') === false;
    const [min, max] = [given(common, 'filterMin'), given(common, 'filterMax')];
    if (isFilter && figure === undefined && (min !== undefined || max !== undefined))
      return new Refusal(`${path}: a code or a name has no bounds`);
    if (isFilter && min !== undefined && max !== undefined && min > max)
      return new Refusal(`${path}: filter_min ${min} is above filter_max ${max}`);
    if (sortDir < 0 || sortDir > 2)
      return new Refusal(`${path}.sort_dir: ${sortDir} is out of range, accepted: 0 (none), 1 (ascending), 2 (descending)`, 'broker.value');
    columns.push({
      fieldName,
      about,
      parameters: [],
      figure,
      condition: isFilter && figure !== undefined ? between(figure, min, max) : undefined,
      key: sortDir === 0 || figure === undefined ? undefined : { figure, direction: sortDir === 1 ? 'ascending' : 'descending' },
    });
  }
  return columns;
}

function unknownField(fieldName: number, accepted: readonly number[]): string {
  return `.field_name: unknown ${fieldName}; accepted: ${accepted.join(', ')}`;
}

export function patternConditions(filters: readonly PatternFilter[]): readonly Condition[] | Refusal {
  const conditions: Condition[] = [];
  for (const [index, filter] of filters.entries()) {
    const path = `pattern_filter_list[${index}]`;
    const { fieldName, klType } = filter;
    if (!patterns.has(fieldName)) return new Refusal(`${path}${unknownField(fieldName, [...patterns.keys()])}`, 'broker.value');
    const run = given(filter, 'consecutivePeriod') ?? 1;
    const wrong = checkBars(klType, run, path);
    if (wrong !== undefined) return wrong;
    if (given(filter, 'isNoFilter') === false) conditions.push(stands(patternFigure(fieldName, klType, run)));
  }
  return conditions;
}

export function indicatorColumns(
  filters: readonly CustomIndicatorFilter[],
): { readonly columns: readonly RequestedColumn[]; readonly conditions: readonly Condition[] } | Refusal {
  const [columns, conditions]: [RequestedColumn[], Condition[]] = [[], []];
  for (const [index, filter] of filters.entries()) {
    const path = `custom_indicator_filter_list[${index}]`;
    const { firstFieldName, secondFieldName, relativePosition, klType, fieldValue } = filter;
    if (firstFieldName === CustomIndicatorField.CustomIndicatorField_Value) {
      return new Refusal(`${path}.first_field_name: a value can only be the second field`);
    }
    const isValue = secondFieldName === CustomIndicatorField.CustomIndicatorField_Value;
    if (isValue && given(filter, 'fieldValue') === undefined) {
      return missing([`${path}.field_value`], 'required when second_field_name is 17 (value)');
    }
    const first = indicatorOf(firstFieldName, filter.firstFieldParaList, 0, `${path}.first_field`);
    if (first instanceof Refusal) return first;
    const second = indicatorOf(secondFieldName, filter.secondFieldParaList, isValue ? fieldValue : 0, `${path}.second_field`);
    if (second instanceof Refusal) return second;
    const run = given(filter, 'consecutivePeriod') ?? 1;
    const wrong = checkPosition(relativePosition, `${path}.relative_position`) ?? checkBars(klType, run, path);
    if (wrong !== undefined) return wrong;
    if (given(filter, 'isNoFilter') === false) {
      conditions.push(stands(positionFigure(first, second, relativePosition, klType, run)));
    }
    for (const indicator of [first, second]) {
      const { field: fieldName, parameters } = indicator;
      columns.push({
        fieldName,
        about: klType,
        parameters,
        figure: indicatorFigure(indicator, klType),
        condition: undefined,
        key: undefined,
      });
    }
  }
  return { columns, conditions };
}

/** `path`: of the field, without "_name" or "_para_list". */
function indicatorOf(field: number, parameters: readonly number[], value: number, path: string): Indicator | Refusal {
  if (!parametersOf.has(field))
    return new Refusal(`${path}_name: unknown ${field}; accepted: ${[...parametersOf.keys()].join(', ')}`, 'broker.value');
  return withParameters(field, parameters, value, `${path}_para_list`);
}

/** Qot_Common.KLType of the bars that the protocol names for these conditions: an hour, day, week and month. */
const barLengths: readonly number[] = [9, 2, 3, 4];

function checkBars(klType: number, run: number, path: string): Refusal | undefined {
  if (barLengths.includes(klType)) return checkRun(run, `${path}.consecutive_period`);
  return new Refusal(`${path}.kl_type: ${klType} is not accepted; accepted: 9 (60 minutes), 2 (day), 3 (week), 4 (month)`, 'broker.value');
}

function stands(figure: Figure): Condition {
  return { figure, accepts: (value) => value === 1 };
}

/** The simple properties of Qot_StockFilter that are numbers. */
const stockFields: ReadonlyMap<number, Figure> = new Map([
  [StockField.StockField_CurPrice, quotes.price],
  [StockField.StockField_CurPriceToHighest52WeeksRatio, quotes.toYearRange('last', 'high')],
  [StockField.StockField_CurPriceToLowest52WeeksRatio, quotes.toYearRange('last', 'low')],
  [StockField.StockField_HighPriceToHighest52WeeksRatio, quotes.toYearRange('high', 'high')],
  [StockField.StockField_LowPriceToLowest52WeeksRatio, quotes.toYearRange('low', 'low')],
  [StockField.StockField_VolumeRatio, quotes.volumeRatio],
  [StockField.StockField_BidAskRatio, quotes.bidAskRatio],
  [StockField.StockField_LotPrice, quotes.lotPrice],
  [StockField.StockField_MarketVal, shares.marketValue],
  [StockField.StockField_PeAnnual, shares.peAnnual],
  [StockField.StockField_PeTTM, shares.peTtm],
  [StockField.StockField_PbRate, shares.pb],
  [StockField.StockField_ChangeRate5min, quotes.changeOverFiveMinutes],
  [StockField.StockField_ChangeRateBeginYear, quotes.changeThisYear],
  [StockField.StockField_PSTTM, shares.psTtm],
  [StockField.StockField_PCFTTM, shares.pcfTtm],
  [StockField.StockField_TotalShare, shares.issuedShares],
  [StockField.StockField_FloatShare, shares.floatShares],
  [StockField.StockField_FloatMarketVal, shares.floatValue],
]);
