import { asDefined, defined, enumeration, type FieldEnumerations, same } from './enumeration.js';
import { OrderStatusSchema } from './generated/Trd_Common_pb.js';

/**
 * Enumerations of accounts and orders. The REST and tool lists of `trd_env`, `order_type` and `trd_market` differ from the public protocol
 * and from each other. A wrong guess there sends a real order, so a number that is in no column is refused.
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

export const modifyOrderOp = same('modify_order_op', { normal: 1, cancel: 2, disable: 3, enable: 4, delete: 5 });
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
/** Trd_Common.OrderStatus. */
export const orderStatus = defined('order_status', OrderStatusSchema, asDefined);

/** By the fields that hold them. */
export const tradeEnumerations: readonly FieldEnumerations[] = [
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
  { prefix: 'Qot_Common.ComboLeg', fields: { side: trdSide } },
  { prefix: 'svc.place_bracket_order', fields: { trdSide, orderType, secMarket, timeInForce } },
  { prefix: 'svc.get_brackets', fields: { trdMarket, secMarket, exit_side: trdSide } },
  { prefix: 'svc.reverse_position', fields: { price_type: reversalPrice } },
  { prefix: 'Trd_UnlockTrade.C2S', fields: { securityFirm } },
  { prefix: 'svc.get_refusals', fields: { trdEnv, trdMarket, trdSide, orderType } },
  { prefix: 'svc.position_corporate_actions', fields: { trdMarket, secMarket, currency } },
  { prefix: 'svc.forex_rates', fields: { base_currency: currency, quote_currency: currency } },
  { prefix: 'svc.margin_info', fields: { trdMarket, secMarket, currency } },
  { prefix: 'svc.cash_log', fields: { trdMarket, secMarket, currency: cashLogCurrency, in_out: cashLogDirection } },
  { prefix: 'svc.cash_detail', fields: { trdMarket, secMarket, currency: cashLogCurrency, trd_side: trdSide } },
  { prefix: 'Trd_FlowSummary', fields: { cashFlowDirection } },
  { prefix: 'svc.position_orders', fields: { sec_market: secMarket, trd_side: trdSide, order_status: orderStatus } },
];
