import {
  asDefined,
  type Dialect,
  defined,
  type Enumeration,
  enumeration,
  type FieldEnumerations,
  inCapitals,
  inSmallLetters,
  type Member,
  same,
} from './enumeration.js';
import { extensionEnumerations } from './extension-enums.js';
import { IssuerSchema, PriceReminderTypeSchema, SortFieldSchema, TradeDateMarketSchema } from './generated/Qot_Common_pb.js';
import { CodeChangeTypeSchema } from './generated/Qot_GetCodeChange_pb.js';
import { OrderStatusSchema } from './generated/Trd_Common_pb.js';
import { industryEnumerations } from './industry-enums.js';
import { institutionEnumerations } from './institution-enums.js';
import { listEnumerations } from './list-enums.js';
import { ownEnumerations } from './own-enums.js';
import { researchEnumerations } from './research-enums.js';

export type { Dialect, Enumeration, Member } from './enumeration.js';

/**
 * Every enumeration whose numbers a caller may send or see, as one table. A message inside the daemon always holds the
 * public protocol's number; each interface maps its own at its edge. Where an interface's column is missing, its
 * numbers are the public ones.
 *
 * The REST and tool lists of `trd_env`, `order_type`, `trd_market` and `kl_type` differ from the public protocol and
 * from each other. A wrong guess there sends a real order, so a number that is in no column is refused.
 */

export const trdEnv = enumeration('trd_env', [
  { name: 'simulate', public: 0, rest: 1, mcp: 1, aliases: ['sim'] },
  { name: 'real', public: 1, rest: 2, mcp: 2 },
]);

/** The low-level header of `/api/modify-order` alone: 0 is real there, and 2 is nothing. */
export const trdEnvOfModify = enumeration('trd_env', [
  { name: 'real', public: 1, rest: 0, mcp: 0 },
  { name: 'simulate', public: 0, rest: 1, mcp: 1, aliases: ['sim'] },
]);

export const trdMarket = enumeration(
  'trd_market',
  [
    { name: 'HK', public: 1 },
    { name: 'US', public: 2 },
    { name: 'CN', public: 3 },
    { name: 'HKCC', public: 4 },
    { name: 'FUTURES', public: 5 },
    { name: 'SG', public: 6 },
    { name: 'AU', public: 8, untraded: true },
    { name: 'JP', public: 15, restAlso: [7] },
    { name: 'MY', public: 111 },
    { name: 'CA', public: 112, untraded: true },
    // Markets of simulated futures accounts. JSON callers know them by the market of all futures alone.
    { name: 'FUTURES_SIMULATE_HK', public: 10, rest: null, mcp: null, offered: false, writtenAs: 'FUTURES' },
    { name: 'FUTURES_SIMULATE_US', public: 11, rest: null, mcp: null, offered: false, writtenAs: 'FUTURES' },
    { name: 'FUTURES_SIMULATE_SG', public: 12, rest: null, mcp: null, offered: false, writtenAs: 'FUTURES' },
    { name: 'FUTURES_SIMULATE_JP', public: 13, rest: null, mcp: null, offered: false, writtenAs: 'FUTURES' },
  ],
  { 7: 'CRYPTO', 17: 'PREDICTION', 113: 'HK_FUND', 123: 'US_FUND', 124: 'SG_FUND', 125: 'MY_FUND', 126: 'JP_FUND' },
);

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

export const secMarket = enumeration(
  'sec_market',
  [
    { name: 'HK', public: 1 },
    { name: 'US', public: 2 },
    { name: 'SH', public: 31 },
    { name: 'SZ', public: 32 },
    { name: 'SG', public: 41 },
    { name: 'JP', public: 51 },
    { name: 'AU', public: 61, untraded: true },
    { name: 'MY', public: 71 },
    { name: 'CA', public: 81, untraded: true },
    { name: 'FX', public: 91 },
  ],
  { 101: 'CC', 111: 'EC' },
);

export const trdSide = same('trd_side', { BUY: 1, SELL: 2, SELL_SHORT: 3, BUY_BACK: 4 });

