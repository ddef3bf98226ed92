import { get, operation, post } from '../declare.js';
import { currency, orderSession, orderType, secMarket } from '../enums.js';
import * as messages from '../generated/messages.js';
import { type Order, type OrderFill, TrdEnv } from '../generated/Trd_Common_pb.js';
import { quoteMarketOfSecMarket } from '../markets.js';
import { anyOf } from '../scope.js';
import { choice, code, constant, flag, id, ids, number, orderSymbol, symbols, text, texts, time, tradeHeader } from '../shape.js';

const common = { group: 'account', effect: 'read', scope: anyOf('acc:read') } as const;
const orders = [{ list: 'orderList', of: 'traded' }] as const;
const fills = [{ list: 'orderFillList', of: 'traded' }] as const;
/** In tools a card may name the account, and real is meant where no environment is named. */
const headerByCard = tradeHeader({ toolEnv: TrdEnv.TrdEnv_Real });
const refreshCache = flag('refreshCache', { about: 'Fetch from the broker instead of the cache.' });

/** Trd_Common.Currency of what trades in a market of securities (Trd_Common.TrdSecMarket). */
function currencyOfSecMarket(secMarket: number): number | undefined {
  const name = quoteMarketOfSecMarket(secMarket)?.currency;
  return currency.members.find((member) => member.name === name)?.public;
}

export const listAccounts = operation({
  ...common,
  name: 'list_accounts',
  reach: [{ list: 'accList', of: 'account', at: 'accID' }],
  protoId: 2001,
  messages: messages.TrdGetAccList,
  title: 'Accounts',
  summary: 'The trading accounts, simulated and real, with the markets each may trade.',
  guide:
    'Call it first: account and order tools need an acc_id from here, with its env and one of its markets. Accounts that the key may not use are left out. Free.',
  shape: [constant('userID', 0n), constant('needGeneralSecAccount', true)],
  rest: [get('/api/list-accounts'), get('/api/accounts')],
});

export const getFunds = operation({
  ...common,
  name: 'get_funds',
  reach: [{ list: 'funds.marketInfoList', of: 'trading_market' }],
  beside: ['header'],
  protoId: 2101,
  messages: messages.TrdGetFunds,
  title: 'Funds',
  summary: 'Cash, assets and buying power of an account.',
  guide:
    'Call svc_list_accounts first. For what an order could buy at a price, ask svc_get_max_trd_qtys instead: it includes fees and margin. Free.',
  shape: [
    ...tradeHeader(),
    choice('currency', currency, { about: 'Currency of the figures; the account’s own when omitted.' }),
    refreshCache,
  ],
});

export const getPositions = operation({
  ...common,
  name: 'get_positions',
  reach: [{ list: 'positionList', of: 'traded' }],
  beside: ['header'],
  protoId: 2102,
  messages: messages.TrdGetPositionList,
  title: 'Positions',
  summary: 'What an account holds, with cost and profit.',
  guide:
    'Call svc_list_accounts first. can_sell_qty is what may be sold now; after a fill or cancel read again with refresh_cache true. What was closed today is included. Free.',
  shape: [...tradeHeader(), flag('optionStrategyView', { about: 'Group option legs into strategies.' }), refreshCache],
});

export const getOrders = operation({
  ...common,
  name: 'get_orders',
  reach: orders,
  beside: ['header'],
  protoId: 2201,
  messages: messages.TrdGetOrderList,
  title: 'Orders',
  summary: 'Today’s and still working orders of an account.',
  guide:
    'Call svc_list_accounts first. Take order_id_ex from here to modify or cancel, and look here before repeating a write whose outcome is unknown. Older ones: svc_get_history_orders. Free.',
  shape: [...headerByCard, refreshCache],
  byCard: true,
  byCurrency: { field: 'orderList', currencyOf: (order) => (order as Order).currency },
});

export const getDeals = operation({
  ...common,
  name: 'get_deals',
  reach: fills,
  beside: ['header'],
  protoId: 2211,
  messages: messages.TrdGetOrderFillList,
  title: 'Fills',
  summary: 'Today’s fills of an account.',
  guide:
    'Call svc_list_accounts first. What really traded, and at which price; an order may have many fills. Older ones: svc_get_history_deals; fees: svc_get_order_fee. Free.',
  shape: [...headerByCard, refreshCache],
  byCard: true,
  // A fill names no currency: it is that of its security's market.
  byCurrency: { field: 'orderFillList', currencyOf: (fill) => currencyOfSecMarket((fill as OrderFill).secMarket) },
  rest: [post('/api/order-fills')],
});

const historyRange = [
  time('filterConditions.beginTime', { aliases: ['begin'], required: true, about: 'First time, inclusive, in the market’s zone.' }),
  time('filterConditions.endTime', { aliases: ['end'], required: true, about: 'Last time, inclusive, in the market’s zone.' }),
];

