import {
  asDefined,
  defined,
  type Enumeration,
  enumeration,
  type FieldEnumerations,
  inCapitals,
  inSmallLetters,
  same,
} from './enumeration.js';
import { extensionEnumerations } from './extension-enums.js';
import {
  IssuerSchema,
  PriceReminderTypeSchema,
  QotMarketStateSchema,
  SortFieldSchema,
  TradeDateMarketSchema,
} from './generated/Qot_Common_pb.js';
import { CodeChangeTypeSchema } from './generated/Qot_GetCodeChange_pb.js';
import { industryEnumerations } from './industry-enums.js';
import { institutionEnumerations } from './institution-enums.js';
import { listEnumerations } from './list-enums.js';
import { ownEnumerations } from './own-enums.js';
import { researchEnumerations } from './research-enums.js';
import { currency, orderStatus, tradeEnumerations } from './trade-enums.js';

export {
  acceptedNumbers,
  type Dialect,
  type Enumeration,
  knownNumbers,
  listAccepted,
  listNamed,
  type Member,
  memberNamed,
  numberIn,
  publicNumbers,
  sendableNumbers,
  writtenValues,
} from './enumeration.js';
export * from './trade-enums.js';

/**
 * Every enumeration whose numbers a caller may send or see, as one table. A message inside the daemon always holds the
 * public protocol's number; each interface maps its own at its edge. Where an interface's column is missing, its
 * numbers are the public ones.
 */

export const quoteMarketNumbers = same('market', { HK: 1, HK_FUTURE: 2, US: 11, SH: 21, SZ: 22, SG: 31, JP: 41, MY: 61, FX: 81 });

/** Markets whose securities can be listed and screened. The mainland is listed as a whole, by either number. */
export const listedMarket: Enumeration = {
  ...enumeration('market', [
    { name: 'HK', public: 1 },
    { name: 'HK_FUTURE', public: 2 },
    { name: 'US', public: 11 },
    { name: 'SH', public: 21, aliases: ['CN'] },
    { name: 'SZ', public: 22 },
    { name: 'SG', public: 31 },
    { name: 'JP', public: 41 },
    { name: 'MY', public: 61 },
  ]),
  ofMarkets: true,
};

/** Qot_Common.PlateSetType: which plates are meant. */
export const plateSetType = same('plate_set_type', { ALL: 0, INDUSTRY: 1, REGION: 2, CONCEPT: 3 });

/** Qot_GetCodeChange.CodeChangeType. */
export const codeChangeType = defined('code_change_type_list', CodeChangeTypeSchema, inCapitals);

/** Qot_GetCodeChange.TimeFilterType. */
const codeChangeTime = same('type', { PUBLIC: 1, EFFECTIVE: 2, END: 3 });

/** Events on the days of an offering. */
export const ipoEvent = same('event_types', {
  list: 1,
  apply: 2,
  apply_start: 3,
  apply_end: 4,
  winning: 5,
  approval: 6,
  issue_confirm: 7,
  price_confirm_start: 8,
  price_confirm_end: 9,
  inquiry_start: 10,
  inquiry_end: 11,
  draw: 12,
});

/** Qot_Common.TradeDateMarket: whose trading days are meant. NT and ST are Stock Connect, northbound and southbound. */
export const tradeDateMarket = defined('market', TradeDateMarketSchema, inCapitals);

/** Qot_Common.SecurityType. */
export const securityType = same('sec_type', {
  BOND: 1,
  BASKET_WARRANT: 2,
  STOCK: 3,
  ETF: 4,
  WARRANT: 5,
  INDEX: 6,
  PLATE: 7,
  OPTION: 8,
  PLATE_SET: 9,
  FUTURE: 10,
  FOREX: 11,
  CRYPTO: 12,
});

/** Ours, beyond the public list: REST's 4-minute bar, which the gateway makes from minutes. */
export const KL_TYPE_4MIN = 1004;

