import { operation } from '../declare.js';
import { requestClasses } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import * as enums from '../institution-enums.js';
import { sortDirection } from '../list-enums.js';
import { anyOf } from '../scope.js';
import { choice, integer, type Shape, symbol, text } from '../shape.js';

const common = { group: 'institution', effect: 'read', scope: anyOf('qot:read') } as const;
/** Sums over all shares of a market, which cannot be filtered. */
const ofMarket = { ...common, reach: 'beyond' } as const;
const listed = [{ list: 'dataList', of: 'security', at: 'security', total: 'allCount', more: { field: 'nextPage', last: '' } }] as const;

const byMarket = { market: 'quote_market' } as const;
const market = choice('market', enums.heldMarket);
const institution = integer('institutionId', { min: 1, about: 'From svc_get_institution_list.' });
const direction = choice('sortDir', sortDirection, { default: 0 });
const page = (max: number, fallback: number): Shape => [
  integer('count', { default: fallback, min: 1, max, about: 'Most rows.' }),
  text('page', { about: 'next_page of the page before.', maxBytes: 64 }),
];

export const getInstitutionList = operation({
  ...ofMarket,
  name: 'get_institution_list',
  protoId: 3418,
  messages: messages.QotGetInstitutionList,
  classes: requestClasses('Qot_GetInstitutionList', byMarket, 'sortField', 'sortDir', 'count', 'page', 'namePart'),
  title: 'Institutions',
  summary: 'Institutions that hold shares of a market, with what their holdings are worth and how that changed in a quarter.',
  guide:
    'Start here for an institution_id; name_part finds one by name. What each holds is in svc_get_institution_holding_list. As of the last quarter that was reported.',
  shape: [
    market,
    choice('sortField', enums.institutionSort, { about: 'Position value when omitted.' }),
    direction,
    ...page(200, 20),
    text('namePart', { about: 'A part of the name.', maxBytes: 128 }),
  ],
});

export const getInstitutionProfile = operation({
  ...ofMarket,
  name: 'get_institution_profile',
  protoId: 3419,
  messages: messages.QotGetInstitutionProfile,
  classes: requestClasses('Qot_GetInstitutionProfile', byMarket, 'institutionId'),
  title: 'Profile of an institution',
  summary: 'What an institution holds in a market in a few figures: value, count, what is new, sold, more and less.',
  guide:
    'For an overview of an institution before its single holdings. Take institution_id from svc_get_institution_list; single stocks are in svc_get_institution_holding_list, changes alone in svc_get_institution_holding_change.',
  shape: [market, institution],
});

export const getInstitutionDistribution = operation({
  ...ofMarket,
  name: 'get_institution_distribution',
  protoId: 3420,
  messages: messages.QotGetInstitutionDistribution,
  classes: requestClasses('Qot_GetInstitutionDistribution', byMarket, 'institutionId'),
  title: 'Industries of an institution',
  summary: 'How the holdings of an institution in a market divide by industry, in money and percent.',
  guide:
    'The parts add up to the position value of svc_get_institution_profile, the largest first. Take institution_id from svc_get_institution_list. As of the last quarter that was reported.',
  shape: [market, institution],
});

export const getInstitutionHoldingChange = operation({
  ...common,
  name: 'get_institution_holding_change',
  reach: listed,
  protoId: 3421,
  messages: messages.QotGetInstitutionHoldingChange,
  classes: requestClasses(
    'Qot_GetInstitutionHoldingChange',
    byMarket,
    'institutionId',
    'changeType',
    'sortField',
    'sortDir',
    'count',
    'page',
  ),
  title: 'Changes of an institution’s holdings',
  summary: 'Stocks that an institution bought for the first time, sold out of, bought more of or sold some of in a quarter.',
  guide:
    'One change_type a call, NEW when omitted. Changes are against the quarter before, splits taken off. The whole list with values is in svc_get_institution_holding_list.',
  shape: [
    market,
    institution,
    choice('changeType', enums.holdingChangeType, { default: 1 }),
    choice('sortField', enums.holdingChangeSort, { about: 'Change in percent when omitted.' }),
    direction,
    ...page(200, 20),
  ],
});

