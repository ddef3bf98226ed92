import { operation, post } from '../declare.js';
import { currency, periodUnit, returnMethod } from '../enums.js';
import { none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { anyOf } from '../scope.js';
import { choice, extensionVersion, flag, text, time, timestamp, tradeHeader } from '../shape.js';
import { timeZone } from '../text-formats.js';

const common = { group: 'account', effect: 'read', scope: anyOf('acc:read') } as const;
const contextFields = { use_pre_market: 'none', use_after_hours: 'none', use_overnight: 'none' } as const;

export const getPositionCorporateActions = operation({
  name: 'get_position_corporate_actions',
  ...common,
  reach: [{ list: 'position_list', of: 'traded' }],
  beside: ['header', 'snapshot_time', 'status'],
  protoId: 20040,
  messages: messages.PositionCorporateActions,
  classes: { 'svc.position_corporate_actions.C2S': { extension_version: 'none' } },
  switches: ['--enable-v18-experimental-reads'],
  title: 'Corporate actions of positions',
  summary: 'Dividends, splits, bonus and rights issues of what an account holds now.',
  guide:
    'Call svc_list_accounts first. Shows what was announced and goes ex, or went ex in the last 90 days. status 2 is partial: each position without an answer says why. Free.',
  shape: [...tradeHeader(), extensionVersion],
  rest: [post('/api/trd/position-corporate-actions')],
});

const returns = {
  ...common,
  // The answer is about the whole account.
  reach: 'beyond',
} as const;

/** Parameters for the fields at a path of the request. */
const zoneAndPrices = (prefix: string) => [
  text(`${prefix}time_location`, { maxBytes: 64, format: timeZone, about: 'IANA zone whose midnights divide days: Asia/Hong_Kong.' }),
  flag(`${prefix}price_context.use_pre_market`, { about: 'Count pre-market prices.', brief: '' }),
  flag(`${prefix}price_context.use_after_hours`, { about: 'Count after-hours prices.', brief: '' }),
  flag(`${prefix}price_context.use_overnight`, { about: 'Count overnight prices.', brief: '' }),
];

export const getReturnCalendar = operation({
  ...returns,
  name: 'get_return_calendar',
  protoId: 20041,
  messages: messages.ReturnCalendar,
  classes: {
    'svc.return_calendar.C2S': none('currency', 'query_type', 'method', 'time', 'calendar_date', 'time_location', 'extension_version'),
    'svc.account_yield.PriceContext': contextFields,
  },
  title: 'Return calendar',
  summary: 'Profit and return of an account by days of a month, months of a year, or years.',
  guide:
    'Call svc_list_accounts first. query_type divides time, calendar_date chooses which. Deposits are no profit. For the way between two days use svc_get_yield_trend. Free.',
  shape: [
    ...tradeHeader(),
    choice('currency', currency, { about: 'The account’s own when omitted.' }),
    choice('query_type', periodUnit),
    choice('method', returnMethod),
    timestamp('time', { about: 'Unix milliseconds up to which is counted; now when omitted.', brief: 'Unix ms; default now.' }),
    time('calendar_date', { dateOnly: true, about: 'A day in the month or year, yyyy-MM-dd; today when omitted.', brief: 'yyyy-MM-dd.' }),
    ...zoneAndPrices(''),
    extensionVersion,
  ],
  rest: [post('/api/trd/return-calendar')],
});

export const getYieldTrend = operation({
  ...returns,
  name: 'get_yield_trend',
  protoId: 20042,
  messages: messages.YieldTrend,
  classes: {
    'svc.yield_trend.C2S': { method: 'none', extension_version: 'none' },
    'svc.yield_trend.Range': { query_type: 'none', currency: 'none', start_date: 'none', end_date: 'none', time_location: 'none' },
    'svc.account_yield.PriceContext': contextFields,
  },
  title: 'Yield trend',
  summary: 'How assets, profit and yield of an account went between two days.',
  guide:
    'Call svc_list_accounts first. A point for each day, month or year of the range, at most 366; profit and yield count from its beginning. Free.',
  shape: [
    ...tradeHeader(),
    choice('range.query_type', periodUnit),
    choice('range.currency', currency, { about: 'The account’s own when omitted.' }),
    time('range.start_date', { dateOnly: true, about: 'First day, yyyy-MM-dd.', brief: 'yyyy-MM-dd.' }),
    time('range.end_date', { dateOnly: true, about: 'Last day, yyyy-MM-dd.', brief: 'yyyy-MM-dd.' }),
    ...zoneAndPrices('range.'),
    choice('method', returnMethod),
    extensionVersion,
  ],
  rest: [post('/api/trd/yield-trend')],
});
