import { get, operation, post } from '../declare.js';
import { among } from '../enumeration.js';
import * as enums from '../enums.js';
import * as messages from '../generated/messages.js';
import { LEGS_MAX, legValues } from '../leg-values.js';
import type { Need } from '../needs.js';
import { anyOf } from '../scope.js';
import {
  choice,
  code,
  constant,
  extensionVersion,
  fixed,
  flag,
  id,
  integer,
  never,
  number,
  orderSymbol,
  type Param,
  secret,
  text,
  tradeHeader,
} from '../shape.js';
import { dayOrTime, md5Hex } from '../text-formats.js';
import { limitOrderTypes } from '../unused-price.js';

const ofOrders = { group: 'trade', scope: { kind: 'byEnv' }, switches: ['--enable-trading'], reach: 'request' } as const;
const REMARK_BYTES_MAX = 64;
/** Trd_Common.ModifyOrderOp. */
const NORMAL = 1;
const CANCEL = 2;
/** Trd_Common.TimeInForce. */
const GTD = 3;

// The gateway puts its own packet id on every write: a caller's would be one of another connection.
const packetId = [constant('packetID.connID', 0n), constant('packetID.serialNo', 0)];
const orderId = id('orderID', { about: 'The order’s number; order_id_ex is preferred when both are known.' });
const orderIdEx = text('orderIDEx', { about: 'The order’s text.' });
const oneOrder = { oneOf: ['orderID', 'orderIDEx'] };

/** Conditions that an order waits for before it goes to the market. */
const triggers = [
  number('auxPrice', { min: 0, about: 'The price that a stop or if-touched order waits for.', brief: 'Trigger.' }),
  choice('trailType', enums.trailType, { about: 'How trail_value is meant: 1 RATIO, in percent, 2 AMOUNT, in the price.', brief: '' }),
  number('trailValue', { min: 0, about: 'How far the trigger of a trailing order stays behind the best price.', brief: '' }),
  number('trailSpread', { min: 0, about: 'How far the limit of a TRAILING_STOP_LIMIT lies from its trigger.', brief: '' }),
];
const expireTime = text('expireTime', {
  format: dayOrTime,
  onlyWhen: { field: 'timeInForce', is: GTD },
  about: 'When a GTD order ends: a day, or a time, in the market’s zone.',
  brief: 'Of GTD.',
});

const endOfGtd: Need = { oneOf: ['expireTime'], when: { field: 'timeInForce', is: GTD }, unspoken: true };

/** Fields that orders of these types (Trd_Common.OrderType) cannot do without. */
const neededBy = (field: string, types: readonly number[]): readonly Need[] =>
  types.map((type) => ({ oneOf: [field], when: { field: 'orderType', is: type }, unspoken: true }));

/** Fields that a modify changes and a cancel does not. */
const terms = ['qty', 'price', 'adjustPrice', 'adjustSideAndLimit', 'auxPrice', 'trailType', 'trailValue', 'trailSpread'];

export const placeOrder = operation({
  ...ofOrders,
  name: 'place_order',
  effect: 'order',
  valuer: 'place',
  protoId: 2202,
  messages: messages.TrdPlaceOrder,
  title: 'Place order',
  summary: 'Places an order.',
  guide:
    'Spends real money when env is real. Call svc_list_accounts first, then this with preview true, and show the user what it says. Give an idempotency_key, so that a retry cannot trade twice. Real accounts must be unlocked (svc_unlock_trade).',
  shape: [
    ...packetId,
    ...tradeHeader(),
    choice('trdSide', enums.trdSide, { as: 'side', about: '1 BUY, 2 SELL, 3 SELL_SHORT, 4 BUY_BACK.' }),
    code('code'),
    orderSymbol(),
    number('qty', { above: 0, about: 'Shares or contracts.' }),
    number('price', { about: 'Limit price; market orders ignore it.' }),
    // A client of the public protocol that does not say which type it means may have meant any.
    choice('orderType', enums.orderType, { default: 1, absenceCounts: true, about: 'NORMAL (limit) when omitted.' }),
    choice('secMarket', enums.secMarket, { about: 'Market of the security, where the trading market leaves it open.' }),
    choice('timeInForce', enums.timeInForce, { about: 'DAY when omitted.' }),
    expireTime,
    ...triggers,
    choice('session', enums.orderSession, { about: 'US session.' }),
    flag('fillOutsideRTH', { about: 'US limit orders: also fill outside regular hours.' }),
    text('remark', { maxBytes: REMARK_BYTES_MAX, about: 'A note of at most 64 bytes, kept with the order.' }),
  ],
  needs: [
    ...neededBy('price', [...limitOrderTypes]),
    ...neededBy('auxPrice', [10, 11, 12, 13]),
    ...neededBy('trailType', [14, 15]),
    ...neededBy('trailValue', [14, 15]),
    ...neededBy('trailSpread', [15]),
    endOfGtd,
  ],
  rest: [post('/api/order')],
});

