import type { DescMessage } from '@bufbuild/protobuf';
import { operation, post } from '../declare.js';
import { codeChangeType, ipoEvent, listedMarket, plateSetType, plateSort, tradeDateMarket } from '../enums.js';
import { type FieldClass, type FieldClasses, fieldsWithin, none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { anyOf } from '../scope.js';
import { choiceContent, screenOrder, warrantScreenOrder } from '../screen-enums.js';
import { ownScreenFields } from '../screen-numbers.js';
import { choice, choices, extensionVersion, flag, integer, part, symbol, symbols, text, time } from '../shape.js';
import { compactDay } from '../text-formats.js';

const common = { group: 'metadata', effect: 'read', scope: anyOf('qot:read'), reach: 'request' } as const;

export const getTradingDays = operation({
  ...common,
  name: 'get_trading_days',
  protoId: 3219,
  messages: messages.QotRequestTradeDate,
  title: 'Trading days',
  summary: 'The days on which a market, or one symbol, trades between two dates, and which of them are half days.',
  guide:
    'To count or step over trading days instead of guessing holidays; up to ten years a call. trade_date_type: 0 whole day, 1 morning only, 2 afternoon only. No subscription, no quota.',
  shape: [
    choice('market', tradeDateMarket, {
      // The message cannot do without it, and passes it over where there is a security.
      default: 0,
      about: 'Whose days (not the quote market: US is 2 here); ignored if a symbol is given.',
    }),
    symbol('security', { required: false, about: 'Ask for the days of this security instead, as MARKET.CODE.' }),
    time('beginTime', { dateOnly: true, aliases: ['begin'], about: 'First day, inclusive: yyyy-MM-dd.' }),
    time('endTime', { dateOnly: true, aliases: ['end'], about: 'Last day, inclusive: yyyy-MM-dd.' }),
  ],
  needs: [{ oneOf: ['market', 'security'] }],
});

const market = (about: string, options: { names?: boolean } = {}) => choice('market', listedMarket, { about, ...options });

export const listPlates = operation({
  ...common,
  name: 'list_plates',
  protoId: 3204,
  messages: messages.QotGetPlateSet,
  classes: { 'Qot_GetPlateSet.C2S': { market: 'quote_market', plateSetType: 'none' } },
  title: 'Plates',
  summary: 'The plates of a market: its industries, concepts and regions.',
  guide:
    'To look at a sector or a theme: a plate’s symbol (HK.BK1001) goes into svc_get_plate_security, and can be quoted and charted like an index. Free.',
  shape: [market('Whose plates.'), choice('plateSetType', plateSetType, { default: 0, about: 'Which kind of plates.' })],
  rest: [post('/api/list-plates'), post('/api/plate-set')],
});

export const getPlateSecurity = operation({
  ...common,
  name: 'get_plate_security',
  reach: [{ list: 'staticInfoList', of: 'security', at: 'basic.security' }],
  protoId: 3205,
  messages: messages.QotGetPlateSecurity,
  classes: { 'Qot_GetPlateSecurity.C2S': { plate: 'plate', sortField: 'none', ascend: 'none' } },
  title: 'Members of a plate',
  summary: 'The stocks that belong to a plate today, sorted as asked.',
  guide:
    'Take the plate’s symbol from svc_list_plates or svc_get_owner_plate. Sorted by change rate or turnover, the first members are its leaders; prices are not included: svc_get_snapshot has them.',
  shape: [
    symbol('plate', {
      as: 'plate',
      aliases: ['symbol', 'code', 'plate_code'],
      about: 'The plate, as MARKET.CODE: HK.LIST1001, US.BK1003.',
    }),
    choice('sortField', plateSort, { about: 'Code when omitted; Pre… and After… are of US stocks.' }),
    flag('ascend', { about: 'Ascending, which is the default, or descending.' }),
  ],
});

export const getOwnerPlate = operation({
  ...common,
  name: 'get_owner_plate',
  protoId: 3207,
  messages: messages.QotGetOwnerPlate,
  classes: { 'Qot_GetOwnerPlate.C2S': { securityList: 'security' } },
  title: 'Plates of a stock',
  summary: 'The plates that stocks belong to today: industry, region and concepts.',
  guide:
    'To find a stock’s peers: take a plate from here to svc_get_plate_security. Up to 200 symbols a call; indices, funds and contracts belong to none. Free.',
  shape: [symbols('securityList', { max: 200 })],
});

export const getCodeChange = operation({
  ...common,
  name: 'get_code_change',
  reach: [
    { list: 'codeChangeList', of: 'security', at: 'security' },
    { list: 'codeChangeList', of: 'security', at: 'relatedSecurity' },
  ],
  protoId: 3216,
  messages: messages.QotGetCodeChange,
  classes: {
    'Qot_GetCodeChange.C2S': { placeHolder: 'none', securityList: 'security', typeList: 'none' },
    'Qot_GetCodeChange.TimeFilter': { type: 'none', beginTime: 'none', endTime: 'none' },
  },
  title: 'Code changes',
  summary: 'Temporary and changed codes of Hong Kong stocks: splits, consolidations, nil-paid rights.',
  guide:
    'Call it when a code is unknown or has changed. Without arguments it lists all that are known, newest announcement first. Hong Kong only; other markets keep their codes.',
  shape: [
    symbols('securityList', { required: false, about: 'Only of these.' }),
    choices('typeList', codeChangeType, { as: 'code_change_type_list', about: 'Only of these types.' }),
  ],
  wrapper: 'search',
});

export const getSuspend = operation({
  ...common,
  name: 'get_suspend',
  protoId: 3201,
  messages: messages.QotGetSuspend,
  classes: { 'Qot_GetSuspend.C2S': { securityList: 'security', beginTime: 'none', endTime: 'none' } },
  title: 'Suspensions',
  summary: 'The trading days between two dates on which symbols were suspended.',
  guide:
    'To tell a gap in K-lines from a holiday (svc_get_trading_days). Past days only; up to 400 symbols, and as many days as make 36,600 with them. No quota.',
  shape: [
    symbols('securityList'),
    time('beginTime', { dateOnly: true, aliases: ['begin'], about: 'First day, inclusive: yyyy-MM-dd.' }),
    time('endTime', { dateOnly: true, aliases: ['end'], about: 'Last day, inclusive: yyyy-MM-dd.' }),
  ],
});

export const getRehab = operation({
  ...common,
  name: 'get_rehab',
  protoId: 3105,
  messages: messages.QotRequestRehab,
  classes: { 'Qot_RequestRehab.C2S': { security: 'security' } },
  title: 'Adjustment factors',
  summary: 'A symbol’s corporate actions with the factors that adjust its prices, oldest first.',
  guide:
    'adjusted = price × factor A + factor B, for each action in turn: forward on prices before its day, backward on those from it on. K-lines come adjusted with rehab_type; this is for adjusting raw ones.',
  shape: [symbol('security')],
});

export const getIpoList = operation({
  ...common,
  name: 'get_ipo_list',
  reach: [{ list: 'ipoList', of: 'security', at: 'basic.security' }],
  protoId: 3217,
  messages: messages.QotGetIpoList,
  classes: { 'Qot_GetIpoList.C2S': { market: 'quote_market' } },
  title: 'Upcoming listings',
  summary: 'Offerings of a market that are open or about to list: terms, prices, dates.',
  guide:
    'Shows what can be applied for now and what will trade soon; a symbol can be quoted from its first day on. Shanghai and Shenzhen are listed together. For past or later dates use svc_get_ipo_calendar.',
  shape: [market('Whose offerings.', { names: true })],
});

export const getIpoCalendar = operation({
  ...common,
  name: 'get_ipo_calendar',
  reach: [{ list: 'event_list', of: 'security', at: 'security' }],
  protoId: 20013,
  messages: messages.IpoCalendar,
  classes: {
    'svc.ipo_calendar.C2S': { market: 'quote_market', event_types: 'none', begin_date: 'none', end_date: 'none' },
  },
  title: 'IPO calendar',
  summary: 'What happens to offerings on which day: applications, pricing, results, listings.',
  guide:
    'For the offerings open now with their terms use svc_get_ipo_list. Up to 366 days a call, past or to come; which events there are depends on the market’s procedure.',
  shape: [
    market('Whose offerings.'),
    choices('event_types', ipoEvent, { about: 'Only these events; all when omitted.' }),
    text('begin_date', { required: true, format: compactDay, about: 'First day, inclusive: yyyyMMdd.' }),
    text('end_date', { required: true, format: compactDay, about: 'Last day, inclusive: yyyyMMdd.' }),
  ],
});

export const searchQuote = operation({
  ...common,
  name: 'search_quote',
  reach: [{ list: 'search_quote_list', of: 'security' }],
  protoId: 3262,
  messages: messages.QotGetSearchQuote,
  classes: { 'Qot_GetSearchQuote.C2S': { keyword: 'none', max_count: 'none' } },
  title: 'Search',
  summary: 'Finds symbols by name, code or pinyin initials, in any language; typing mistakes are forgiven. The best match comes first.',
  guide:
    'Start here whenever you have a name and need a symbol: "tencent", "腾讯", "txkg", "700" and "appel" all work. It finds only what is listed today. No subscription, no quota.',
  shape: [
    text('keyword', { aliases: ['query', 'q'], maxBytes: 256, about: 'A name, a code, or a part of one.' }),
    integer('max_count', { aliases: ['count', 'num'], default: 10, min: 1, max: 100, about: 'Most matches.' }),
  ],
  needs: [{ oneOf: ['keyword'] }],
});

/** Field classes of a screen's request: a market, and fields by number. */
function screenClasses(name: string): FieldClasses {
  return {
    [`svc.${name}.C2S`]: { market: 'quote_market', ...none('data_from', 'data_max_count', 'extension_version') },
    'svc.screen.NeedField': { field_id: 'none' },
    'svc.screen.FieldFilter': { field_id: 'none', min: 'none', max: 'none' },
    'svc.screen.FieldSort': { field_id: 'none', ascend: 'none' },
  };
}

const screenShape = [
  market('What to screen.'),
  integer('data_from', { min: 0, default: 0, about: 'How many to pass over.' }),
  integer('data_max_count', { min: 1, max: 500, default: 50, about: 'Most items of one page.' }),
  extensionVersion,
];

/** Every field that a screen's request names is one of its own. */
function fieldsOf(screen: keyof typeof ownScreenFields) {
  const fields = { name: 'field_id', members: ownScreenFields[screen].map(({ id, about }) => ({ name: about, public: id })) };
  return ['filters', 'sorts', 'need_fields'].map((list) => choice(`${list}[].field_id`, fields));
}

const screens = { ...common, switches: ['--enable-v18-experimental-reads'] } as const;
const quoteFieldsGuide =
  'In c2s_json, filters ({field_id, min, max}), sorts ({field_id, ascend}) and need_fields ({field_id}) name fields: 1 price, 3 change rate, 8 volume, 9 turnover, 15 change this year';

export const etfScreen = operation({
  ...screens,
  name: 'etf_screen',
  protoId: 20014,
  messages: messages.EtfScreen,
  classes: screenClasses('etf_screen'),
  values: fieldsOf('etf_screen'),
  title: 'ETF screen',
  summary: 'Exchange traded funds of a market that meet conditions, sorted, with the figures asked for.',
  guide: `${quoteFieldsGuide}, 23 assets, 24 net asset value, 25 premium, 26 yield.`,
  shape: screenShape,
});

export const fundScreen = operation({
  ...screens,
  name: 'fund_screen',
  protoId: 20015,
  messages: messages.FundScreen,
  classes: screenClasses('fund_screen'),
  values: fieldsOf('fund_screen'),
  title: 'Fund screen',
  summary: 'Listed trusts of a market that meet conditions, sorted, with the figures asked for.',
  guide: `${quoteFieldsGuide}, 23 assets, 24 net asset value, 25 premium, 26 yield.`,
  shape: screenShape,
});

export const futureScreen = operation({
  ...screens,
  name: 'future_screen',
  protoId: 20016,
  messages: messages.FutureScreen,
  classes: screenClasses('future_screen'),
  values: fieldsOf('future_screen'),
  title: 'Futures screen',
  summary: 'Listed futures of a market that meet conditions, sorted, with the figures asked for.',
  guide: `${quoteFieldsGuide}, 31 open interest, 32 its change, 34 days to expiry, 36 continuous (1).`,
  shape: screenShape,
});

export const bondScreen = operation({
  ...screens,
  name: 'bond_screen',
  protoId: 20017,
  messages: messages.BondScreen,
  classes: screenClasses('bond_screen'),
  values: fieldsOf('bond_screen'),
  title: 'Bond screen',
  summary: 'Listed bonds of a market that meet conditions, sorted, with the figures asked for.',
  guide: `${quoteFieldsGuide}, 41 coupon, 42 yield to maturity, 43 years to maturity, 46 government (1).`,
  shape: screenShape,
});

export const getStockFilter = operation({
  ...common,
  name: 'get_stock_filter',
  protoId: 3215,
  messages: messages.QotStockFilter,
  classes: {
    'Qot_StockFilter.C2S': { begin: 'none', num: 'none', market: 'stock_market', plate: 'plate' },
    'Qot_StockFilter.BaseFilter': { fieldName: 'none', filterMin: 'none', filterMax: 'none', isNoFilter: 'none', sortDir: 'none' },
    'Qot_StockFilter.AccumulateFilter': none('fieldName', 'filterMin', 'filterMax', 'isNoFilter', 'sortDir', 'days'),
    'Qot_StockFilter.FinancialFilter': none('fieldName', 'filterMin', 'filterMax', 'isNoFilter', 'sortDir', 'quarter'),
    'Qot_StockFilter.PatternFilter': { fieldName: 'none', klType: 'none', isNoFilter: 'none', consecutivePeriod: 'none' },
    'Qot_StockFilter.CustomIndicatorFilter': {
      ...none('firstFieldName', 'secondFieldName', 'relativePosition', 'fieldValue', 'klType', 'isNoFilter'),
      ...none('firstFieldParaList', 'secondFieldParaList', 'consecutivePeriod'),
    },
  },
  title: 'Stock filter',
  summary: 'Stocks of a market that meet conditions on prices, accumulated and financial figures, patterns and indicators.',
  guide:
    'In c2s_json: base_filter_list, accumulate_filter_list, financial_filter_list, pattern_filter_list and custom_indicator_filter_list, numbered as in the public protocol. A condition holds where is_no_filter is false; otherwise its figure is only shown. Shanghai and Shenzhen count as one market.',
  shape: [
    integer('begin', { min: 0, default: 0, about: 'How many to pass over.' }),
    integer('num', { min: 0, max: 200, default: 50, about: 'Most stocks of one page.' }),
    market('Whose stocks.'),
    symbol('plate', { as: 'plate', aliases: [], required: false, about: 'Only members of this plate, as MARKET.CODE.' }),
  ],
  // The protocol's own bounds.
  values: [
    integer('accumulateFilterList[].days', { min: 1 }),
    ...['patternFilterList', 'customIndicatorFilterList'].map((list) => integer(`${list}[].consecutivePeriod`, { min: 1, max: 12 })),
  ],
});

/** Every field of a request that names nothing a list could hold, but those that are said to. */
function namesNothing(desc: DescMessage, but: Readonly<Record<string, FieldClass>> = {}): FieldClasses {
  const classes: Record<string, Record<string, FieldClass>> = {};
  for (const field of fieldsWithin(desc)) {
    const { typeName } = field.parent;
    classes[typeName] = { ...classes[typeName], [field.name]: but[field.name] ?? 'none' };
  }
  return classes;
}

/** Conditions of the stock screen without whose property nothing says what they are of, and whose messages can do without it. */
const screenedProperties = ['klineShapeQuery', 'featuredPropertyQuery', 'brokerHoldingsQuery', 'optionQuery'];

export const stockScreen = operation({
  ...common,
  name: 'stock_screen',
  // It lists stocks by numbers that name no market.
  reach: 'beyond',
  protoId: 3252,
  messages: messages.QotStockScreen,
  classes: namesNothing(messages.QotStockScreen.C2SSchema, { watchlistStockIds: 'stock_id' }),
  title: 'Stock screen',
  summary: 'The stocks that meet every condition of filter_list, sorted, with the properties of retrieve_list.',
  guide:
    'Prefer svc_get_stock_filter, which takes names. Here properties are numbers: 2201 price, 2301 market value, 3102 change rate (0.05 is 5 %), 4101 net profit, 1101 code; name the market by simple_field_query (simple_field 1; HK 1, US 2, CN 3). Without retrieve_list it answers stock_id alone.',
  // The protocol's own bounds; a page of 0 is the usual one.
  values: [
    integer('pageFrom', { min: 0 }),
    integer('pageCount', { min: 0, max: 300 }),
    ...['sort', 'sortList[]'].map((sort) => choice(`${sort}.direction`, screenOrder)),
    integer('filterList[].simpleFieldQuery.simpleField', { required: true }),
    ...screenedProperties.map((query) => part(`filterList[].${query}.property`)),
  ],
});

export const warrantScreen = operation({
  ...common,
  name: 'warrant_screen',
  reach: [{ list: 'warrants', of: 'security', at: 'security', total: 'allCount', more: { field: 'lastPage', last: true } }],
  protoId: 3254,
  messages: messages.QotWarrantScreen,
  // Numbered in a way of its own: what is answered is what the key may see.
  classes: namesNothing(messages.QotWarrantScreen.C2SSchema, { marketType: 'filter' }),
  title: 'Warrant screen',
  summary: 'The warrants of a market that meet every condition of filter_list, sorted.',
  guide:
    'Prefer svc_get_warrant for one underlying. market_type 1 is Hong Kong. Fields are numbers: 4 issuer, 5 underlying and 6 type by choices (content_type 2 with text HK.00700, or 1 with value), 8 price, 9 street ratio, 10 volume, 16 leverage, 23 effective leverage by interval. only_count counts.',
  needs: [{ oneOf: ['marketType'] }],
  values: [
    integer('pageFrom', { min: 0 }),
    integer('pageCount', { min: 0 }),
    choice('sortList[].direction', warrantScreenOrder),
    choice('filterList[].choices[].contentType', choiceContent),
  ],
});