// Aliases are the names of the published Python client.
const klTypes = enumeration('kl_type', [
  { name: 'day', public: 2, rest: 1, mcp: 1, aliases: ['K_DAY'] },
  { name: 'week', public: 3, rest: 2, mcp: 2, aliases: ['K_WEEK'] },
  { name: 'month', public: 4, rest: 3, mcp: 3, aliases: ['K_MON'] },
  { name: '1min', public: 1, rest: 5, mcp: 5, aliases: ['K_1M'] },
  { name: '5min', public: 6, rest: 6, mcp: 6, aliases: ['K_5M'] },
  { name: '15min', public: 7, rest: 7, mcp: 7, aliases: ['K_15M'] },
  { name: '30min', public: 8, rest: 8, mcp: 8, aliases: ['K_30M'] },
  { name: '60min', public: 9, rest: 9, mcp: 9, aliases: ['K_60M'] },
  { name: '3min', public: 10, rest: 10, mcp: 10, aliases: ['K_3M'] },
  { name: '4min', public: KL_TYPE_4MIN, rest: 11, mcp: 11 },
  { name: 'quarter', public: 11, rest: null, restWritten: 111, mcp: null, aliases: ['K_QUARTER'] },
  { name: 'year', public: 5, rest: null, restWritten: 105, mcp: null, aliases: ['K_YEAR'] },
  { name: '10min', public: 12, rest: null, mcp: null, aliases: ['K_10M'] },
  { name: '120min', public: 13, rest: null, mcp: null, aliases: ['K_120M'] },
  { name: '180min', public: 14, rest: null, mcp: null, aliases: ['K_180M'] },
  { name: '240min', public: 15, rest: null, mcp: null, aliases: ['K_240M'] },
]);
export const klType: Enumeration = { ...klTypes, publicInC2s: true };

/** Lengths of the bars that a backend itself has: without those that are made of them here. */
export const barLength: Enumeration = { ...klType, members: klType.members.filter((member) => member.public !== KL_TYPE_4MIN) };

export const rehabType = enumeration('rehab_type', [
  { name: 'none', public: 0 },
  { name: 'forward', public: 1, aliases: ['qfq'] },
  { name: 'backward', public: 2, aliases: ['hfq'] },
]);

export const subType = enumeration('sub_types', [
  { name: 'Basic', public: 1, aliases: ['QUOTE'] },
  { name: 'OrderBook', public: 2, aliases: ['ORDER_BOOK'] },
  { name: 'Ticker', public: 4 },
  { name: 'RT', public: 5, aliases: ['RT_DATA'] },
  { name: 'KL_Day', public: 6, aliases: ['K_DAY'] },
  { name: 'KL_5Min', public: 7, aliases: ['K_5M'] },
  { name: 'KL_15Min', public: 8, aliases: ['K_15M'] },
  { name: 'KL_30Min', public: 9, aliases: ['K_30M'] },
  { name: 'KL_60Min', public: 10, aliases: ['K_60M'] },
  { name: 'KL_1Min', public: 11, aliases: ['K_1M'] },
  { name: 'KL_Week', public: 12, aliases: ['K_WEEK'] },
  { name: 'KL_Month', public: 13, aliases: ['K_MON'] },
  { name: 'Broker', public: 14 },
  { name: 'KL_Quarter', public: 15, aliases: ['K_QUARTER'] },
  { name: 'KL_Year', public: 16, aliases: ['K_YEAR'] },
  { name: 'KL_3Min', public: 17, aliases: ['K_3M'] },
  { name: 'KL_10Min', public: 18, aliases: ['K_10M'] },
  { name: 'KL_120Min', public: 19, aliases: ['K_120M'] },
  { name: 'KL_180Min', public: 20, aliases: ['K_180M'] },
  { name: 'KL_240Min', public: 21, aliases: ['K_240M'] },
  { name: 'OrderBook_Odd', public: 22, aliases: ['ORDER_BOOK_ODD'] },
]);

export const session = same('session', { NONE: 0, RTH: 1, ETH: 2, ALL: 3 });
/** GetUserInfo's verification codes. */
export const verificationType = same('type', { PICTURE: 1, PHONE: 2 });
export const verificationOp = same('op', { REQUEST: 1, ENTER: 2 });
/** Time units of a return calendar and a yield trend. */
export const periodUnit = same('query_type', { day: 1, month: 2, year: 3 });
export const returnMethod = same('method', { time_weighted: 1, money_weighted: 2 });
export const periodType = same('period_type', { INTRADAY: 1, DAY: 2, WEEK: 3, MONTH: 4 });
/** Qot_GetUserSecurityGroup.GroupType. */
export const watchlistGroupType = same('group_type', { CUSTOM: 1, SYSTEM: 2, ALL: 3 });
/** Qot_ModifyUserSecurity.ModifyUserSecurityOp. */
export const watchlistOp = same('op', { ADD: 1, DEL: 2, MOVE_OUT: 3 });
/** Qot_SetPriceReminder.SetPriceReminderOp. */
export const priceReminderOp = same('op', { ADD: 1, DEL: 2, ENABLE: 3, DISABLE: 4, MODIFY: 5, DEL_ALL: 6 });
/** Qot_Common.PriceReminderType. */
export const priceReminderType = defined('type', PriceReminderTypeSchema, inCapitals, {
  '5MinChangeRateUp': 'FIVE_MIN_CHANGE_RATE_UP',
  '5MinChangeRateDown': 'FIVE_MIN_CHANGE_RATE_DOWN',
  '3MinChangeRateUp': 'THREE_MIN_CHANGE_RATE_UP',
  '3MinChangeRateDown': 'THREE_MIN_CHANGE_RATE_DOWN',
});
/** Qot_Common.PriceReminderFreq. */
export const priceReminderFrequency = same('freq', { ALWAYS: 1, ONCE_A_DAY: 2, ONLY_ONCE: 3 });
/** Qot_Common.PriceReminderMarketStatus. */
export const priceReminderSession = same('sessions', { OPEN: 1, US_PRE: 2, US_AFTER: 3, US_OVERNIGHT: 4 });
/** Qot_SetOptionEventAlert.AlertOpType. */
export const optionAlertOp = same('oper_type', { ADD: 1, DELETE: 2, MODIFY: 3, ENABLE: 4, DISABLE: 5, DELETE_ALL: 6 });
const reminderFields = { type: priceReminderType, freq: priceReminderFrequency, reminderSessionList: priceReminderSession };
const orderBookType = same('order_book_type', { NORMAL: 0, ODD: 1 });
export const delayStatisticsType = same('type_list', { QOT_PUSH: 1, REQ_REPLY: 2, PLACE_ORDER: 3 });
export const qotPushStage = same('qot_push_stage', { SR2SS: 1, SS2CR: 2, CR2CS: 3, SS2CS: 4, SR2CS: 5 });

