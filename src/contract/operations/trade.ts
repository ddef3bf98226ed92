import { operation, post } from '../declare.js';
import { modifyOrderOp, orderType, secMarket, session, timeInForce, trdEnvOfModify, trdSide } from '../enums.js';
import * as ReversePosition from '../generated/svc/reverse_position_pb.js';
import * as RollPosition from '../generated/svc/roll_position_pb.js';
import * as TrdModifyOrder from '../generated/Trd_ModifyOrder_pb.js';
import * as TrdPlaceOrder from '../generated/Trd_PlaceOrder_pb.js';
import * as TrdUnlockTrade from '../generated/Trd_UnlockTrade_pb.js';
import { anyOf } from '../scope.js';
import { choice, code, constant, fixed, flag, id, integer, never, number, orderSymbol, secret, text, tradeHeader } from '../shape.js';

const group = 'trade';
const scope = { kind: 'byEnv' } as const;
const switches = ['--enable-trading'] as const;
const reach = 'request';
const REMARK_BYTES_MAX = 64;
/** Trd_Common.ModifyOrderOp. */
const NORMAL = 1;
const CANCEL = 2;

// The gateway puts its own packet id on every write: a caller's would be one of another connection.
const packetId = [constant('packetID.connID', 0n), constant('packetID.serialNo', 0)];
const orderId = id('orderID', { about: 'The order’s number; order_id_ex is preferred when both are known.' });
const orderIdEx = text('orderIDEx', { about: 'The order’s text.' });
const oneOrder = { oneOf: ['orderID', 'orderIDEx'] };

/** What a modify changes, and a cancel does not. */
const terms = ['qty', 'price', 'adjustPrice', 'adjustSideAndLimit', 'auxPrice', 'trailType', 'trailValue', 'trailSpread'];

export const placeOrder = operation({
  name: 'place_order',
  group,
  scope,
  switches,
  reach,
  effect: 'order',
  valuer: 'place',
  protoId: 2202,
  messages: TrdPlaceOrder,
  title: 'Place order',
  summary: 'Places an order.',
  guide:
    'Spends real money when env is real. Call svc_list_accounts first, then this with preview true, and show the user what it says. Give an idempotency_key, so that a retry cannot trade twice. Real accounts must be unlocked (svc_unlock_trade).',
  shape: [
    ...packetId,
    ...tradeHeader(),
    choice('trdSide', trdSide, { as: 'side', about: '1 BUY, 2 SELL, 3 SELL_SHORT, 4 BUY_BACK.' }),
    code('code'),
    orderSymbol(),
    number('qty', { min: 0, about: 'Shares or contracts.' }),
    number('price', { min: 0, about: 'Limit price; not for market orders.' }),
    // A client of the public protocol that does not say which type it means may have meant any.
    choice('orderType', orderType, { default: 1, absenceCounts: true, about: 'NORMAL (limit) when omitted.' }),
    choice('secMarket', secMarket, { about: 'Market of the security, where the trading market leaves it open.' }),
    choice('timeInForce', timeInForce, { about: 'DAY when omitted.' }),
    choice('session', session, { about: 'US trading session.' }),
    flag('fillOutsideRTH', { about: 'US limit orders: also fill before and after regular hours.' }),
    text('remark', { maxBytes: REMARK_BYTES_MAX, about: 'A note of at most 64 bytes, kept with the order.' }),
  ],
  rest: [post('/api/order')],
});

export const modifyOrder = operation({
  name: 'modify_order',
  group,
  scope,
  switches,
  reach,
  effect: 'order',
  valuer: 'modify',
  protoId: 2205,
  messages: TrdModifyOrder,
  title: 'Modify order',
  summary: 'Changes the quantity and price of a working order, or disables, enables, deletes or cancels it.',
  guide:
    'Take order_id_ex from svc_get_orders and call with preview true first: a change meets the limits of a new order. With modify_order_op normal give the new total qty and the price. To cancel use svc_cancel_order.',
  shape: [
    ...packetId,
    ...tradeHeader({ only: 'mcp' }),
    orderId,
    orderIdEx,
    // An order known by its text alone has number 0.
    constant('orderID', 0n),
    choice('modifyOrderOp', modifyOrderOp, { aliases: ['op'], about: '1 modify, 2 cancel, 3 disable, 4 enable, 5 delete.' }),
    number('qty', { min: 0, about: 'The new total quantity, what is already filled included.' }),
    number('price', { min: 0, about: 'The new price.' }),
  ],
  // Which orders have a price is up to their type: the gateway asks for it once it knows the order.
  needs: [
    { ...oneOrder, unless: { field: 'forAll', is: true } },
    { oneOf: ['qty'], when: { field: 'modifyOrderOp', is: NORMAL } },
  ],
  lowLevel: { 'header.trdEnv': trdEnvOfModify },
  rest: [post('/api/modify-order')],
});