export const placeComboOrder = operation({
  ...ofOrders,
  name: 'place_combo_order',
  effect: 'order',
  valuer: 'combo',
  protoId: 2227,
  messages: messages.TrdPlaceComboOrder,
  needs: [{ oneOf: ['comboLegs'], entriesMax: LEGS_MAX }, ...neededBy('price', [...limitOrderTypes]), endOfGtd],
  values: legValues,
  title: 'Place combination',
  summary: 'Places one order of several legs, which trade together in their ratios or not at all.',
  guide:
    'Spends real money when env is real. Give the request in c2s_json as for svc_get_combo_max_trd_qtys, call with preview true first and show the user what it says. Give an idempotency_key. Modify and cancel it like any order.',
  // No tool argument can give the legs: its callers give the whole request.
  shape: [
    ...packetId,
    ...[
      ...tradeHeader(),
      number('qty', { above: 0, about: 'Units; a leg trades its ratio of them.' }),
      number('price', { about: 'The most that a unit may cost, bought less sold; below zero, the least that it must bring.' }),
      choice('orderType', among(enums.orderType, 'NORMAL'), { required: true, about: 'NORMAL (limit).' }),
      choice('timeInForce', enums.timeInForce, { about: 'DAY when omitted.' }),
      expireTime,
      text('remark', { maxBytes: REMARK_BYTES_MAX, about: 'A note of at most 64 bytes, kept with the order.' }),
    ].map((param): Param => ({ ...param, only: 'rest' })),
  ],
  rest: [post('/api/combo-order')],
});

export const modifyOrder = operation({
  ...ofOrders,
  name: 'modify_order',
  effect: 'order',
  valuer: 'modify',
  protoId: 2205,
  messages: messages.TrdModifyOrder,
  title: 'Modify order',
  summary: 'Changes the quantity and price of a working order, or disables, enables, deletes or cancels it.',
  guide:
    'Take order_id_ex from svc_get_orders and call with preview true first: a change meets the limits of a new order. With modify_order_op normal give the new total qty and the price. To cancel use svc_cancel_order.',
  shape: [
    ...packetId,
    ...tradeHeader(),
    orderId,
    orderIdEx,
    // An order known by its text alone has number 0.
    constant('orderID', 0n),
    choice('modifyOrderOp', enums.modifyOrderOp, { aliases: ['op'], about: '1 modify, 2 cancel, 3 disable, 4 enable, 5 delete.' }),
    number('qty', { above: 0, about: 'The new total quantity, what is already filled included.' }),
    // Below zero where an order of several legs brings money: of others the gateway refuses it, once it knows the order.
    number('price', { about: 'The new price.' }),
    ...triggers,
  ],
  // The order's type decides whether it has a price: the gateway asks for it once it knows the order.
  needs: [
    { ...oneOrder, unless: { field: 'forAll', is: true } },
    { oneOf: ['qty'], when: { field: 'modifyOrderOp', is: NORMAL }, goesWith: 'the price of an order that has one' },
  ],
  lowLevel: { 'header.trdEnv': enums.trdEnvOfModify },
});