/** svc.wait_for: what is waited for. */
export const waitCondition = same('condition', { price: 1, order: 2, market: 3 });
export const waitFigure = same('figure', { last: 1, bid: 2, ask: 3 });
export const waitRelation = same('relation', { at_or_above: 1, at_or_below: 2, crosses: 3 });
const waitOutcome = same('outcome', { met: 1, timed_out: 2, over: 3 });
const definedStates = defined('market_state', QotMarketStateSchema, asDefined, {
  AShareAfterHoursWait: 'StibAfterHoursWait',
  AShareAfterHoursBegin: 'StibAfterHoursBegin',
  AShareAfterHoursEnd: 'StibAfterHoursEnd',
}).members;
/** Qot_Common.QotMarketState, without the one of days on which the server changes over. */
export const marketState = enumeration(
  'market_state',
  definedStates.filter(({ name }) => name !== 'FUTU_SWITCH_DATE').toSorted((one, other) => one.public - other.public),
);

export const referenceType = same('reference_type', { warrant: 1, future: 2 });
export const optionType = same('option_type', { all: 0, call: 1, put: 2 });
export const optionCondition = same('condition', { all: 0, in_the_money: 1, out_of_the_money: 2 });
export const indexOptionType = same('index_option_type', { normal: 1, small: 2 });
export const optionStrategy = same('option_strategy', {
  single: 1,
  covered: 2,
  spread: 4,
  straddle: 6,
  strangle: 7,
  collar: 8,
  butterfly: 9,
  condor: 11,
  iron_butterfly: 13,
  iron_condor: 14,
  calendar: 15,
  diagonal: 16,
});
export const warrantType = same('type_list', { call: 1, put: 2, bull: 3, bear: 4, inline: 5 });
export const warrantIssuer = defined('issuer_list', IssuerSchema, asDefined);
const sortFields = defined('sort_field', SortFieldSchema, inSmallLetters);
/** Sort fields of warrants: their part of Qot_Common.SortField. */
export const warrantSort: Enumeration = {
  ...sortFields,
  members: sortFields.members.filter(({ public: number }) => number <= 34 || (number >= 45 && number <= 47)),
};
/** Members of Qot_Common.SortField by which members of a plate are sorted; the others are columns of warrants and of other lists. */
export const plateSort = enumeration('sort_field', [
  ...defined('sort_field', SortFieldSchema, asDefined).members.filter(
    ({ public: number }) => number <= 11 || number === 30 || (number >= 35 && number <= 44),
  ),
  // Published clients write 0 where they leave it open.
  { name: 'Unknow', public: 0, offered: false },
]);
/** Qot_WarrantScreen.C2S.marketType: a numbering of its own. */
const warrantMarket: Enumeration = { ...same('market_type', { HK: 1, SG: 4, MY: 15 }), ofMarkets: true };
export const warrantStatus = same('status', { normal: 1, suspended: 2, stopped: 3, coming: 4 });
export const ipoPeriod = same('ipo_period', { today: 1, tomorrow: 2, next_week: 3, last_week: 4, last_month: 5 });
export const priceType = same('price_type', { out_of_the_money: 1, in_the_money: 2 });

/**
 * Enumerations of protocol fields that the messages declare as plain int32. By the field's name in the `.proto`, within
 * the packages that start with the prefix.
 */
