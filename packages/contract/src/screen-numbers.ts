import type { DescField } from '@bufbuild/protobuf';

/** A number by which requests of screens name a figure, or a text. */
export interface ScreenField {
  readonly id: number;
  readonly about: string;
  /** Empty where the meaning says it. */
  readonly unit: string;
  /** Whether a screen can be sorted by it. */
  readonly isSortable: boolean;
}

interface FieldList {
  readonly fields: readonly ScreenField[];
  /** Holds for all of them: where they are taken, and how they are given. */
  readonly note: string;
}

const CURRENCY = 'in its currency';
const PERCENT = 'percent';

type Row = readonly [id: number, about: string, unit?: string];

function sortable(...rows: readonly Row[]): ScreenField[] {
  return rows.map(([id, about, unit = '']) => ({ id, about, unit, isSortable: true }));
}

function notSortable(...rows: readonly Row[]): ScreenField[] {
  return rows.map(([id, about, unit = '']) => ({ id, about, unit, isSortable: false }));
}

const ofQuotes = sortable(
  [1, 'last price', CURRENCY],
  [2, 'change', CURRENCY],
  [3, 'change rate', PERCENT],
  [4, 'open', CURRENCY],
  [5, 'high', CURRENCY],
  [6, 'low', CURRENCY],
  [7, 'previous close', CURRENCY],
  [8, 'volume of the day', 'shares or contracts'],
  [9, 'turnover of the day', CURRENCY],
  [10, 'amplitude of the day', PERCENT],
  [11, 'average price of the day', CURRENCY],
  [12, 'best bid', CURRENCY],
  [13, 'best ask', CURRENCY],
  [14, 'change over five minutes', PERCENT],
  [15, 'change this year', PERCENT],
  [16, 'last price to the highest of 52 weeks', PERCENT],
  [17, 'last price to the lowest of 52 weeks', PERCENT],
  [18, 'days since the first of trading', 'days'],
);
const ofFunds = sortable(
  [21, 'turnover rate of the day', PERCENT],
  [22, 'price of a lot', CURRENCY],
  [23, 'assets', CURRENCY],
  [24, 'net asset value of a unit', CURRENCY],
  [25, 'premium of the price to it', PERCENT],
  [26, 'dividend yield', PERCENT],
  [27, 'units outstanding', 'units'],
  [28, 'asset class', '1 stocks, 2 bonds, 3 commodities, 4 money market, 5 futures, 6 swaps'],
);
const ofFutures = sortable(
  [31, 'open interest', 'contracts'],
  [32, 'change of the open interest', 'contracts'],
  [33, 'last settlement price', CURRENCY],
  [34, 'time to the last trading day', 'days'],
  [35, 'contract multiplier', 'units of the underlying'],
  [36, 'continuous contract', '1 or 0'],
);
const ofBonds = sortable(
  [41, 'coupon', 'percent of the nominal a year'],
  [42, 'yield to maturity', 'percent a year'],
  [43, 'time to maturity', 'years'],
  [44, 'accrued interest', 'percent of the nominal'],
  [45, 'nominal issued', CURRENCY],
  [46, 'government bond', '1 or 0'],
);

/** Fields of svc.screen, by the operations that take them. */
export const ownScreenFields = {
  etf_screen: [...ofQuotes, ...ofFunds],
  fund_screen: [...ofQuotes, ...ofFunds],
  future_screen: [...ofQuotes, ...ofFutures],
  bond_screen: [...ofQuotes, ...ofBonds],
} as const satisfies Readonly<Record<string, readonly ScreenField[]>>;

const ofOwnScreens: FieldList = {
  fields: [...ofQuotes, ...ofFunds, ...ofFutures, ...ofBonds],
  note: 'Of every screen 1 to 18, of ETFs and funds 21 to 28, of futures 31 to 36, of bonds 41 to 46.',
};

const averages = (first: number, name: string) =>
  [5, 10, 20, 30, 60, 120, 250].map((bars, i): Row => [first + i, `${name} of ${bars} bars`, CURRENCY]);