export const orderType = enumeration(
  'order_type',
  [
    { name: 'NORMAL', public: 1, aliases: ['LIMIT'] },
    { name: 'MARKET', public: 2 },
    { name: 'ABSOLUTE_LIMIT', public: 5, mcp: 6 },
    { name: 'AUCTION', public: 6, mcp: 5 },
    { name: 'AUCTION_LIMIT', public: 7, mcp: null },
    { name: 'SPECIAL_LIMIT', public: 8, mcp: 7 },
    // From here on the public numbers, which mean nothing else in any list.
    { name: 'STOP', public: 10 },
    { name: 'STOP_LIMIT', public: 11 },
    { name: 'MARKET_IF_TOUCHED', public: 12 },
    { name: 'LIMIT_IF_TOUCHED', public: 13 },
    { name: 'TRAILING_STOP', public: 14 },
    { name: 'TRAILING_STOP_LIMIT', public: 15 },
    { name: 'TWAP_MARKET', public: 16 },
    { name: 'TWAP_LIMIT', public: 17 },
    { name: 'VWAP_MARKET', public: 18 },
    { name: 'VWAP_LIMIT', public: 19 },
  ],
  { 9: 'SPECIAL_LIMIT_ALL' },
);

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

export const modifyOrderOp = same('modify_order_op', { normal: 1, cancel: 2, disable: 3, enable: 4, delete: 5 });
export const session = same('session', { NONE: 0, RTH: 1, ETH: 2, ALL: 3 });
/** Sessions of orders: quotes have none of the night alone. */
export const orderSession = same('session', { NONE: 0, RTH: 1, ETH: 2, ALL: 3, OVERNIGHT: 4 });
export const timeInForce = same('time_in_force', { DAY: 0, GTC: 1, IOC: 2, GTD: 3 });
/** Reason why an order waits to be confirmed (Trd_Common.ReconfirmOrderReason of earlier versions of the protocol). */
export const reconfirmReason = same('reconfirm_op', { QTY_TOO_LARGE: 1, PRICE_ABNORMAL: 2 });
/** Trd_Common.TrailType. */
export const trailType = same('trail_type', { RATIO: 1, AMOUNT: 2 });
/** Orders that reverse a position: at the market, or limited to the last price. */
export const reversalPrice = same('price_type', { MARKET: 1, LIMIT: 2 });
/** Trd_Common.SecurityFirm. */
export const securityFirm = same('security_firm', {
  Unknown: 0,
  FutuSecurities: 1,
  FutuInc: 2,
  FutuSG: 3,
  FutuAU: 4,
  FutuCA: 5,
  FutuMY: 6,
  FutuJP: 7,
});
/** GetUserInfo's verification codes. */
export const verificationType = same('type', { PICTURE: 1, PHONE: 2 });
export const verificationOp = same('op', { REQUEST: 1, ENTER: 2 });
/** Ours, beyond the public list: the tools' USDT, which no published version of the protocol has a number for. */
export const CURRENCY_USDT = 1001;

