import { operation, post } from '../declare.js';
import { among } from '../enumeration.js';
import { orderType, secMarket, timeInForce, trdSide } from '../enums.js';
import * as messages from '../generated/messages.js';
import { anyOf } from '../scope.js';
import { choice, code, constant, number, orderSymbol, text, tradeHeader } from '../shape.js';

const ofOrders = { group: 'trade', switches: ['--enable-trading'], scope: { kind: 'byEnv' } } as const;

export const placeBracketOrder = operation({
  ...ofOrders,
  name: 'place_bracket_order',
  reach: 'request',
  effect: 'order',
  valuer: 'bracket',
  protoId: 20060,
  messages: messages.PlaceBracketOrder,
  title: 'Place bracket order',
  summary: 'Places an order that opens a position, with a take-profit, a stop-loss or both, of which one ends the other.',
  guide:
    'As svc_place_order: preview first, give an idempotency_key. Never more than one exit is in the market, for what the entry has filled. Follow it with svc_get_brackets, end its exits with svc_cancel_bracket.',
  needs: [{ oneOf: ['take_profit_price', 'stop_loss_price'] }, { oneOf: ['price'], when: { field: 'orderType', is: 1 }, unspoken: true }],
  shape: [
    constant('packetID.connID', 0n),
    constant('packetID.serialNo', 0),
    ...tradeHeader(),
    choice('trdSide', among(trdSide, 'BUY', 'SELL', 'SELL_SHORT'), {
      as: 'side',
      required: true,
      about: 'BUY or SELL_SHORT; SELL opens futures.',
      brief: '',
    }),
    code('code'),
    orderSymbol(),
    number('qty', { above: 0, about: 'Shares or contracts.', brief: '' }),
    number('price', { about: 'Limit price; market orders ignore it.', brief: '' }),
    choice('orderType', among(orderType, 'NORMAL', 'MARKET'), {
      default: 1,
      about: 'NORMAL (limit) or MARKET.',
      brief: 'NORMAL or MARKET.',
    }),
    choice('secMarket', secMarket, { about: 'Market of the security, where the trading market leaves it open.', brief: '' }),
    choice('timeInForce', among(timeInForce, 'DAY', 'GTC', 'IOC'), {
      about: 'Of the entry, DAY when omitted; exits are good till cancelled.',
      brief: 'Of the entry.',
    }),
    number('take_profit_price', { above: 0, about: 'The limit at which the profit is taken.', brief: '' }),
    number('stop_loss_price', { above: 0, about: 'The price at which the loss is stopped.', brief: '' }),
    number('stop_loss_limit_price', { above: 0, about: 'Limit of the stop-loss; a market order without.', brief: '' }),
    text('remark', { maxBytes: 64, about: 'A note, kept with the entry.', brief: '' }),
  ],
  rest: [post('/api/bracket-order')],
});

export const getBrackets = operation({
  name: 'get_brackets',
  group: 'trade',
  scope: anyOf('acc:read'),
  effect: 'read',
  reach: [{ list: 'bracket_list', of: 'traded' }],
  beside: ['header'],
  protoId: 20061,
  messages: messages.GetBrackets,
  title: 'Brackets',
  summary: 'The brackets of an account: entry, take-profit, stop-loss, and which exit works now.',
  guide:
    'state 1 placing, 2 open, 3 closed, 4 cancelled, 5 unclear: then note says why, and svc_get_orders how things stand. Those that ended stay listed for a day. Free.',
  shape: [...tradeHeader(), text('bracket_id', { maxBytes: 64, about: 'Only this one.' })],
});

export const cancelBracket = operation({
  ...ofOrders,
  name: 'cancel_bracket',
  reach: 'request',
  effect: 'write',
  valuer: 'relief',
  idempotent: true,
  protoId: 20062,
  messages: messages.CancelBracket,
  title: 'Cancel bracket',
  summary: 'Ends a bracket: its exit is cancelled and no other is placed. The entry and the position stay.',
  guide: 'The position is then without a stop-loss: say so. To cancel the entry use svc_cancel_order. Not counted by order limits.',
  shape: [...tradeHeader(), text('bracket_id', { required: true, maxBytes: 64, about: 'From svc_get_brackets.' })],
});
