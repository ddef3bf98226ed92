import { answeredBy, operation } from '../declare.js';
import { klType, periodType, quoteMarketNumbers, rehabType, securityType, session } from '../enums.js';
import * as messages from '../generated/messages.js';
import { OrderBookType } from '../generated/Qot_Common_pb.js';
import { C2SSchema as HistoryOrdersC2S } from '../generated/Trd_GetHistoryOrderList_pb.js';
import { statisticInterval } from '../list-enums.js';
import { anyOf } from '../scope.js';
import { bytes, choice, flag, id, integer, SYMBOLS_MAX, symbol, symbols, time, tradeHeader } from '../shape.js';

const common = { group: 'quote', effect: 'read', scope: anyOf('qot:read'), reach: 'request' } as const;

export const getQuote = operation({
  ...common,
  name: 'get_quote',
  protoId: 3004,
  messages: messages.QotGetBasicQot,
  title: 'Quote',
  summary: 'The current quote: last price, day range, volume and turnover.',
  guide:
    'The cheapest way to a price; up to 2,000 symbols a call. If it is refused, svc_subscribe the symbols to Basic first: some brokerages require it. For valuation or lot size use svc_get_snapshot. No quota.',
  shape: [
    symbols('securityList', {
      as: 'symbol',
      aliases: ['symbols', 'code', 'stock', 'security', 'stocks', 'code_list', 'symbol_list', 'security_list'],
      max: SYMBOLS_MAX,
      single: true,
    }),
  ],
});

export const getSnapshot = operation({
  ...common,
  name: 'get_snapshot',
  protoId: 3203,
  messages: messages.Snapshot,
  title: 'Snapshot',
  summary: 'A fuller picture than the quote: book top, ranges, valuation, lot and price step.',
  guide:
    'Needs no subscription and no quota; up to 2,000 symbols a call. Read lot size and price step here before an order. Several times larger than svc_get_quote.',
  shape: [
    symbols('securityList', {
      as: 'symbol',
      aliases: ['symbols', 'code', 'stock', 'security', 'stocks', 'code_list', 'symbol_list', 'security_list'],
      max: SYMBOLS_MAX,
      single: true,
    }),
    flag('partial', {
      about: 'Answer what is known, and name the rest in missing, where an unknown symbol else refuses all.',
      brief: 'Unknown symbols go to missing.',
    }),
  ],
});

/** How a model gets bars: a line of figures each. */
const rows = { list: 'klList', columns: ['time', 'openPrice', 'highPrice', 'lowPrice', 'closePrice', 'volume', 'turnover'] };

/** Parameters that select bars, for any request for bars. */
const series = [
  symbol('security'),
  choice('klType', klType, { default: 2, about: 'Bar length; day when omitted.', brief: '' }),
  choice('rehabType', rehabType, { default: 0, about: 'Price adjustment for corporate actions.', brief: '' }),
];

export const getHistoryKline = operation({
  ...common,
  name: 'get_history_kline',
  protoId: 3103,
  messages: messages.QotRequestHistoryKL,
  title: 'History K-line',
  summary: 'K-line bars between two times, paged.',
  guide:
    'A symbol’s first request within 30 days spends one unit of the history K-line quota (svc_get_history_kl_quota); repeats are free. When next_req_key comes back, repeat the call with it for the next bars.',
  shape: [
    ...series,
    time('beginTime', {
      aliases: ['begin'],
      inTools: 'begin',
      about: 'First time, inclusive: yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, in the market’s zone.',
    }),
    time('endTime', {
      aliases: ['end'],
      inTools: 'end',
      about: 'Last time, inclusive: yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, in the market’s zone.',
    }),
    integer('maxAckKLNum', {
      as: 'max_count',
      aliases: ['req_num'],
      default: 1000,
      absenceCounts: true,
      min: 0,
      max: 1000,
      about: 'Most bars of one page; 0 for no limit.',
    }),
    id('needKLFieldsFlag', { about: 'Bit set of the fields wanted; all when omitted.' }),
    flag('extendedTime', { about: 'US pre-market and after-hours bars too (60 minutes and shorter).' }),
    choice('session', session, { about: 'US session.' }),
    bytes('nextReqKey', { about: 'Key of the next page, from the page before.' }),
  ],
  rows,
});