const lines = (first: number, names: readonly string[], indicator: string, unit = ''): Row[] => [
  ...names.map((name, i): Row => [first + i, `${name} of ${indicator}`, unit]),
  ...names.map((name, i): Row => [first + names.length + i, `${name} with indicator_params`, unit]),
];
const indicators: FieldList = {
  fields: sortable(
    [1, 'last price', CURRENCY],
    ...averages(11, 'simple average'),
    [18, 'simple average of indicator_params', CURRENCY],
    ...averages(21, 'exponential average'),
    [28, 'exponential average of indicator_params', CURRENCY],
    ...lines(31, ['K', 'D', 'J'], 'KDJ (9, 3, 3)'),
    ...lines(41, ['DIF', 'DEA', 'MACD'], 'MACD (12, 26, 9)', CURRENCY),
    [51, 'RSI of 12 bars', '0 to 100'],
    [52, 'RSI of indicator_params', '0 to 100'],
    ...lines(61, ['upper band', 'middle', 'lower band'], 'Bollinger (20, 2)', CURRENCY),
  ),
  note: '',
};
const periods: FieldList = {
  fields: notSortable(
    ...[1, 3, 5, 15, 60, 30].map((minutes, i): Row => [1 + i, minutes === 1 ? 'minutes' : `${minutes} minutes`]),
    [11, 'days'],
    [21, 'weeks'],
    [31, 'months'],
  ),
  note: 'The length of the bars; days where it is left out.',
};
const positions: FieldList = {
  fields: notSortable([1, 'above'], [2, 'below'], [3, 'crosses upwards'], [4, 'crosses downwards']),
  note: 'Of the first indicator to the second, or to second_value.',
};
const patternsOf = (first: number, names: readonly string[]) => names.map((name, i): Row => [first + i, name]);
const four = (name: string) => [
  `${name} golden cross, low`,
  `${name} death cross, high`,
  `${name} top divergence`,
  `${name} bottom divergence`,
];
const patterns: FieldList = {
  fields: notSortable(
    ...patternsOf(1, [
      'simple averages in rising order',
      'simple averages in falling order',
      'exponential averages in rising order',
      'exponential averages in falling order',
    ]),
    ...patternsOf(11, four('KDJ')),
    ...patternsOf(21, four('MACD')),
    ...patternsOf(31, four('RSI')),
    ...patternsOf(41, ['upper Bollinger band broken', 'lower band broken', 'middle crossed upwards', 'middle crossed downwards']),
  ),
  note: 'A condition alone.',
};
const terms: FieldList = {
  fields: notSortable([1, 'first quarter'], [2, 'second quarter by itself'], [10, 'last quarter that is out'], [100, 'fiscal year']),
  note: 'The fiscal year where it is left out.',
};
const directions: FieldList = {
  fields: notSortable([1, 'ascending'], [2, 'descending'], [3, 'ascending by size'], [4, 'descending by size']),
  note: 'By size: whatever the sign.',
};
const shapeTypes: FieldList = {
  fields: notSortable(
    [1, 'double bottom'],
    [2, 'triple bottom'],
    [3, 'inverse head and shoulders'],
    [10, 'rising triangle'],
    [1001, 'double top'],
    [1002, 'triple top'],
    [1003, 'head and shoulders'],
    [1010, 'falling triangle'],
    [2000, 'any bullish one'],
    [2001, 'any bearish one'],
  ),
  note: 'Shapes that the newest complete bar completes.',
};

const warrantFields: FieldList = {
  fields: sortable(
    [1, 'code', 'choices'],
    [4, 'issuer', 'choices, by number'],
    [5, 'underlying', 'choices, by symbol or stock number'],
    [6, 'type', 'choices: 1 call, 2 put, 3 bull, 4 bear, 5 inline'],
    [8, 'last price', `interval, ${CURRENCY}`],
    [9, 'street ratio', 'interval, percent'],
    [10, 'volume of the day', 'interval, units'],
    [16, 'leverage', 'interval, times'],
    [19, 'status', 'choices: 0 normal, 1 suspended, 2 ended, 3 to be listed'],
    [23, 'effective leverage', 'interval, times'],
  ),
  note: '',
};

