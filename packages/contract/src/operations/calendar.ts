import { operation } from '../declare.js';
import { none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { dividendMarket, earningsMarket, earningsSort, economyMarket, importance } from '../list-enums.js';
import { anyOf } from '../scope.js';
import { choice, choices, integer, text, time } from '../shape.js';

const common = { group: 'calendar', effect: 'read', scope: anyOf('qot:read') } as const;

export const getDividendCalendar = operation({
  ...common,
  name: 'get_dividend_calendar',
  reach: [{ list: 'itemList', of: 'security', at: 'security', total: 'allCount' }],
  protoId: 3408,
  messages: messages.QotGetDividendCalendar,
  classes: { 'Qot_GetDividendCalendar.C2S': { market: 'quote_market', date: 'none', dataFrom: 'none', count: 'none' } },
  title: 'Dividend calendar',
  summary: 'Dividends of a market that go ex on one day, with record and payment dates.',
  guide:
    'To learn which prices will drop by a dividend, or until when a share must be bought to receive it. One ex-day a call; markets HK, US, SG, JP, MY. For the highest yields use svc_get_dividend_rank.',
  shape: [
    choice('market', dividendMarket),
    time('date', { dateOnly: true, required: true, about: 'The ex-day, yyyy-MM-dd.' }),
    integer('dataFrom', { default: 0, min: 0, about: 'Rows passed over.' }),
    integer('count', { min: 1, max: 1000, about: 'Most rows; all when omitted.' }),
  ],
});

export const getEarningsCalendar = operation({
  ...common,
  name: 'get_earnings_calendar',
  reach: [{ list: 'itemList', of: 'security', at: 'security' }],
  protoId: 3401,
  messages: messages.QotGetEarningsCalendar,
  classes: {
    'Qot_GetEarningsCalendar.C2S': { market: 'quote_market', sortType: 'none', beginDate: 'none', endDate: 'none' },
    'Qot_GetEarningsCalendar.EarningsCalendarIndicator': { indicatorType: 'none' },
  },
  title: 'Earnings calendar',
  summary: 'Companies of a market that report on certain days: when, what is expected and what came.',
  guide:
    'Up to seven days a call, today when no dates are given. Call it before holding a share over its results. filter_list takes the public indicator types. For results that beat expectations use svc_get_earnings_beat_rank.',
  shape: [
    choice('market', earningsMarket),
    time('beginDate', { dateOnly: true, about: 'First day, yyyy-MM-dd; today when omitted.' }),
    time('endDate', { dateOnly: true, about: 'Last day, at most 6 days later; the first day when omitted.' }),
    choice('sortType', earningsSort, { default: 1 }),
  ],
});

export const getEconomicCalendar = operation({
  ...common,
  name: 'get_economic_calendar',
  reach: 'request',
  protoId: 3409,
  messages: messages.QotGetEconomicCalendar,
  classes: {
    'Qot_GetEconomicCalendar.C2S': { marketList: 'quote_market', ...none('beginDate', 'endDate', 'importance', 'count', 'nextPage') },
  },
  title: 'Economic calendar',
  summary: 'Economic figures and rate decisions by time of publication: previous, consensus, actual.',
  guide:
    'Prices may jump when inflation, employment or rate decisions are published: look here before an order is left overnight. At most a year a call. While has_more is true, repeat the call with next_page.',
  shape: [
    time('beginDate', { dateOnly: true, required: true, about: 'First day, yyyy-MM-dd.' }),
    time('endDate', { dateOnly: true, about: 'Last day, inclusive; the first day when omitted.' }),
    choices('marketList', economyMarket, { about: 'Whose economies; all when omitted.' }),
    choice('importance', importance, { default: 0, about: 'Only events of this importance.' }),
    integer('count', { default: 50, min: 1, max: 100, about: 'Rows of a page.' }),
    text('nextPage', { about: 'Of the page before.', maxBytes: 64 }),
  ],
});