export const getKline = operation({
  ...common,
  name: 'get_kline',
  protoId: 3006,
  messages: messages.QotGetKL,
  title: 'Recent K-line',
  summary: 'The most recent K-line bars of a symbol, the running one included.',
  guide:
    'For charts and indicators of the recent past; spends no quota. Some brokerages require a K-line subscription first. With begin and end it reads history as svc_get_history_kline does, and then spends the history K-line quota.',
  shape: [...series, integer('reqNum', { aliases: ['count'], inTools: 'count', default: 100, min: 1, max: 1000, about: 'How many bars.' })],
  otherForm: answeredBy(getHistoryKline, [
    ...series,
    time('beginTime', {
      as: 'begin',
      aliases: ['begin_time'],
      about: 'With end: bars from this time on, yyyy-MM-dd, in the market’s zone.',
    }),
    time('endTime', { as: 'end', aliases: ['end_time'], about: 'Last day, inclusive.' }),
    integer('maxAckKLNum', { as: 'count', aliases: ['req_num'], default: 100, min: 1, max: 1000 }),
    bytes('nextReqKey', { about: 'With begin and end: key of the next bars, from the answer before.' }),
  ]),
  rows,
});

export const getHistoryKlQuota = operation({
  ...common,
  name: 'get_history_kl_quota',
  reach: [{ list: 'detailList', of: 'security', at: 'security' }],
  beside: ['usedQuota', 'remainQuota'],
  protoId: 3104,
  messages: messages.QotRequestHistoryKLQuota,
  title: 'History K-line quota',
  summary: 'History K-line quota: used, left, and which symbols used it.',
  guide:
    'Check it before svc_get_history_kline of several symbols: each distinct symbol within 30 days uses one unit; one already counted is free. Asking is free.',
  shape: [flag('bGetDetail', { default: false, about: 'List the symbols too.' })],
  withoutEffect: {
    message: HistoryOrdersC2S,
    shape: [...tradeHeader(), time('filterConditions.beginTime'), time('filterConditions.endTime')],
  },
});

export const getOrderBook = operation({
  ...common,
  name: 'get_orderbook',
  protoId: 3012,
  messages: messages.QotGetOrderBook,
  title: 'Order book',
  summary: 'Best bids and asks of one symbol, down to `depth` levels.',
  guide:
    'To judge liquidity and slippage before an order; it ages at once. Some brokerages require an OrderBook subscription first. Indices have an empty book, and only Hong Kong has odd-lot books.',
  shape: [
    symbol('security'),
    integer('num', { as: 'depth', default: 10, min: 1, max: 40, about: 'Levels of each side.' }),
    flag('orderBookType', {
      as: 'odd_lot',
      means: [OrderBookType.OrderBookType_Normal, OrderBookType.OrderBookType_Odd],
      about: 'The odd-lot book.',
    }),
  ],
});

export const getTicker = operation({
  ...common,
  name: 'get_ticker',
  protoId: 3010,
  messages: messages.QotGetTicker,
  title: 'Trades',
  summary: 'The newest trades of a symbol, oldest first.',
  guide:
    'At most 1000 recent prints with their direction. Some brokerages require a Ticker subscription first. For older prices use svc_get_history_kline. No quota.',
  shape: [symbol('security'), integer('maxRetNum', { as: 'count', default: 100, min: 1, max: 1000, about: 'How many trades.' })],
});

export const getRt = operation({
  ...common,
  name: 'get_rt',
  protoId: 3008,
  messages: messages.QotGetRT,
  title: 'Time-share',
  summary: 'Today minute by minute: price, average price, volume and turnover.',
  guide:
    'The intraday line, up to hundreds of points. Some brokerages require an RT subscription first. For a few minutes svc_get_kline with 1min is smaller. No quota.',
  shape: [symbol('security')],
});

