import { operation } from '../declare.js';
import { currency, orderType } from '../enums.js';
import * as messages from '../generated/messages.js';
import { legValues } from '../leg-values.js';
import { anyOf } from '../scope.js';
import { choice, number, type Param, text, tradeHeader } from '../shape.js';

const common = { group: 'account', effect: 'read', scope: anyOf('acc:read') } as const;

export const getMarginInfo = operation({
  ...common,
  name: 'get_margin_info',
  reach: [{ list: 'position_list', of: 'traded' }],
  // The sums are those of the funds, which such keys see too.
  beside: [
    'header',
    'currency',
    'is_margin_account',
    'net_assets',
    'initial_margin',
    'margin_call_margin',
    'maintenance_margin',
    'reserved_margin',
    'available_margin',
    'excess_liquidity',
    'risk_ratio',
    'margin_status',
  ],
  protoId: 20036,
  messages: messages.MarginInfo,
  title: 'Margin',
  summary: 'The margin that an account needs and has left, and what each position takes of it.',
  guide:
    'Call svc_list_accounts first. available_margin is for new positions; excess_liquidity is how much may be lost before positions are closed. For a security’s terms use svc_get_margin_ratio. Free.',
  shape: [...tradeHeader(), choice('currency', currency, { about: 'Of the sums; the account’s own when omitted.' })],
});

export const getComboMaxTrdQtys = operation({
  ...common,
  name: 'get_combo_max_trd_qtys',
  reach: 'request',
  protoId: 2112,
  messages: messages.TrdGetComboMaxTrdQtys,
  needs: [{ oneOf: ['comboLegs'] }],
  values: legValues,
  title: 'Effect of a combination',
  summary: 'What an order of several legs would change: margin, net assets, buying power, withdrawable cash.',
  guide:
    'Give the request in c2s_json: header {trd_env, acc_id, trd_market}, qty, price, order_type and combo_legs, {security, side, qty_ratio} each, two to four. The price is what a unit costs, bought less sold; below zero for a credit. It reserves nothing. Free.',
  // No tool argument can give the legs: its callers give the whole request.
  shape: [
    ...tradeHeader(),
    number('qty', { above: 0, about: 'Units; a leg trades its ratio of them.' }),
    number('price', { about: 'Of a unit.' }),
    choice('orderType', orderType, { default: 1, about: 'NORMAL when omitted.' }),
    text('orderIDEx', { about: 'The order to modify.' }),
  ].map((param): Param => ({ ...param, only: 'rest' })),
});