export const cancelOrder = operation({
  name: 'cancel_order',
  group,
  scope,
  switches,
  reach,
  effect: 'write',
  valuer: 'modify',
  idempotent: true,
  protoId: 2205,
  answers: [
    { field: 'modifyOrderOp', is: CANCEL },
    { field: 'forAll', is: false },
  ],
  messages: TrdModifyOrder,
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
      { name: 'op', members: modifyOrderOp.members.filter(({ name }) => name === 'cancel') },
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
  rest: [post('/api/cancel-order')],
});

export const cancelAllOrder = operation({
  name: 'cancel_all_order',
  group,
  scope,
  switches,
  reach,
  effect: 'write',
  valuer: 'modify',
  idempotent: true,
  protoId: 2205,
  answers: [
    { field: 'modifyOrderOp', is: CANCEL },
    { field: 'forAll', is: true },
  ],
  messages: TrdModifyOrder,
  title: 'Cancel all orders',
  summary: 'Cancels every working order of an account in one market.',
  guide:
    'Look at svc_get_orders and ask the user first: it also ends orders that others placed. Fills that race it stand. To end one order use svc_cancel_order. Not counted by order limits.',
  shape: [...packetId, ...tradeHeader(), fixed('orderID', 0n), fixed('modifyOrderOp', CANCEL), fixed('forAll', true)],
  unused: ['orderIDEx', ...terms],
  rest: [post('/api/cancel-all-order')],
});

const MD5_HEX_BYTES = 32;

export const unlockTrade = operation({
  name: 'unlock_trade',
  group,
  scope: anyOf('trade:unlock'),
  reach: 'general',
  effect: 'write',
  idempotent: true,
  protoId: 2005,
  messages: TrdUnlockTrade,
  title: 'Unlock trading',
  summary: 'Unlocks (or locks) trading in real accounts. Permission to trade still comes from scopes and switches.',
  guide:
    'Needed before orders in real accounts; simulated ones need none. Works from the daemon’s own machine only. The gateway has the password: never ask the user for it. Lock again when done.',
  shape: [
    flag('unlock', { about: 'True unlocks, false locks.' }),
    secret('pwdMD5', { maxBytes: MD5_HEX_BYTES, about: 'Lower-case hex MD5 of the trade password; required to unlock.' }),
  ],
  needs: [{ oneOf: ['pwdMD5'], when: { field: 'unlock', is: true } }],
  rest: [post('/api/unlock-trade')],
  loopbackOnly: true,
});

const ofPositions = {
  group,
  scope: anyOf('trade:real'),
  switches: ['--enable-trading', '--enable-v18-position-writes'],
  reach,
  effect: 'order',
  valuer: 'position',
  keyField: 'initial.idempotency_key',
} as const;
const positionKey = text('initial.idempotency_key', { required: true, about: 'Names this write: a repetition gets the first outcome.' });
const positionId = id('initial.position_id', { required: true, about: 'From the positions of the account.' });
const version = integer('extension_version', { required: true, min: 1, max: 1, about: 'Always 1.' });

export const reversePosition = operation({
  ...ofPositions,
  name: 'reverse_position',
  protoId: 20043,
  messages: ReversePosition,
  classes: {
    'svc.reverse_position.C2S': { extension_version: 'none' },
    'svc.reverse_position.Initial': { idempotency_key: 'none', position_id: 'none', price_type: 'none' },
  },
  title: 'Reverse position',
  summary: 'Closes a position in a monthly future and opens the opposite one, as one group of two orders.',
  guide:
    'Real money, real futures accounts only. Call svc_get_positions first and ask the user. Never repeat it under another idempotency_key when the outcome is unknown: look at svc_get_orders.',
  shape: [
    ...tradeHeader(),
    positionKey,
    positionId,
    integer('initial.price_type', { required: true, min: 1, max: 2, about: '1 market orders, 2 limit orders at the last price.' }),
    version,
  ],
  rest: [post('/api/trd/reverse-position')],
});

export const rollPosition = operation({
  ...ofPositions,
  name: 'roll_position',
  protoId: 20044,
  messages: RollPosition,
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
    'Real money, real futures accounts only. Call svc_get_positions and svc_get_future_info first and ask the user. Never repeat it under another idempotency_key when the outcome is unknown: look at svc_get_orders.',
  shape: [
    ...tradeHeader(),
    positionKey,
    positionId,
    text('initial.target_code', { required: true, maxBytes: 64, about: 'Another month of the same contract: HSI2612.' }),
    choice('initial.target_sec_market', secMarket, { required: true, about: 'Market of the target.' }),
    version,
  ],
  rest: [post('/api/trd/roll-position')],
});