export const getBroker = operation({
  ...common,
  name: 'get_broker',
  protoId: 3014,
  messages: messages.QotGetBroker,
  title: 'Broker queue',
  summary: 'Broker queues at the best bids and asks (Hong Kong).',
  guide:
    'Shares and funds of Hong Kong only; others are refused. Some brokerages require a Broker subscription first. For prices and sizes use svc_get_orderbook. No quota.',
  shape: [symbol('security')],
});

export const getStaticInfo = operation({
  ...common,
  name: 'get_static_info',
  protoId: 3202,
  messages: messages.QotGetStaticInfo,
  title: 'Static information',
  summary: 'Names, lot sizes, types and listing dates.',
  guide:
    'To identify a symbol, its lot size or a future’s last trading day. No subscription, no quota. Without symbols, market and sec_type list a whole market, which is large.',
  shape: [
    symbols('securityList', { required: false, max: SYMBOLS_MAX }),
    choice('market', quoteMarketNumbers, { about: 'Every security of this quote market; ignored if symbols are given.' }),
    choice('secType', securityType, { about: 'Only securities of this type; ignored if symbols are given.' }),
  ],
  needs: [{ oneOf: ['securityList', 'market', 'secType'] }],
});

export const getMarketState = operation({
  ...common,
  name: 'get_market_state',
  protoId: 3223,
  messages: messages.QotGetMarketState,
  title: 'Market state',
  summary: 'Whether the markets of symbols are open, closed or in a break.',
  guide:
    'Call it before an order, or when a price has stopped moving. States are numbers of the public QotMarketState. Up to 2,000 symbols a call; no subscription, no quota.',
  shape: [symbols('securityList', { max: SYMBOLS_MAX })],
});

export const getCapitalFlow = operation({
  ...common,
  name: 'get_capital_flow',
  protoId: 3211,
  messages: messages.QotGetCapitalFlow,
  title: 'Capital flow',
  summary: 'Money flowing in and out of a symbol over time, by order size.',
  guide:
    'Intraday is today minute by minute; day, week and month take dates, at most ten years, the last one when omitted. Net amounts in the symbol’s currency. No subscription, no quota.',
  shape: [
    symbol('security'),
    choice('periodType', periodType, { default: 1, about: '1 intraday, 2 day, 3 week, 4 month.' }),
    time('beginTime', { dateOnly: true, aliases: ['begin'] }),
    time('endTime', { dateOnly: true, aliases: ['end'] }),
  ],
});

export const getCapitalDistribution = operation({
  ...common,
  name: 'get_capital_distribution',
  protoId: 3212,
  messages: messages.QotGetCapitalDistribution,
  title: 'Capital distribution',
  summary: 'Money that flowed in and out of a symbol today, by order size.',
  guide:
    'One reading of today, in super, big, middle and small orders. For its course over time use svc_get_capital_flow. No subscription, no quota.',
  shape: [symbol('security')],
});

export const getTickerStatistic = operation({
  ...common,
  name: 'get_ticker_statistic',
  protoId: 20006,
  messages: messages.TickerStatistic,
  classes: { 'svc.ticker_statistic.C2S': { security: 'security', interval_type: 'none' } },
  title: 'Trade statistics',
  summary: 'What traded in a symbol today or in the last minutes, by aggressor and by size.',
  guide:
    'Who pushes the price: buyers or sellers, with many small trades or a few large ones. Counts every trade of regular hours. Price by price: svc_get_ticker_statistic_detail; single trades: svc_get_ticker.',
  shape: [symbol('security'), choice('interval_type', statisticInterval, { default: 1, about: 'The whole day, or the last minutes.' })],
});

export const getTickerStatisticDetail = operation({
  ...common,
  name: 'get_ticker_statistic_detail',
  protoId: 20007,
  messages: messages.TickerStatisticDetail,
  classes: { 'svc.ticker_statistic_detail.C2S': { security: 'security' } },
  title: 'Trades by price',
  summary: 'What traded in a symbol today at each price, by aggressor.',
  guide:
    'The volume profile of the day: the price at which most was traded, and where buyers or sellers were the aggressors. Highest price first. Sums of a shorter time: svc_get_ticker_statistic.',
  shape: [symbol('security')],
});