export const currency = enumeration(
  'currency',
  [
    { name: 'HKD', public: 1 },
    { name: 'USD', public: 2 },
    { name: 'CNH', public: 3 },
    { name: 'JPY', public: 4 },
    { name: 'SGD', public: 5 },
    { name: 'AUD', public: 6 },
    { name: 'CAD', public: 7 },
    { name: 'MYR', public: 8 },
    { name: 'USDT', public: CURRENCY_USDT, rest: null, mcp: null },
  ],
  { 9: 'NZD' },
);
/** Currencies of the cash log, which says CNY where every other list says CNH. */
export const cashLogCurrency = enumeration(
  'currency',
  [
    { name: 'HKD', public: 1 },
    { name: 'USD', public: 2 },
    { name: 'CNY', public: 3, aliases: ['CNH'] },
    { name: 'JPY', public: 4 },
    { name: 'SGD', public: 5 },
  ],
  { 6: 'AUD', 7: 'CAD', 8: 'MYR', 9: 'NZD' },
);
/** Trd_FlowSummary.TrdCashFlowDirection. */
export const cashFlowDirection = same('direction', { in: 1, out: 2 });
export const cashLogDirection = same('in_out', { all: 0, in: 1, out: 2 });
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
/** Trd_Common.OrderStatus. */
export const orderStatus = defined('order_status', OrderStatusSchema, asDefined);
/** Qot_Common.QotMarketState. */
export const marketState = same('market_state', {
  Auction: 1,
  WaitingOpen: 2,
  Morning: 3,
  Rest: 4,
  Afternoon: 5,
  Closed: 6,
  PreMarketBegin: 8,
  PreMarketEnd: 9,
  AfterHoursBegin: 10,
  AfterHoursEnd: 11,
  NightOpen: 13,
  NightEnd: 14,
  FutureDayOpen: 15,
  FutureDayBreak: 16,
  FutureDayClose: 17,
  FutureDayWaitForOpen: 18,
  HkCas: 19,
  FutureNightWait: 20,
  FutureAfternoon: 21,
  FutureSwitchDate: 22,
  FutureOpen: 23,
  FutureBreak: 24,
  FutureBreakOver: 25,
  FutureClose: 26,
  StibAfterHoursWait: 27,
  StibAfterHoursBegin: 28,
  StibAfterHoursEnd: 29,
  CLOSE_AUCTION: 30,
  AFTERNOON_END: 31,
  NIGHT: 32,
  OVERNIGHT_BEGIN: 33,
  OVERNIGHT_END: 34,
  TRADE_AT_LAST: 35,
  TRADE_AUCTION: 36,
  OVERNIGHT: 37,
});

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
  ...same('sort_field', {
    Code: 1,
    CurPrice: 2,
    PriceChangeVal: 3,
    ChangeRate: 4,
    Status: 5,
    BidPrice: 6,
    AskPrice: 7,
    BidVol: 8,
    AskVol: 9,
    Volume: 10,
    Turnover: 11,
    Amplitude: 30,
    PreCurPrice: 35,
    AfterCurPrice: 36,
    PrePriceChangeVal: 37,
    AfterPriceChangeVal: 38,
    PreChangeRate: 39,
    AfterChangeRate: 40,
    PreAmplitude: 41,
    AfterAmplitude: 42,
    PreTurnover: 43,
    AfterTurnover: 44,
  }).members,
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
  {
    prefix: 'Trd_',
    fields: {
      trdEnv,
      trdMarket,
      trdMarketAuthList: trdMarket,
      filterMarket: trdMarket,
      trdSide,
      orderType,
      secMarket,
      modifyOrderOp,
      timeInForce,
      trailType,
      reconfirmReason,
      currency,
      session: orderSession,
    },
  },
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
  { prefix: 'Qot_Common.ComboLeg', fields: { side: trdSide } },
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
  { prefix: 'Qot_GetPlateSet.C2S', fields: { market: listedMarket, plateSetType } },
  { prefix: 'Qot_GetIpoList.C2S', fields: { market: listedMarket } },
  { prefix: 'Qot_StockFilter.C2S', fields: { market: listedMarket } },
  { prefix: 'Qot_WarrantScreen.C2S', fields: { marketType: warrantMarket } },
  { prefix: 'Qot_GetCodeChange.C2S', fields: { typeList: codeChangeType } },
  { prefix: 'Qot_GetCodeChange.CodeChangeInfo', fields: { type: codeChangeType } },
  { prefix: 'Qot_GetCodeChange.TimeFilter', fields: { type: codeChangeTime } },
  { prefix: 'Qot_GetSearchQuote.SearchQuote', fields: { market: quoteMarketNumbers, sec_type: securityType } },
  { prefix: 'svc.place_bracket_order', fields: { trdSide, orderType, secMarket, timeInForce } },
  { prefix: 'svc.get_brackets', fields: { trdMarket, secMarket, exit_side: trdSide } },
  { prefix: 'svc.reverse_position', fields: { price_type: reversalPrice } },
  { prefix: 'Trd_UnlockTrade.C2S', fields: { securityFirm } },
  { prefix: 'Verification.C2S', fields: { type: verificationType, op: verificationOp } },
  { prefix: 'svc.get_refusals', fields: { trdEnv, trdMarket, trdSide, orderType } },
  { prefix: 'svc.ipo_calendar', fields: { market: listedMarket, event_types: ipoEvent, event_type: ipoEvent } },
  { prefix: 'svc.etf_screen.C2S', fields: { market: listedMarket } },
  { prefix: 'svc.fund_screen.C2S', fields: { market: listedMarket } },
  { prefix: 'svc.future_screen.C2S', fields: { market: listedMarket } },
  { prefix: 'svc.bond_screen.C2S', fields: { market: listedMarket } },
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
  { prefix: 'svc.position_corporate_actions', fields: { trdMarket, secMarket, currency } },
  { prefix: 'svc.forex_rates', fields: { base_currency: currency, quote_currency: currency } },
  { prefix: 'svc.margin_info', fields: { trdMarket, secMarket, currency } },
  { prefix: 'svc.cash_log', fields: { trdMarket, secMarket, currency: cashLogCurrency, in_out: cashLogDirection } },
  { prefix: 'svc.cash_detail', fields: { trdMarket, secMarket, currency: cashLogCurrency, trd_side: trdSide } },
  { prefix: 'Trd_FlowSummary', fields: { cashFlowDirection } },
  { prefix: 'svc.quote_capability', fields: { market: quoteMarketNumbers, sub_type_list: subType, kl_type_list: klType } },
  { prefix: 'svc.quote_rights', fields: { market: quoteMarketNumbers } },
  { prefix: 'Qot_GetOptionStrategyAnalysis', fields: { option_strategy: optionStrategy } },
  { prefix: 'svc.position_orders', fields: { sec_market: secMarket, trd_side: trdSide, order_status: orderStatus } },
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