export const getInstitutionHoldingList = operation({
  ...common,
  name: 'get_institution_holding_list',
  reach: listed,
  beside: ['currency'],
  protoId: 3422,
  messages: messages.QotGetInstitutionHoldingList,
  classes: requestClasses(
    'Qot_GetInstitutionHoldingList',
    byMarket,
    'institutionId',
    'changeType',
    'sortField',
    'sortDir',
    'count',
    'page',
    'keyword',
  ),
  title: 'Holdings of an institution',
  summary: 'The stocks of a market that an institution holds: value, part of the company, part of its portfolio, change in a quarter.',
  guide:
    'Largest first. keyword finds a stock by name or code; change_type keeps those that changed so. Take institution_id from svc_get_institution_list.',
  shape: [
    market,
    institution,
    choice('changeType', enums.holdingChangeType, { about: 'All when omitted.' }),
    choice('sortField', enums.holdingSort, { about: 'Value when omitted.' }),
    direction,
    ...page(200, 20),
    text('keyword', { about: 'A part of a name or code.', maxBytes: 128 }),
  ],
});

export const getArkFundHolding = operation({
  ...common,
  name: 'get_ark_fund_holding',
  reach: listed,
  protoId: 3423,
  messages: messages.QotGetArkFundHolding,
  classes: requestClasses('Qot_GetArkFundHolding', {}, 'holdingType', 'cycleType', 'sortField', 'sortDir', 'count', 'page'),
  title: 'ARK holdings',
  summary: 'What the ARK funds hold together after the last trading day, or how that changed over days.',
  guide:
    'Published every evening, unlike the quarterly holdings of svc_get_institution_holding_list. With another holding_type than POSITION, cycle_type says over how many trading days.',
  shape: [
    choice('holdingType', enums.arkHoldingType, { default: 0 }),
    choice('cycleType', enums.arkCycle, { default: 0 }),
    choice('sortField', enums.arkHoldingSort, { default: 0 }),
    direction,
    ...page(200, 20),
  ],
});

export const getArkStockDynamic = operation({
  ...common,
  name: 'get_ark_stock_dynamic',
  reach: 'request',
  protoId: 3424,
  messages: messages.QotGetArkStockDynamic,
  classes: { 'Qot_GetArkStockDynamic.C2S': { security: 'security' } },
  title: 'ARK and a stock',
  summary: 'Whether the ARK funds trade a stock: days in a row in one direction, lately, once, or not at all.',
  guide:
    'transaction_count and net_shares are those of what dynamic_type tells; net_shares is negative when they sold. For all stocks at once use svc_get_ark_active_transaction.',
  shape: [symbol('security')],
});

export const getArkActiveTransaction = operation({
  ...common,
  name: 'get_ark_active_transaction',
  reach: listed,
  protoId: 3425,
  messages: messages.QotGetArkActiveTransaction,
  classes: requestClasses('Qot_GetArkActiveTransaction', {}, 'holdingType', 'cycleType', 'sortField', 'sortDir', 'count', 'page'),
  title: 'ARK transactions',
  summary: 'What the ARK funds bought and sold over some trading days, in dollars and shares.',
  guide:
    'Purchases of the last day when nothing is said; DECREASE for sales, which are negative. The positions themselves are in svc_get_ark_fund_holding.',
  shape: [
    choice('holdingType', enums.arkTransactionType, { default: 0 }),
    choice('cycleType', enums.arkCycle, { default: 0 }),
    choice('sortField', enums.arkTransactionSort, { about: 'The amount when omitted.' }),
    direction,
    ...page(200, 50),
  ],
});

export const getRatingChange = operation({
  ...common,
  name: 'get_rating_change',
  reach: listed,
  protoId: 3426,
  messages: messages.QotGetRatingChange,
  // The only market: what is answered is what the key may see.
  classes: { 'Qot_GetRatingChange.C2S': { market: 'filter', changeType: 'none', count: 'none', page: 'none' } },
  title: 'Rating changes',
  summary: 'Stocks that brokers rated up, down or for the first time in the last thirty days, newest first.',
  guide:
    'US stocks. To look for ideas or for reasons of a move; what everybody says of one stock is in svc_get_research_rating_summary, together in svc_get_research_analyst_consensus.',
  shape: [choice('market', enums.ratedMarket), choice('changeType', enums.ratingChangeType, { default: 1 }), ...page(20, 10)],
});