const enumerationsByField: readonly FieldEnumerations[] = [
  ...ownEnumerations,
  ...extensionEnumerations,
  ...listEnumerations,
  ...researchEnumerations,
  ...institutionEnumerations,
  ...industryEnumerations,
  ...tradeEnumerations,
  {
    prefix: 'Qot_',
    fields: {
      klType,
      rehabType,
      rehabTypeList: rehabType,
      regPushRehabTypeList: rehabType,
      subType,
      subTypeList: subType,
      session,
      periodType,
      orderBookType,
    },
  },
  { prefix: 'Qot_Common.Security', fields: { market: quoteMarketNumbers } },
  { prefix: 'Qot_GetStaticInfo.C2S', fields: { market: quoteMarketNumbers, secType: securityType } },
  { prefix: 'Qot_GetReference.C2S', fields: { referenceType } },
  { prefix: 'Qot_GetOptionChain.C2S', fields: { type: optionType, condition: optionCondition, indexOptionType } },
  { prefix: 'Qot_GetOptionExpirationDate.C2S', fields: { indexOptionType } },
  {
    prefix: 'Qot_GetOptionStrategy.C2S',
    fields: { option_strategy: optionStrategy, option_type: optionType, index_option_type: indexOptionType },
  },
  {
    prefix: 'Qot_GetWarrant.C2S',
    fields: { typeList: warrantType, issuerList: warrantIssuer, sortField: warrantSort, ipoPeriod, priceType, status: warrantStatus },
  },
  { prefix: 'Qot_GetPlateSecurity.C2S', fields: { sortField: plateSort } },
  ...['Qot_GetIpoList', 'Qot_StockFilter', 'svc.etf_screen', 'svc.fund_screen', 'svc.future_screen', 'svc.bond_screen'].map((name) => ({
    prefix: `${name}.C2S`,
    fields: { market: listedMarket },
  })),
  { prefix: 'Qot_GetPlateSet.C2S', fields: { market: listedMarket, plateSetType } },
  { prefix: 'Qot_WarrantScreen.C2S', fields: { marketType: warrantMarket } },
  { prefix: 'Qot_GetCodeChange.C2S', fields: { typeList: codeChangeType } },
  { prefix: 'Qot_GetCodeChange.CodeChangeInfo', fields: { type: codeChangeType } },
  { prefix: 'Qot_GetCodeChange.TimeFilter', fields: { type: codeChangeTime } },
  { prefix: 'Qot_GetSearchQuote.SearchQuote', fields: { market: quoteMarketNumbers, sec_type: securityType } },
  { prefix: 'Verification.C2S', fields: { type: verificationType, op: verificationOp } },
  { prefix: 'svc.ipo_calendar', fields: { market: listedMarket, event_types: ipoEvent, event_type: ipoEvent } },
  { prefix: 'Qot_RequestTradeDate.C2S', fields: { market: tradeDateMarket } },
  { prefix: 'Qot_GetUserSecurityGroup.', fields: { groupType: watchlistGroupType } },
  { prefix: 'Qot_ModifyUserSecurity.', fields: { op: watchlistOp } },
  { prefix: 'Qot_SetPriceReminder.', fields: { ...reminderFields, op: priceReminderOp } },
  { prefix: 'Qot_GetPriceReminder.', fields: { ...reminderFields, market: quoteMarketNumbers } },
  { prefix: 'Qot_UpdatePriceReminder.', fields: { type: priceReminderType, marketStatus: priceReminderSession } },
  { prefix: 'Qot_SetOptionEventAlert.', fields: { operType: optionAlertOp } },
  { prefix: 'GetDelayStatistics', fields: { typeList: delayStatisticsType, qotPushStage } },
  { prefix: 'svc.return_calendar', fields: { currency, query_type: periodUnit, method: returnMethod } },
  { prefix: 'svc.yield_trend', fields: { currency, query_type: periodUnit, method: returnMethod } },
  { prefix: 'svc.quote_capability', fields: { market: quoteMarketNumbers, sub_type_list: subType, kl_type_list: klType } },
  { prefix: 'svc.quote_rights', fields: { market: quoteMarketNumbers } },
  { prefix: 'Qot_GetOptionStrategyAnalysis', fields: { option_strategy: optionStrategy } },
  { prefix: 'svc.kline_pattern', fields: { kline_type: barLength } },
  {
    prefix: 'svc.wait_for',
    fields: {
      condition: waitCondition,
      figure: waitFigure,
      relation: waitRelation,
      order_status_list: orderStatus,
      market_state_list: marketState,
      outcome: waitOutcome,
      market_state: marketState,
    },
  },
];

/** The enumeration of a protocol field, or undefined when it is a plain number. `type` is the message's full name. */
export function enumerationOf(type: string, field: string): Enumeration | undefined {
  return enumerationsByField.find(({ prefix, fields }) => type.startsWith(prefix) && field in fields)?.fields[field];
}