export const cancelOrder = operation({
  ...ofOrders,
  name: 'cancel_order',
  effect: 'write',
  valuer: 'modify',
  idempotent: true,
  protoId: 2205,
  answers: [
    { field: 'modifyOrderOp', is: CANCEL },
    { field: 'forAll', is: false },
  ],
  messages: messages.TrdModifyOrder,
  title: 'Cancel order',
  summary: 'Cancels one order. The answer says that the cancel was accepted; the final state comes as a push.',
  guide:
    'Take order_id_ex from svc_get_orders. The order may still fill before it is gone: check svc_get_orders, and do not repeat the cancel because the state lags. Not counted by order limits.',
  shape: [
    ...packetId,
    ...tradeHeader({ names: true }),
    orderId,
    orderIdEx,
    constant('orderID', 0n),
    never('forAll', { but: false }),
    choice(
      'modifyOrderOp',
      { ...among(enums.modifyOrderOp, 'cancel'), name: 'op' },
      {
        as: 'op',
        aliases: ['modify_order_op'],
        default: CANCEL,
        names: true,
        about: 'If present it must mean cancel (2).',
      },
    ),
  ],
  needs: [oneOrder],
  unused: terms,
});

export const cancelAllOrder = operation({
  ...ofOrders,
  name: 'cancel_all_order',
  effect: 'write',
  valuer: 'modify',
  idempotent: true,
  protoId: 2205,
  answers: [
    { field: 'modifyOrderOp', is: CANCEL },
    { field: 'forAll', is: true },
  ],
  messages: messages.TrdModifyOrder,
  title: 'Cancel all orders',
  summary: 'Cancels every working order of an account in one market.',
  guide:
    'Look at svc_get_orders and ask the user first: it also ends orders that others placed. Exits of brackets stay unless including_exits. Fills that race it stand. To end one order use svc_cancel_order. Not counted by order limits.',
  shape: [
    ...packetId,
    ...tradeHeader(),
    fixed('orderID', 0n),
    fixed('modifyOrderOp', CANCEL),
    fixed('forAll', true),
    // The public message has no field for it: adjustPrice, without another use in a cancel, carries it to the gateway and no further; over gRPC too.
    flag('adjustPrice', { as: 'including_exits', about: 'Exits of brackets too, which stay otherwise.', brief: 'Exits of brackets too.' }),
  ],
  unused: ['orderIDEx', ...terms],
});

/** Stands where the gateway puts the account's own. */
const ANY_ENV = 0;
/** The market of the order, which callers need not name. */
const [orderMarket] = tradeHeader({ marketDefault: 0 });

export const reconfirmOrder = operation({
  ...ofOrders,
  name: 'reconfirm_order',
  envOfAccount: true,
  effect: 'order',
  valuer: 'reconfirm',
  protoId: 2237,
  messages: messages.TrdReconfirmOrder,
  title: 'Reconfirm order',
  summary: 'Sends an order that the brokerage keeps back because its quantity or its price looks like a slip.',
  guide:
    'Only for an order whose status is UNSUBMITTED: its last_err_msg says why. Ask the user whether it was meant. If not, svc_cancel_order or svc_modify_order instead. It meets the limits of a new order.',
  shape: [
    ...packetId,
    id('header.accID', { as: 'acc_id', required: true, about: 'The account.' }),
    constant('header.trdEnv', ANY_ENV),
    ...(orderMarket === undefined ? [] : [orderMarket]),
    id('orderID', { required: true, about: 'The order’s number.' }),
    choice('reconfirmReason', enums.reconfirmReason, {
      as: 'reconfirm_op',
      required: true,
      about: 'What is confirmed: 1 its quantity, 2 its price.',
    }),
  ],
});

export const getRefusals = operation({
  name: 'get_refusals',
  group: 'trade',
  effect: 'read',
  // A key that may trade or read accounts may read its own refusals.
  scope: anyOf('acc:read', 'trade:simulate', 'trade:real'),
  // The gateway leaves out refusals that the key's lists do not allow by now.
  reach: 'general',
  protoId: 20052,
  messages: messages.GetRefusals,
  title: 'Refusals',
  summary: 'Your own orders, changes and cancels that were refused within a day, newest first, and why.',
  guide:
    'To answer "why was it refused?": limits, a halt or the brokerage. Those of this key only, since the daemon’s start, at most 200. Free.',
  shape: [integer('num', { aliases: ['count'], min: 1, max: 200, default: 20, about: 'How many, the newest.' })],
  rest: [get('/api/refusals'), post('/api/refusals')],
});