export const getHistoryOrders = operation({
  ...common,
  name: 'get_history_orders',
  reach: orders,
  beside: ['header'],
  protoId: 2221,
  messages: messages.TrdGetHistoryOrderList,
  title: 'Order history',
  summary: 'Orders of an account between two times.',
  guide:
    'Call svc_list_accounts first. Cancelled and failed orders are included. Newest first, by time of creation; a long range takes several pages. Free.',
  shape: [...tradeHeader(), ...historyRange],
});

export const getHistoryDeals = operation({
  ...common,
  name: 'get_history_deals',
  reach: fills,
  beside: ['header'],
  protoId: 2222,
  messages: messages.TrdGetHistoryOrderFillList,
  title: 'Fill history',
  summary: 'Fills of an account between two times.',
  guide:
    'Call svc_list_accounts first. For profit or tax reviews: every fill with its price and quantity, newest first. A long range takes several pages. Free.',
  shape: [...tradeHeader(), ...historyRange],
  rest: [post('/api/history-order-fills')],
});

export const getOrderFee = operation({
  ...common,
  name: 'get_order_fee',
  reach: 'request',
  protoId: 2225,
  messages: messages.TrdGetOrderFee,
  title: 'Order fees',
  summary: 'Fees of orders, item by item.',
  guide:
    'Of orders already placed, at most 400 a call, by order_id_ex from svc_get_orders or svc_get_history_orders. To estimate a new order’s fees use svc_place_order with preview true. Free.',
  shape: [
    ...tradeHeader({ marketDefault: 0 }),
    texts('orderIdExList', { required: true, absenceCounts: true, max: 400, about: 'Order texts (order_id_ex).' }),
  ],
});

export const getMaxTrdQtys = operation({
  ...common,
  name: 'get_max_trd_qtys',
  reach: 'request',
  protoId: 2111,
  messages: messages.TrdGetMaxTrdQtys,
  title: 'Maximum quantities',
  summary: 'How much an account can buy or sell of a security at a price.',
  guide:
    'Call svc_list_accounts first. Size an order with it; buying power is in whole lots, after fees. Give symbol and price. It reserves nothing. Free.',
  shape: [
    ...tradeHeader(),
    code('code'),
    orderSymbol(),
    number('price', { above: 0, about: 'Price; for a market order the current one.' }),
    choice('orderType', orderType, { default: 1, about: 'NORMAL when omitted.' }),
    choice('secMarket', secMarket, { about: 'Market of the security, where the trading market leaves it open.' }),
    choice('session', orderSession, { about: 'US session.' }),
    id('orderID', { about: 'The order to modify.' }),
    text('orderIDEx', { about: 'The order to modify.' }),
  ],
});

export const getMarginRatio = operation({
  ...common,
  name: 'get_margin_ratio',
  reach: 'request',
  protoId: 2223,
  messages: messages.TrdGetMarginRatio,
  title: 'Margin ratios',
  summary: 'Margin and short-selling terms of securities.',
  guide:
    'Call svc_list_accounts first. Ask before buying on margin or selling short: is it permitted, and at which percentages? Up to 100 symbols a call. Free.',
  shape: [...tradeHeader(), symbols('securityList', { max: 100 })],
});

/** Maximum accounts in one list. */
const ACCOUNTS_MAX = 100;

export const subAccPush = operation({
  ...common,
  name: 'sub_acc_push',
  effect: 'subscription',
  // Pushes are filtered as they are sent.
  reach: 'general',
  protoId: 2008,
  messages: messages.TrdSubAccPush,
  title: 'Subscribe accounts',
  summary: 'Registers for order and fill pushes of accounts.',
  guide:
    'Call svc_list_accounts first. The states of orders, final ones too, then come as notifications, without polling svc_get_orders. End it with svc_unsub_acc_push. Free.',
  shape: [ids('accIDList', { required: true, max: ACCOUNTS_MAX, about: 'Accounts.' })],
});

export const unsubAccPush = operation({
  ...common,
  name: 'unsub_acc_push',
  effect: 'subscription',
  // Pushes are filtered as they are sent.
  reach: 'general',
  protoId: 2008,
  answers: [{ field: 'accIDList', is: 'empty' }],
  messages: messages.TrdSubAccPush,
  title: 'Unsubscribe accounts',
  summary: 'Ends the order and fill pushes of accounts, or of all of them.',
  guide:
    'Call it when notifications begun with svc_sub_acc_push are no longer wanted. The orders themselves are not touched, and nothing is spent.',
  shape: [ids('accIDList', { max: ACCOUNTS_MAX, about: 'Accounts; every one when none is given.' })],
});
