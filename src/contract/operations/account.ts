import { currency, orderType, secMarket, session } from '../enums.js';
import * as TrdGetAccList from '../generated/Trd_GetAccList_pb.js';
import * as TrdGetFunds from '../generated/Trd_GetFunds_pb.js';
import * as TrdGetHistoryOrderFillList from '../generated/Trd_GetHistoryOrderFillList_pb.js';
import * as TrdGetHistoryOrderList from '../generated/Trd_GetHistoryOrderList_pb.js';
import * as TrdGetMarginRatio from '../generated/Trd_GetMarginRatio_pb.js';
import * as TrdGetMaxTrdQtys from '../generated/Trd_GetMaxTrdQtys_pb.js';
import * as TrdGetOrderFee from '../generated/Trd_GetOrderFee_pb.js';
import * as TrdGetOrderFillList from '../generated/Trd_GetOrderFillList_pb.js';
import * as TrdGetOrderList from '../generated/Trd_GetOrderList_pb.js';
import * as TrdGetPositionList from '../generated/Trd_GetPositionList_pb.js';
import * as TrdSubAccPush from '../generated/Trd_SubAccPush_pb.js';
import { get, operation, post } from '../operation.js';
import { anyOf } from '../scope.js';
import { choice, constant, flag, id, ids, number, orderSymbol, symbols, text, texts, time, tradeHeader } from '../shape.js';

const group = 'account';
const effect = 'read';
const scope = anyOf('acc:read');
const refreshCache = flag('refreshCache', { about: 'Fetch from the broker instead of the cache.' });

export const listAccounts = operation({
  name: 'list_accounts',
  group,
  effect,
  scope,
  protoId: 2001,
  messages: TrdGetAccList,
  summary: 'The trading accounts, simulated and real, with the markets each may trade.',
  shape: [constant('userID', 0n), constant('needGeneralSecAccount', true)],
  rest: [get('/api/list-accounts'), get('/api/accounts')],
});

export const getFunds = operation({
  name: 'get_funds',
  group,
  effect,
  scope,
  protoId: 2101,
  messages: TrdGetFunds,
  summary: 'Cash, assets and buying power of an account.',
  shape: [
    ...tradeHeader(),
    choice('currency', currency, { about: 'Currency of the figures; the account’s own when omitted.' }),
    refreshCache,
  ],
  rest: [post('/api/funds')],
});

export const getPositions = operation({
  name: 'get_positions',
  group,
  effect,
  scope,
  protoId: 2102,
  messages: TrdGetPositionList,
  summary: 'What an account holds, with cost and profit.',
  shape: [...tradeHeader(), flag('optionStrategyView', { about: 'Group option legs into strategies.' }), refreshCache],
  rest: [post('/api/positions')],
});

export const getOrders = operation({
  name: 'get_orders',
  group,
  effect,
  scope,
  protoId: 2201,
  messages: TrdGetOrderList,
  summary: 'Today’s and still working orders of an account.',
  shape: [...tradeHeader(), refreshCache],
  rest: [post('/api/orders')],
});

export const getDeals = operation({
  name: 'get_deals',
  group,
  effect,
  scope,
  protoId: 2211,
  messages: TrdGetOrderFillList,
  summary: 'Today’s fills of an account.',
  shape: [...tradeHeader(), refreshCache],
  rest: [post('/api/order-fills')],
});

const historyRange = [
  time('filterConditions.beginTime', { aliases: ['begin'], about: 'First time, inclusive, in the market’s zone.' }),
  time('filterConditions.endTime', { aliases: ['end'], about: 'Last time, inclusive, in the market’s zone.' }),
];

export const getHistoryOrders = operation({
  name: 'get_history_orders',
  group,
  effect,
  scope,
  protoId: 2221,
  messages: TrdGetHistoryOrderList,
  summary: 'Orders of an account between two times.',
  shape: [...tradeHeader(), ...historyRange],
  rest: [post('/api/history-orders')],
});

export const getHistoryDeals = operation({
  name: 'get_history_deals',
  group,
  effect,
  scope,
  protoId: 2222,
  messages: TrdGetHistoryOrderFillList,
  summary: 'Fills of an account between two times.',
  shape: [...tradeHeader(), ...historyRange],
  rest: [post('/api/history-order-fills')],
});

export const getOrderFee = operation({
  name: 'get_order_fee',
  group,
  effect,
  scope,
  protoId: 2225,
  messages: TrdGetOrderFee,
  summary: 'Fees of orders, item by item.',
  shape: [...tradeHeader({ marketDefault: 0 }), texts('orderIdExList', { required: true, max: 400, about: 'Order texts (order_id_ex).' })],
  rest: [post('/api/order-fee')],
});

export const getMaxTrdQtys = operation({
  name: 'get_max_trd_qtys',
  group,
  effect,
  scope,
  protoId: 2111,
  messages: TrdGetMaxTrdQtys,
  summary: 'How much an account can buy or sell of a security at a price.',
  shape: [
    ...tradeHeader(),
    text('code', { about: 'Code without a market prefix.' }),
    orderSymbol(),
    number('price', { min: 0, about: 'Price; for a market order the current one.' }),
    choice('orderType', orderType, { default: 1, about: 'NORMAL when omitted.' }),
    choice('secMarket', secMarket, { about: 'Market of the security, where the trading market leaves it open.' }),
    choice('session', session, { about: 'US trading session.' }),
    id('orderID', { about: 'The order that is to be modified.' }),
    text('orderIDEx', { about: 'The order that is to be modified.' }),
  ],
  rest: [post('/api/max-trd-qtys')],
});

export const getMarginRatio = operation({
  name: 'get_margin_ratio',
  group,
  effect,
  scope,
  protoId: 2223,
  messages: TrdGetMarginRatio,
  summary: 'Margin and short-selling terms of securities.',
  shape: [...tradeHeader(), symbols('securityList', { max: 100 })],
  rest: [post('/api/margin-ratio')],
});

/** Of one list. */
const ACCOUNTS_MAX = 100;

export const subAccPush = operation({
  name: 'sub_acc_push',
  group,
  effect: 'subscription',
  scope,
  protoId: 2008,
  messages: TrdSubAccPush,
  summary: 'Registers for order and fill pushes of accounts.',
  shape: [ids('accIDList', { required: true, max: ACCOUNTS_MAX, about: 'Accounts.' })],
  rest: [post('/api/sub-acc-push')],
});

export const unsubAccPush = operation({
  name: 'unsub_acc_push',
  group,
  effect: 'subscription',
  scope,
  protoId: 2008,
  answers: [{ field: 'accIDList', is: 'empty' }],
  messages: TrdSubAccPush,
  summary: 'Ends the order and fill pushes of accounts, or of all of them.',
  shape: [ids('accIDList', { max: ACCOUNTS_MAX, about: 'Accounts; every one when none is given.' })],
  rest: [post('/api/unsub-acc-push')],
});