const MD5_HEX_BYTES = 32;

export const unlockTrade = operation({
  name: 'unlock_trade',
  group: 'trade',
  scope: anyOf('trade:unlock'),
  reach: 'general',
  effect: 'write',
  idempotent: true,
  protoId: 2005,
  messages: messages.TrdUnlockTrade,
  title: 'Unlock trading',
  summary: 'Unlocks (or locks) trading in real accounts. Permission to trade still comes from scopes and switches.',
  guide:
    'Needed before orders in real accounts; simulated ones need none. Works from the daemon’s own machine only. The gateway has the password: never ask the user for it. Lock again when done.',
  shape: [
    flag('unlock', { about: 'True unlocks, false locks.' }),
    secret('pwdMD5', { maxBytes: MD5_HEX_BYTES, format: md5Hex, about: 'Hex MD5 of the trade password; required to unlock.' }),
    choice('securityFirm', enums.securityFirm, { about: 'Whose accounts, as in svc_list_accounts; FutuSecurities when omitted.' }),
  ],
  needs: [{ oneOf: ['pwdMD5'], when: { field: 'unlock', is: true } }],
  loopbackOnly: true,
});

const ofPositions = {
  ...ofOrders,
  scope: anyOf('trade:real'),
  switches: ['--enable-trading', '--enable-v18-position-writes'],
  effect: 'order',
  valuer: 'position',
  keyField: 'initial.idempotency_key',
} as const;
const positionKey = text('initial.idempotency_key', { required: true, about: 'Names this write: a repetition gets the first outcome.' });
const positionId = id('initial.position_id', { required: true, about: 'From the positions of the account.' });

export const reversePosition = operation({
  ...ofPositions,
  name: 'reverse_position',
  protoId: 20043,
  messages: messages.ReversePosition,
  classes: {
    'svc.reverse_position.C2S': { extension_version: 'none' },
    'svc.reverse_position.Initial': { idempotency_key: 'none', position_id: 'none', price_type: 'none' },
  },
  title: 'Reverse position',
  summary: 'Closes a position in a monthly future and opens the opposite one, as one group of two orders.',
  guide:
    'Real money, real futures accounts only. Call svc_get_positions first, preview it and ask the user. Never repeat it under another idempotency_key when the outcome is unknown: look at svc_get_orders.',
  shape: [
    ...tradeHeader(),
    positionKey,
    positionId,
    choice('initial.price_type', enums.reversalPrice, { required: true, about: 'Market orders, or limit orders at the last price.' }),
    extensionVersion,
  ],
  rest: [post('/api/trd/reverse-position')],
});

export const rollPosition = operation({
  ...ofPositions,
  name: 'roll_position',
  protoId: 20044,
  messages: messages.RollPosition,
  classes: {
    'svc.roll_position.C2S': { extension_version: 'none' },
    'svc.roll_position.Initial': {
      idempotency_key: 'none',
      position_id: 'none',
      target_code: 'traded_code',
      target_sec_market: 'sec_market',
    },
  },
  title: 'Roll position',
  summary: 'Closes a position in a monthly future and opens the same in another month, as one group of two market orders.',
  guide:
    'Real money, real futures accounts only. Call svc_get_positions and svc_get_future_info first, preview it and ask the user. Never repeat it under another idempotency_key when the outcome is unknown: look at svc_get_orders.',
  shape: [
    ...tradeHeader(),
    positionKey,
    positionId,
    text('initial.target_code', { required: true, maxBytes: 64, about: 'Another month of the same contract: HSI2612.' }),
    choice('initial.target_sec_market', enums.secMarket, { required: true, about: 'Market of the target.' }),
    extensionVersion,
  ],
  rest: [post('/api/trd/roll-position')],
});