/** By the message and the name of the field that holds the number. */
const lists: Readonly<Record<string, FieldList>> = {
  'svc.screen.NeedField.field_id': ofOwnScreens,
  'svc.screen.FieldFilter.field_id': ofOwnScreens,
  'svc.screen.FieldSort.field_id': ofOwnScreens,
  'svc.screen.FieldValue.field_id': ofOwnScreens,
  'Qot_StockScreen.QuerySimpleField.simpleField': {
    fields: notSortable(
      [1, 'market', '1 Hong Kong, 2 United States, 3 mainland, 4 Singapore, 5 Canada, 6 Australia, 7 Japan, 8 Malaysia'],
      [2, 'exchange', 'as exch_type of static information'],
      [3, 'index', 'id of static information: of a plate its members, of another index all of its market'],
      [4, 'watchlist', 'those of watchlist_stock_ids'],
    ),
    note: 'A condition alone; the values stand in screen_value_list.',
  },
  'Qot_StockScreen.PropertyBasic.name': {
    fields: [...sortable([1101, 'code'], [1102, 'name']), ...notSortable([1103, 'industry'])],
    note: '',
  },
  'Qot_StockScreen.PropertySimple.name': {
    fields: sortable(
      [2201, 'last price', CURRENCY],
      [2202, 'open', CURRENCY],
      [2203, 'previous close', CURRENCY],
      [2204, 'high', CURRENCY],
      [2205, 'low', CURRENCY],
      [2207, 'best bid', CURRENCY],
      [2208, 'best ask', CURRENCY],
      [2301, 'market value', CURRENCY],
    ),
    note: '',
  },
  'Qot_StockScreen.PropertyCumulative.name': {
    fields: sortable([3101, 'change over days', CURRENCY], [3102, 'change rate over days', 'a part: 0.05 is 5 %']),
    note: '',
  },
  'Qot_StockScreen.PropertyFinancial.name': {
    fields: sortable([4101, 'net profit', CURRENCY], [4102, 'growth of the net profit', PERCENT]),
    note: '',
  },
  'Qot_StockScreen.PropertyFinancial.term': terms,
  'Qot_StockScreen.PropertyIndicator.name': indicators,
  'Qot_StockScreen.PropertyIndicator.period': periods,
  'Qot_StockScreen.QueryIndicatorPositional.position': positions,
  'Qot_StockScreen.QueryIndicatorPositional.firstIndicatorName': indicators,
  'Qot_StockScreen.QueryIndicatorPositional.firstIndicator': indicators,
  'Qot_StockScreen.QueryIndicatorPositional.secondIndicator': indicators,
  'Qot_StockScreen.QueryIndicatorPositional.periodType': periods,
  'Qot_StockScreen.QueryIndicatorPositional.period': periods,
  'Qot_StockScreen.QueryIndicatorPattern.name': patterns,
  'Qot_StockScreen.QueryIndicatorPattern.pattern': patterns,
  'Qot_StockScreen.QueryIndicatorPattern.periodType': periods,
  'Qot_StockScreen.QueryIndicatorPattern.period': periods,
  'Qot_StockScreen.PropertyFeatured.name': {
    fields: sortable([5101, 'shares bought below the last price', PERCENT]),
    note: '',
  },
  'Qot_StockScreen.PropertyBroker.name': {
    fields: sortable(
      [6101, 'holdings of the largest brokers, param of them (10), mean over days (1)', PERCENT],
      [6102, 'growth of the holding of broker param, or of all, over days', PERCENT],
      [6103, 'brokers that hold any', 'brokers'],
    ),
    note: 'Hong Kong alone.',
  },
  'Qot_StockScreen.PropertyOption.name': {
    fields: sortable([1000, 'implied volatility', PERCENT], [1001, 'its rank in the year', PERCENT]),
    note: 'Shares with options alone.',
  },
  'Qot_StockScreen.PropertyKlineShape.name': {
    fields: sortable(
      [6200, 'shape that the newest complete bar completes', 'a number of value_set'],
      [6201, 'how often earlier ones went its way in five bars', PERCENT],
    ),
    note: 'A condition is about 6200 alone.',
  },
  'Qot_StockScreen.PropertyKlineShape.period': {
    fields: notSortable([5, '60 minutes'], [11, 'days']),
    note: '',
  },
  'Qot_StockScreen.QueryKlineShape.valueSet': shapeTypes,
  'Qot_StockScreen.Sort.direction': directions,
  'Qot_WarrantScreen.ScreenGroup.fieldId': warrantFields,
  'Qot_WarrantScreen.Sort.sortFieldId': warrantFields,
  'Qot_WarrantScreen.Sort.direction': { fields: notSortable([0, 'ascending'], [1, 'descending']), note: '' },
};

/** Units and order of the stock filter, whose numbers the definitions of the protocol name already. */
const notes: Readonly<Record<string, string>> = {
  'Qot_StockFilter.BaseFilter.fieldName':
    'Prices and values in the currency of the listing, changes and ratios to 52 weeks and to the other side of the book in percent, multiples as they are. All but StockCode and StockName can be sorted by.',
  'Qot_StockFilter.AccumulateFilter.fieldName':
    'Over days: rates and amplitude in percent, volume in shares and turnover in the currency of the listing, both a day. All can be sorted by.',
  'Qot_StockFilter.FinancialFilter.fieldName':
    'Amounts in the currency of the listing, per share where the name says so, rates and ratios in percent. All can be sorted by.',
  'Qot_StockFilter.PatternFilter.fieldName': 'A condition alone: none can be sorted by.',
  'Qot_StockFilter.CustomIndicatorFilter.firstFieldName': 'Averages and bands in the currency of the listing. None can be sorted by.',
  'Qot_StockFilter.CustomIndicatorFilter.secondFieldName': 'Value: field_value. None can be sorted by.',
};

/** The numbers that a field of a screen's message takes; undefined for fields that hold none. */
export function screenFieldsOf({ parent, name }: DescField): readonly ScreenField[] | undefined {
  return lists[`${parent.typeName}.${name}`]?.fields;
}

/** The meaning of each number that a field takes, its unit, and which can be sorted by; undefined where there is nothing to say. */
export function screenFieldText({ parent, name }: DescField): string | undefined {
  const path = `${parent.typeName}.${name}`;
  const list = lists[path];
  if (list === undefined) return notes[path];
  const numbers = list.fields.map(({ id, about, unit }) => `${id} ${about}${unit === '' ? '' : ` (${unit})`}`).join(', ');
  return [`${numbers}.`, list.note, sortText(list.fields)].filter((part) => part !== '').join(' ');
}

function sortText(fields: readonly ScreenField[]): string {
  const others = fields.filter(({ isSortable }) => !isSortable);
  if (others.length === fields.length) return '';
  return others.length === 0 ? 'All can be sorted by.' : `All but ${others.map(({ id }) => id).join(', ')} can be sorted by.`;
}