/** The number an interface writes for a member. */
export function numberIn(member: Member, dialect: Dialect): number {
  const own = dialect === 'rest' ? (member.rest ?? member.restWritten) : member.mcp;
  return own ?? member.public;
}

/** The numbers an interface knows, each with the member it means; it need not be traded. */
export function knownNumbers(enumeration: Enumeration, dialect: Dialect): Map<number, Member> {
  const known = new Map<number, Member>();
  for (const member of enumeration.members) {
    const own = dialect === 'rest' ? member.rest : member.mcp;
    if (own !== null) known.set(own ?? member.public, member);
    if (dialect === 'rest') for (const number of member.restAlso ?? []) known.set(number, member);
  }
  return known;
}

/** The numbers an interface accepts, each with the member it means. */
export function acceptedNumbers(enumeration: Enumeration, dialect: Dialect): Map<number, Member> {
  return new Map([...knownNumbers(enumeration, dialect)].filter(([, { untraded }]) => untraded !== true));
}

/** A number that REST writes for one of the public protocol that means something else there: 7 (CRYPTO) is written as 107. */
const BEYOND = 100;

/** Values that an interface writes for each public number: REST a number, tools a name. */
export function writtenValues(enumeration: Enumeration, dialect: Dialect): ReadonlyMap<number, number | string> {
  const written = new Map<number, number | string>();
  for (const member of enumeration.members) {
    const shown = shownAs(enumeration, member);
    written.set(member.public, dialect === 'mcp' ? shown.name : numberIn(shown, dialect));
  }
  const taken = knownNumbers(enumeration, dialect);
  for (const [text, name] of Object.entries(enumeration.protocolOnly ?? {})) {
    const number = Number(text);
    written.set(number, dialect === 'mcp' ? name : taken.has(number) ? BEYOND + number : number);
  }
  return written;
}

/** The public numbers whose members a caller of an interface may send: what a list of choices names there. */
export function sendableNumbers(enumeration: Enumeration, dialect: Dialect): ReadonlySet<number> {
  const accepted = new Set(acceptedNumbers(enumeration, dialect).values());
  const sendable = enumeration.members.filter((member) => {
    const shown = shownAs(enumeration, member);
    return dialect === 'mcp' ? shown.untraded !== true : accepted.has(shown);
  });
  return new Set(sendable.map((member) => member.public));
}

function shownAs({ members }: Enumeration, member: Member): Member {
  return members.find(({ name }) => name === member.writtenAs) ?? member;
}

/** The member that a name means, ignoring case. */
export function memberNamed(enumeration: Enumeration, name: string): Member | undefined {
  const wanted = name.toLowerCase();
  return enumeration.members.find((member) => [member.name, ...(member.aliases ?? [])].some((known) => known.toLowerCase() === wanted));
}

/** "1 (simulate), 2 (real)": what an error text lists. */
export function listAccepted(enumeration: Enumeration, dialect: Dialect): string {
  return [...acceptedNumbers(enumeration, dialect)].map(([number, member]) => `${number} (${member.name})`).join(', ');
}

/** The same where names are accepted too; some members may have no number: "day (1), quarter". */
export function listNamed(enumeration: Enumeration, dialect: Dialect): string {
  const numbers = new Map([...acceptedNumbers(enumeration, dialect)].map(([number, member]) => [member, number]));
  const named = enumeration.members.filter(({ offered, untraded }) => offered !== false && untraded !== true);
  return named.map((member) => (numbers.has(member) ? `${member.name} (${numbers.get(member)})` : member.name)).join(', ');
}

/** The numbers that a message of the public protocol may hold, each with its name. */
export function publicNumbers({ members, protocolOnly = {} }: Enumeration): ReadonlyMap<number, string> {
  const numbers = new Map(members.map((member) => [member.public, member.name]));
  for (const [number, name] of Object.entries(protocolOnly)) numbers.set(Number(number), name);
  return numbers;
}
