import { get, operation } from '../declare.js';
import { marketState, orderStatus, rehabType, session, subType, waitCondition, waitFigure, waitRelation } from '../enums.js';
import { none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { anyOf, byField } from '../scope.js';
import { choice, choices, fixed, flag, id, integer, never, number, symbol, symbols, text, tradeHeader } from '../shape.js';

const common = {
  group: 'subscription',
  // qot:read keys are accepted for a while yet (since v1.4.106 subscriptions are user state).
  scope: anyOf('qot:state', 'qot:read'),
  reach: [{ list: 'connSubInfoList.subInfoList.securityList', of: 'security' }],
} as const;
/** Fields about the daemon as a whole. */
const beside = ['totalUsedQuota', 'remainQuota', 'optionUsedQuota', 'optionRemainQuota'];

export const subscribe = operation({
  ...common,
  name: 'subscribe',
  effect: 'subscription',
  // The answer is empty; pushes are filtered as they are sent.
  reach: 'general',
  protoId: 3001,
  // `isUnsubAll` has the last word in the protocol.
  answers: [
    { field: 'isSubOrUnSub', is: true },
    { field: 'isUnsubAll', is: false },
  ],
  messages: messages.QotSub,
  title: 'Subscribe',
  summary: 'Subscribes to live data of symbols; pushes arrive on the push stream.',
  guide:
    'To follow symbols live instead of polling. Each pair of symbol and type costs one unit of the daemon’s subscription quota (svc_get_used_quota). Pushes come as notifications; svc_unsubscribe when done.',
  shape: [
    symbols('securityList'),
    choices('subTypeList', subType, {
      as: 'sub_types',
      required: true,
      about: 'What to subscribe to: 1 basic quote, 2 order book, 4 ticker, 5 RT, 6 and up K-lines.',
    }),
    flag('isSubOrUnSub', { default: true, fixed: true, about: 'True, if present.' }),
    never('isUnsubAll', { but: false }),
    flag('isRegOrUnRegPush', { as: 'is_reg_push', default: true, absenceCounts: true, about: 'Register for pushes.' }),
    flag('isFirstPush', { default: true, about: 'Push the current data at once.' }),
    choices('regPushRehabTypeList', rehabType, { about: 'Price adjustment of K-line pushes; forward when empty.' }),
    flag('isSubOrderBookDetail', { default: false, about: 'Orders behind each level, where the market has them.' }),
    flag('extendedTime', { default: false, about: 'US pre-market and after-hours data too.' }),
    choice('session', session, { about: 'US session.' }),
  ],
});

export const unsubscribe = operation({
  ...common,
  name: 'unsubscribe',
  effect: 'subscription',
  // The answer is empty; pushes are filtered as they are sent.
  reach: 'general',
  protoId: 3001,
  messages: messages.QotSub,
  title: 'Unsubscribe',
  summary: 'Ends subscriptions; pushes still queued are dropped.',
  guide:
    'Gives back quota. Name symbols and sub_types as they were subscribed, or set unsub_all. svc_query_subscription lists what there is to end.',
  shape: [
    symbols('securityList', { required: false }),
    choices('subTypeList', subType, { as: 'sub_types', about: 'What to unsubscribe from.' }),
    flag('isSubOrUnSub', { default: false, fixed: true, about: 'False, if present.' }),
    flag('isUnsubAll', { as: 'unsub_all', default: false, about: 'End every subscription of this caller.' }),
  ],
  needs: [
    { oneOf: ['securityList'], unless: { field: 'isUnsubAll', is: true } },
    { oneOf: ['subTypeList'], unless: { field: 'isUnsubAll', is: true } },
  ],
  unused: ['isRegOrUnRegPush', 'regPushRehabTypeList', 'isFirstPush', 'isSubOrderBookDetail'],
});

export const getSubInfo = operation({
  ...common,
  name: 'get_sub_info',
  effect: 'read',
  scope: anyOf('qot:read'),
  beside,
  protoId: 3003,
  answers: [{ field: 'isReqAllConn', is: false }],
  messages: messages.QotGetSubInfo,
  title: 'Connection subscriptions',
  summary: 'Subscriptions of this connection; over REST each call is its own, so the list is usually empty.',
  shape: [fixed('isReqAllConn', false)],
  rest: [get('/api/sub-info')],
  tool: null,
});

export const querySubscription = operation({
  ...common,
  name: 'query_subscription',
  effect: 'read',
  scope: anyOf('qot:read'),
  beside,
  protoId: 3003,
  messages: messages.QotGetSubInfo,
  title: 'Query subscriptions',
  summary: 'Subscriptions of the caller, or of the whole daemon across all interfaces.',
  guide:
    'Call it before svc_subscribe to see what is subscribed already, how much quota is left, and what svc_unsubscribe could give back. Free.',
  shape: [flag('isReqAllConn', { default: false, about: 'True: of every caller of the daemon.' })],
});

/** svc.wait_for.C2S.condition. */
const PRICE = 1;
const ORDER = 2;
const MARKET = 3;
const WAIT_SECONDS = 30;
const WAIT_SECONDS_MAX = 600;
const ofPrice = { field: 'condition', is: PRICE } as const;
const ofOrder = { field: 'condition', is: ORDER } as const;
const ofMarket = { field: 'condition', is: MARKET } as const;

export const waitFor = operation({
  ...common,
  name: 'wait_for',
  effect: 'read',
  scope: byField('condition', { [PRICE]: 'qot:read', [ORDER]: 'acc:read', [MARKET]: 'qot:read' }),
  reach: 'request',
  protoId: 20050,
  messages: messages.WaitFor,
  classes: {
    'svc.wait_for.C2S': {
      security: 'security',
      order_id: 'order',
      order_id_ex: 'order',
      ...none('condition', 'figure', 'relation', 'price', 'order_status_list', 'market_state_list', 'timeout'),
    },
  },
  title: 'Wait',
  summary: 'Waits until a price, an order or a market is where you want it, or the time is up.',
  guide:
    'Use it instead of asking again and again: it listens to pushes and answers at once when the condition is true already. outcome says met, timed_out (call again to go on waiting) or over (the order has ended otherwise). condition price needs symbol, relation and price; order needs acc_id, env, market and order_id_ex; market needs symbol and market_states.',
  shape: [
    choice('condition', waitCondition, { about: 'What is waited for: a price, an order or a market.', brief: '' }),
    symbol('security', {
      required: false,
      about: 'Of a price: the security. Of a market: any security that trades there.',
      brief: 'As HK.00700.',
    }),
    choice('figure', waitFigure, { about: 'Which price; the last one when omitted.', brief: '' }),
    choice('relation', waitRelation, {
      about: 'crosses: reaches or passes the price from the side on which it was first seen.',
      brief: '',
    }),
    number('price', { about: 'The price to be reached.', brief: '' }),
    ...tradeHeader(),
    id('order_id', { about: 'The order’s number; order_id_ex is preferred when both are known.', brief: '' }),
    text('order_id_ex', { about: 'The order’s text.', brief: '' }),
    choices('order_status_list', orderStatus, {
      as: 'order_statuses',
      about: 'Any of these; any final one when omitted.',
    }),
    choices('market_state_list', marketState, { as: 'market_states', about: 'Any of these.', brief: '' }),
    integer('timeout', { default: WAIT_SECONDS, min: 0, max: WAIT_SECONDS_MAX, about: 'Seconds to wait; 0 looks once.' }),
  ],
  needs: [
    { oneOf: ['security'], when: ofPrice },
    { oneOf: ['relation'], when: ofPrice },
    { oneOf: ['price'], when: ofPrice },
    { oneOf: ['header.trdMarket'], when: ofOrder },
    { oneOf: ['header.accID'], when: ofOrder },
    { oneOf: ['header.trdEnv'], when: ofOrder },
    { oneOf: ['order_id', 'order_id_ex'], when: ofOrder },
    { oneOf: ['security'], when: ofMarket },
    { oneOf: ['market_state_list'], when: ofMarket },
  ],
  waits: 'timeout',
});
