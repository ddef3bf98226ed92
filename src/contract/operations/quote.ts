import { klType, orderBookType, periodType, rehabType, session } from '../enums.js';
import * as QotGetBasicQot from '../generated/Qot_GetBasicQot_pb.js';
import * as QotGetBroker from '../generated/Qot_GetBroker_pb.js';
import * as QotGetCapitalDistribution from '../generated/Qot_GetCapitalDistribution_pb.js';
import * as QotGetCapitalFlow from '../generated/Qot_GetCapitalFlow_pb.js';
import * as QotGetKL from '../generated/Qot_GetKL_pb.js';
import * as QotGetMarketState from '../generated/Qot_GetMarketState_pb.js';
import * as QotGetOrderBook from '../generated/Qot_GetOrderBook_pb.js';
import * as QotGetRT from '../generated/Qot_GetRT_pb.js';
import * as QotGetSecuritySnapshot from '../generated/Qot_GetSecuritySnapshot_pb.js';
import * as QotGetStaticInfo from '../generated/Qot_GetStaticInfo_pb.js';
import * as QotGetTicker from '../generated/Qot_GetTicker_pb.js';
import * as QotRequestHistoryKL from '../generated/Qot_RequestHistoryKL_pb.js';
import * as QotRequestHistoryKLQuota from '../generated/Qot_RequestHistoryKLQuota_pb.js';
import { operation, post } from '../operation.js';
import { anyOf } from '../scope.js';
import { bytes, choice, flag, id, integer, symbol, symbols, time } from '../shape.js';

const group = 'quote';
const effect = 'read';
const scope = anyOf('qot:read');

export const getQuote = operation({
  name: 'get_quote',
  group,
  effect,
  scope,
  protoId: 3004,
  messages: QotGetBasicQot,
  summary: 'The current quote: last price, day range, volume and turnover.',
  shape: [
    symbols('securityList', {
      as: 'symbol',
      aliases: ['symbols', 'code', 'stock', 'security', 'stocks', 'code_list', 'symbol_list', 'security_list'],
      max: 200,
      single: true,
    }),
  ],
  rest: [post('/api/quote')],
});

export const getSnapshot = operation({
  name: 'get_snapshot',
  group,
  effect,
  scope,
  protoId: 3203,
  messages: QotGetSecuritySnapshot,
  summary: 'A fuller picture than the quote: book top, ranges, valuation, lot and price step.',
  shape: [
    symbols('securityList', {
      as: 'symbol',
      aliases: ['symbols', 'code', 'stock', 'security', 'stocks', 'code_list', 'symbol_list', 'security_list'],
      max: 400,
      single: true,
    }),
  ],
  rest: [post('/api/snapshot')],
});

export const getKline = operation({
  name: 'get_kline',
  group,
  effect,
  scope,
  protoId: 3006,
  messages: QotGetKL,
  summary: 'The most recent K-line bars of a symbol, the running one included.',
  shape: [
    symbol('security'),
    choice('klType', klType, { default: 2, about: 'Bar length; day when omitted.' }),
    choice('rehabType', rehabType, { default: 0, about: 'Price adjustment for corporate actions.' }),
    integer('reqNum', { aliases: ['count'], default: 100, min: 1, max: 1000, about: 'How many bars.' }),
  ],
  rest: [post('/api/kline')],
});

export const getHistoryKline = operation({
  name: 'get_history_kline',
  group,
  effect,
  scope,
  protoId: 3103,
  messages: QotRequestHistoryKL,
  summary: 'K-line bars between two times, paged.',
  shape: [
    symbol('security'),
    choice('klType', klType, { default: 2, about: 'Bar length; day when omitted.' }),
    choice('rehabType', rehabType, { default: 0, about: 'Price adjustment for corporate actions.' }),
    time('beginTime', { aliases: ['begin'], about: 'First time, inclusive: yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, in the market’s zone.' }),
    time('endTime', { aliases: ['end'], about: 'Last time, inclusive: yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, in the market’s zone.' }),
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
    choice('session', session, { about: 'US trading session.' }),
    bytes('nextReqKey', { about: 'Key of the next page, from the page before.' }),
  ],
  rest: [post('/api/history-kline')],
});

export const getHistoryKlQuota = operation({
  name: 'get_history_kl_quota',
  group,
  effect,
  scope,
  protoId: 3104,
  messages: QotRequestHistoryKLQuota,
  summary: 'History K-line quota: used, left, and which symbols used it.',
  shape: [flag('bGetDetail', { default: false, about: 'List the symbols too.' })],
  rest: [post('/api/history-kl-quota')],
});

export const getOrderBook = operation({
  name: 'get_orderbook',
  group,
  effect,
  scope,
  protoId: 3012,
  messages: QotGetOrderBook,
  summary: 'Best bids and asks of one symbol, down to `depth` levels.',
  shape: [
    symbol('security'),
    integer('num', { as: 'depth', default: 10, min: 1, max: 40, about: 'Levels of each side.' }),
    choice('orderBookType', orderBookType, { about: 'Whole lots (0) or odd lots (1).' }),
  ],
  rest: [post('/api/orderbook')],
});

export const getTicker = operation({
  name: 'get_ticker',
  group,
  effect,
  scope,
  protoId: 3010,
  messages: QotGetTicker,
  summary: 'The newest trades of a symbol, oldest first.',
  shape: [symbol('security'), integer('maxRetNum', { as: 'count', default: 100, min: 1, max: 1000, about: 'How many trades.' })],
  rest: [post('/api/ticker')],
});

export const getRt = operation({
  name: 'get_rt',
  group,
  effect,
  scope,
  protoId: 3008,
  messages: QotGetRT,
  summary: 'Today minute by minute: price, average price, volume and turnover.',
  shape: [symbol('security')],
  rest: [post('/api/rt')],
});

export const getBroker = operation({
  name: 'get_broker',
  group,
  effect,
  scope,
  protoId: 3014,
  messages: QotGetBroker,
  summary: 'Broker queues at the best bids and asks (Hong Kong).',
  shape: [symbol('security')],
  rest: [post('/api/broker')],
});

export const getStaticInfo = operation({
  name: 'get_static_info',
  group,
  effect,
  scope,
  protoId: 3202,
  messages: QotGetStaticInfo,
  summary: 'Names, lot sizes, types and listing dates.',
  shape: [symbols('securityList', { required: false })],
  rest: [post('/api/static-info')],
});

export const getMarketState = operation({
  name: 'get_market_state',
  group,
  effect,
  scope,
  protoId: 3223,
  messages: QotGetMarketState,
  summary: 'Whether the markets of symbols are open, closed or at rest.',
  shape: [symbols('securityList')],
  rest: [post('/api/market-state')],
});

export const getCapitalFlow = operation({
  name: 'get_capital_flow',
  group,
  effect,
  scope,
  protoId: 3211,
  messages: QotGetCapitalFlow,
  summary: 'Money flowing in and out of a symbol over time, by order size.',
  shape: [
    symbol('security'),
    choice('periodType', periodType, { default: 1, about: '1 intraday, 2 day, 3 week, 4 month.' }),
    time('beginTime', { dateOnly: true, aliases: ['begin'] }),
    time('endTime', { dateOnly: true, aliases: ['end'] }),
  ],
  rest: [post('/api/capital-flow')],
});

export const getCapitalDistribution = operation({
  name: 'get_capital_distribution',
  group,
  effect,
  scope,
  protoId: 3212,
  messages: QotGetCapitalDistribution,
  summary: 'Money that flowed in and out of a symbol today, by order size.',
  shape: [symbol('security')],
  rest: [post('/api/capital-distribution')],
});
