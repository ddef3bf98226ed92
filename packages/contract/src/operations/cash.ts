import { operation } from '../declare.js';
import { cashFlowDirection, cashLogCurrency, cashLogDirection } from '../enums.js';
import * as messages from '../generated/messages.js';
import { TrdEnv } from '../generated/Trd_Common_pb.js';
import { anyOf } from '../scope.js';
import { choice, id, integer, symbol, text, time, timestamp, tradeHeader } from '../shape.js';

const common = { group: 'account', effect: 'read', scope: anyOf('acc:read') } as const;
/** The account alone: its cash is of no one market. In tools, real is meant where no environment is named. */
const accountHeader = tradeHeader({ marketDefault: 0, toolEnv: TrdEnv.TrdEnv_Real });

const cashFlow = {
  ...common,
  // A flow names no security that it could be filtered by.
  reach: 'beyond',
  protoId: 2226,
  messages: messages.TrdFlowSummary,
  shape: [
    ...tradeHeader({ toolEnv: TrdEnv.TrdEnv_Real }),
    // Published clients send an empty text for today.
    time('clearingDate', { required: true, absenceCounts: true, dateOnly: true, about: 'Day on which it clears, yyyy-MM-dd.' }),
    choice('cashFlowDirection', cashFlowDirection, { as: 'direction', about: 'Both when omitted.' }),
  ],
} as const;

/** The protocol has one request for both: over it, one for what came in is told as this one. */
export const getAccCashFlow = operation({
  ...cashFlow,
  name: 'get_acc_cash_flow',
  answers: [{ field: 'cashFlowDirection', is: 1 }],
  title: 'Cash flow',
  summary: 'Money that came in or went out on a clearing day.',
  guide:
    'The same as svc_get_flow_summary, under its other name. Call svc_list_accounts first. For several days, or exact amounts, use svc_get_cash_log. Free.',
});

export const getFlowSummary = operation({
  ...cashFlow,
  name: 'get_flow_summary',
  title: 'Flow summary',
  summary: 'Money that came in or went out on a clearing day: trades, fees, dividends, interest.',
  guide:
    'Call svc_list_accounts first. Amounts below zero went out of the account. For several days, one security, or exact amounts, use svc_get_cash_log. Free.',
});

export const getCashLog = operation({
  name: 'get_cash_log',
  ...common,
  reach: [{ list: 'log_list', of: 'traded', more: { field: 'next_log_id' } }],
  beside: ['header'],
  protoId: 20037,
  messages: messages.CashLog,
  title: 'Cash log',
  summary: 'What changed an account’s cash, newest first, in exact amounts.',
  guide:
    'Call svc_list_accounts first. For older rows pass next_log_id as log_id. Group ids come from svc_get_biz_group; svc_get_cash_detail shows a row in full. Free.',
  shape: [
    ...accountHeader,
    timestamp('begin_time', { about: 'Unix seconds, inclusive.', brief: 'Unix seconds.' }),
    timestamp('end_time', { about: 'Unix seconds, inclusive.', brief: 'Unix seconds.' }),
    integer('biz_group_id', { min: 0, about: 'A group of svc_get_biz_group.', brief: '' }),
    integer('biz_sub_group_id', { min: 0, about: 'A sub-group.', brief: '' }),
    choice('in_out', cashLogDirection, { default: 0 }),
    text('keyword', { maxBytes: 256, about: 'Part of the title, symbol, name or remark.' }),
    symbol('security', { required: false }),
    id('stock_id', { about: 'The security by its number.', brief: '' }),
    id('log_id', { about: 'Cursor: the next_log_id of the page before.' }),
    integer('max_cnt', { min: 1, max: 500, default: 50, about: 'Most rows.' }),
    choice('currency', cashLogCurrency, { about: 'Every currency when omitted.' }),
  ],
});

export const getCashDetail = operation({
  name: 'get_cash_detail',
  ...common,
  reach: [{ list: 'detail_list', of: 'traded' }],
  beside: ['header'],
  protoId: 20038,
  messages: messages.CashDetail,
  title: 'Cash detail',
  summary: 'Everything that was booked together with a row of the cash log.',
  guide:
    'Call svc_get_cash_log first and pass a log_id. Shows the order and fill behind it, its fees and taxes, and realised profit. Free.',
  shape: [...accountHeader, id('log_id', { about: 'A row of the cash log.' })],
});

export const getBizGroup = operation({
  name: 'get_biz_group',
  ...common,
  // The groups are the same for every account.
  reach: 'general',
  protoId: 20039,
  messages: messages.BizGroup,
  title: 'Business groups',
  summary: 'The groups and sub-groups that the cash log sorts rows into.',
  guide:
    'Call it once before you filter svc_get_cash_log by biz_group_id or biz_sub_group_id. The groups are the same for every account. Free.',
  shape: accountHeader,
});
