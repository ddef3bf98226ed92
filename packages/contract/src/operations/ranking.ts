import { operation } from '../declare.js';
import { type FieldClasses, none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { chainMarket, heatMapPlate, heatMapSort } from '../industry-enums.js';
import * as lists from '../list-enums.js';
import { anyOf } from '../scope.js';
import { choice, flag, integer, type Shape, text } from '../shape.js';

const common = { group: 'ranking', effect: 'read', scope: anyOf('qot:read') } as const;
const listed = { list: 'dataList', of: 'security', at: 'security' } as const;
const counted = [{ ...listed, total: 'allCount' }] as const;

const page = (max: number, fallback: number): Shape => [
  integer('offset', { default: 0, min: 0, about: 'Rows passed over.' }),
  integer('count', { default: fallback, min: 1, max, about: 'Most rows.' }),
];
const direction = choice('sortDir', lists.sortDirection, { default: 0 });

export const getDividendRank = operation({
  ...common,
  name: 'get_dividend_rank',
  reach: [listed],
  protoId: 3407,
  messages: messages.QotGetDividendRank,
  classes: {
    'Qot_GetDividendRank.C2S': { market: 'quote_market', rankType: 'none', count: 'none', sortField: 'none' },
    'Qot_GetDividendRank.Indicator': { indicatorType: 'none' },
  },
  title: 'Dividend ranking',
  summary: 'Stocks of a market with the highest dividends, or with dividends that keep growing.',
  guide:
    'To find income stocks: yield, payout ratio, frequency, years of growth and the next payment. Best first; filter_list narrows it by the public indicator types. For who goes ex on a day use svc_get_dividend_calendar.',
  shape: [
    choice('market', lists.dividendMarket),
    choice('rankType', lists.dividendRankType),
    integer('count', { default: 10, min: 1, max: 300, about: 'Most rows.' }),
    choice('sortField', lists.dividendSort, { about: 'By the rank type when omitted.' }),
  ],
});

export const getEarningsBeatRank = operation({
  ...common,
  name: 'get_earnings_beat_rank',
  reach: counted,
  protoId: 3406,
  messages: messages.QotGetEarningsBeatRank,
  classes: {
    'Qot_GetEarningsBeatRank.C2S': { market: 'quote_market', beatType: 'none', count: 'none', term: 'none', sortField: 'none' },
    'Qot_GetEarningsBeatRank.Indicator': { indicatorType: 'none' },
  },
  title: 'Earnings beats',
  summary: 'Stocks of a market whose results were better than expected.',
  guide:
    'Without filter_list: results of the last 30 days above the consensus. Shows actual, estimate, the year before and how the price took it. For the dates ahead use svc_get_earnings_calendar.',
  shape: [
    choice('market', lists.beatMarket),
    choice('beatType', lists.beatType),
    integer('count', { default: 30, min: 1, max: 300, about: 'Most rows.' }),
    choice('term', lists.beatTerm, { default: 4, about: 'Which report of each company.' }),
    choice('sortField', lists.beatSort, { about: 'Market value when omitted.' }),
  ],
});

/** Field classes of rankings by extended hours: nothing in the request names a security. */
function extendedClasses(message: string): FieldClasses {
  return {
    [`${message}.C2S`]: { sortDir: 'none', offset: 'none', count: 'none' },
    [`${message}.Indicator`]: { indicatorType: 'none', priceFilter: 'none' },
  };
}

export const getUsPreMarketRank = operation({
  ...common,
  name: 'get_us_pre_market_rank',
  reach: counted,
  protoId: 3410,
  messages: messages.QotGetUSPreMarketRank,
  classes: extendedClasses('Qot_GetUSPreMarketRank'),
  title: 'US pre-market movers',
  summary: 'US stocks by how far they have moved before the market opens.',
  guide:
    'What moved on the news of the night. Only stocks that traded before the opening are listed; after it, the list stays until the next day. Gainers first, losers with sort_dir ASCENDING.',
  shape: [direction, ...page(200, 50)],
});

export const getUsAfterHoursRank = operation({
  ...common,
  name: 'get_us_after_hours_rank',
  reach: counted,
  protoId: 3411,
  messages: messages.QotGetUSAfterHoursRank,
  classes: extendedClasses('Qot_GetUSAfterHoursRank'),
  title: 'US after-hours movers',
  summary: 'US stocks by how far they have moved since the close.',
  guide:
    'What moved on results and news after the closing bell. Only stocks that traded after it are listed, until the next day begins. Gainers first, losers with sort_dir ASCENDING.',
  shape: [direction, ...page(200, 50)],
});

export const getUsOvernightRank = operation({
  ...common,
  name: 'get_us_overnight_rank',
  reach: counted,
  protoId: 3412,
  messages: messages.QotGetUSOvernightRank,
  classes: extendedClasses('Qot_GetUSOvernightRank'),
  title: 'US overnight movers',
  summary: 'US stocks by how far they have moved in the overnight session.',
  guide:
    'Only stocks that trade between the after-hours session and the pre-market are listed; where the brokerage has no overnight session, the list is empty. Gainers first, losers with sort_dir ASCENDING.',
  shape: [direction, ...page(200, 50)],
});

export const getShortSellingRank = operation({
  ...common,
  name: 'get_short_selling_rank',
  reach: counted,
  protoId: 3415,
  messages: messages.QotGetShortSellingRank,
  classes: {
    'Qot_GetShortSellingRank.C2S': { market: 'quote_market', plateList: 'plate', ...none('sortField', 'sortDir', 'offset', 'count') },
  },
  title: 'Short-selling ranking',
  summary: 'Stocks by what was sold short on the last complete trading day.',
  guide:
    'To find stocks that others bet against, or that may be squeezed: short volume and its change, short positions, days to cover, averages of a week and a month. Markets US (default) and HK.',
  shape: [
    choice('market', lists.rankedMarket, { default: 11 }),
    choice('sortField', lists.shortSellingSort, { about: 'Change of the short volume when omitted.' }),
    direction,
    ...page(35, 10),
  ],
});

export const getPeriodChangeRank = operation({
  ...common,
  name: 'get_period_change_rank',
  reach: counted,
  protoId: 3416,
  messages: messages.QotGetPeriodChangeRank,
  classes: {
    'Qot_GetPeriodChangeRank.C2S': { market: 'quote_market', periodType: 'none', sortDir: 'none', offset: 'none', count: 'none' },
    'Qot_GetPeriodChangeRank.Indicator': { indicatorType: 'none' },
  },
  title: 'Period movers',
  summary: 'Stocks of a market by their change over a period, from five minutes to the year to date.',
  guide:
    'Gainers first, losers with sort_dir ASCENDING. Every row has the changes over all periods, valuation and volume ratio; filter_list narrows by the public indicator types. Markets HK and US.',
  shape: [choice('market', lists.rankedMarket), choice('periodType', lists.changePeriod, { default: 1 }), direction, ...page(200, 50)],
});

export const getHighDividendSoeRank = operation({
  ...common,
  name: 'get_high_dividend_soe_rank',
  reach: counted,
  protoId: 3417,
  messages: messages.QotGetHighDividendSOERank,
  classes: {
    'Qot_GetHighDividendSOERank.C2S': { sortField: 'none', sortDir: 'none', offset: 'none', count: 'none' },
    'Qot_GetHighDividendSOERank.Indicator': { indicatorType: 'none' },
  },
  title: 'High-dividend state-owned stocks',
  summary: 'Hong Kong stocks of state-owned companies with high dividends below book value.',
  guide:
    'State-owned companies of the mainland with a price-to-book ratio of at most 1, a dividend yield of at least 5 % and no losses; filter_list replaces the yield and P/E conditions. Largest first.',
  shape: [choice('sortField', lists.soeSort, { about: 'Market value when omitted.' }), direction, ...page(200, 50)],
});

export const getHeatMapData = operation({
  ...common,
  name: 'get_heat_map_data',
  reach: [
    { list: 'plateDataList', of: 'security', at: 'plate', total: 'allCount', more: { field: 'nextPage', last: '' } },
    { list: 'plateDataList.leaderStock', of: 'security' },
  ],
  protoId: 3432,
  messages: messages.QotGetHeatMapData,
  classes: {
    'Qot_GetHeatMapData.C2S': { market: 'quote_market', sortField: 'none', ascend: 'none', count: 'none', page: 'none', plateType: 'none' },
  },
  title: 'Heat map',
  summary:
    'The industries or concepts of a market with index, change, turnover, market value, mean P/E, rising and falling members, and the leader.',
  guide:
    'For where money goes in a market now: market_val sizes a field, change_rate colours it. The members of a plate are in svc_get_plate_security; one sector over all markets is in svc_get_industrial_plate_stock.',
  shape: [
    choice('market', chainMarket),
    choice('sortField', heatMapSort, { about: 'Change rate when omitted. HOT: money traded on a usual day.' }),
    flag('ascend', { default: false, about: 'Smallest first.' }),
    integer('count', { default: 30, min: 1, max: 200, about: 'Most rows.' }),
    text('page', { about: 'next_page of the page before.', maxBytes: 64 }),
    choice('plateType', heatMapPlate, { default: 0 }),
  ],
});
