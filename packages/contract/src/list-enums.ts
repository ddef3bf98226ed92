import { defined, type FieldEnumerations, inCapitals, same } from './enumeration.js';
import { SortFieldSchema as DividendSortFieldSchema } from './generated/Qot_GetDividendRank_pb.js';
import { SortFieldSchema as BeatSortFieldSchema } from './generated/Qot_GetEarningsBeatRank_pb.js';
import { EarningsCalendarSortTypeSchema } from './generated/Qot_GetEarningsCalendar_pb.js';
import { PeriodTypeSchema } from './generated/Qot_GetPeriodChangeRank_pb.js';
import { ShortSellingSortFieldSchema } from './generated/Qot_GetShortSellingRank_pb.js';

/** Enumerations of calendars, rankings, K-line patterns and trade statistics. Each market list is of those that the operation knows. */

export const dividendMarket = same('market', { HK: 1, US: 11, SG: 31, JP: 41, MY: 61 });
export const earningsMarket = same('market', { HK: 1, US: 11, SH: 21, SZ: 22, SG: 31, JP: 41 });
export const beatMarket = same('market', { HK: 1, US: 11, SG: 31, JP: 41 });
export const rankedMarket = same('market', { HK: 1, US: 11 });
export const patternMarket = same('market', { HK: 1, US: 11, SH: 21, SZ: 22, SG: 31, JP: 41, MY: 61 });
/** Markets with economic figures: SH stands for the mainland. */
export const economyMarket = same('market_list', { HK: 1, US: 11, SH: 21, SG: 31, JP: 41, AU: 51, MY: 61, CA: 71 });

export const sortDirection = same('sort_dir', { DESCENDING: 0, ASCENDING: 1 });

export const earningsSort = defined('sort_type', EarningsCalendarSortTypeSchema, inCapitals, { RtMarketCap: 'REALTIME_MARKET_CAP' });
const publicationType = same('pub_type', { UNKNOWN: -1, REGULAR: 0, BEFORE: 1, AFTER: 2 });
const estimateType = same('estimate_type', { EPS: 1, REVENUE: 2, EBIT: 3 });
const reportPeriod = same('period_type', { QUARTERLY: 1, SEMI_ANNUAL: 2, ANNUAL: 3 });
export const importance = same('importance', { ALL: 0, LOW: 1, MEDIUM: 2, HIGH: 3 });

export const dividendRankType = same('rank_type', { HIGH_YIELD: 1, DIVIDEND_GROWTH: 2 });
export const dividendSort = defined('sort_field', DividendSortFieldSchema, inCapitals);
const distributionFrequency = same('distribution_frequency', { ANNUAL: 1, SEMI_ANNUAL: 2, QUARTERLY: 3, MONTHLY: 4 });

export const beatType = same('beat_type', { EPS: 1, REVENUE: 2, EBIT: 3 });
export const beatTerm = same('term', { LATEST: 0, LATEST_QUARTER: 1, LATEST_HALF: 2, LATEST_ANNUAL: 3, ALL: 4 });
export const beatSort = defined('sort_field', BeatSortFieldSchema, inCapitals);
const postPeriod = same('detail_post_period', { REGULAR: 0, BEFORE: 1, AFTER: 2, INTRADAY: 3 });

const priceFilter = same('price_filter', {
  ALL: 0,
  BELOW_1: 1,
  FROM_1_TO_10: 2,
  FROM_10_TO_100: 3,
  ABOVE_100: 4,
  NEAR_52_WEEK_HIGH: 5,
  NEAR_52_WEEK_LOW: 6,
});

export const shortSellingSort = defined('sort_field', ShortSellingSortFieldSchema, inCapitals);

export const changePeriod = defined('period_type', PeriodTypeSchema, inCapitals);

export const soeSort = same('sort_field', { DIVIDEND_YIELD_TTM: 1, PB: 2, PE_TTM: 3, PRICE: 4, CHANGE_RATIO: 5, MARKET_CAP: 6 });

export const patternColor = same('color', { ALL: 0, BULLISH: 1, BEARISH: 2, NEUTRAL: 3 });
export const patternCategory = same('filter', { ALL: 0, CANDLESTICK: 1, CHART: 2 });
export const patternSortOrder = same('sort_order', { DESCENDING: 0, ASCENDING: 1 });
export const patternSort = same('sort_type', {
  BACKEND: -1,
  CHANGE_RATE: 0,
  PRICE: 1,
  VOLUME: 2,
  TURNOVER: 3,
  TURNOVER_RATE: 4,
  MARKET_CAP: 5,
});

/** Stocks that a search of patterns goes through. */
export const patternStocks = same('user_stock_list_mode', { EVERY: 0, WATCHLIST: 1 });

export const statisticInterval = same('interval_type', { DAY: 1, '1MIN': 2, '5MIN': 3, '15MIN': 4, '30MIN': 5, '60MIN': 6 });
const tradeSize = same('size_type', { SMALL: 1, MIDDLE: 2, BIG: 3, SUPER: 4 });

const directed = { sortDir: sortDirection } as const;
const extended = { ...directed, priceFilter } as const;

/** By the fields that hold them. */
export const listEnumerations: readonly FieldEnumerations[] = [
  { prefix: 'Qot_GetDividendCalendar.C2S', fields: { market: dividendMarket } },
  {
    prefix: 'Qot_GetEarningsCalendar',
    fields: { market: earningsMarket, sortType: earningsSort, pubType: publicationType, estimateType, periodType: reportPeriod },
  },
  { prefix: 'Qot_GetEconomicCalendar', fields: { marketList: economyMarket, importance } },
  {
    prefix: 'Qot_GetDividendRank',
    fields: { market: dividendMarket, rankType: dividendRankType, sortField: dividendSort, distributionFrequency },
  },
  { prefix: 'Qot_GetEarningsBeatRank.C2S', fields: { market: beatMarket, beatType, term: beatTerm, sortField: beatSort } },
  { prefix: 'Qot_GetEarningsBeatRank', fields: { detailPostPeriod: postPeriod } },
  { prefix: 'Qot_GetUSPreMarketRank', fields: extended },
  { prefix: 'Qot_GetUSAfterHoursRank', fields: extended },
  { prefix: 'Qot_GetUSOvernightRank', fields: extended },
  { prefix: 'Qot_GetShortSellingRank', fields: { market: rankedMarket, sortField: shortSellingSort, ...directed } },
  { prefix: 'Qot_GetPeriodChangeRank', fields: { market: rankedMarket, periodType: changePeriod, ...directed } },
  { prefix: 'Qot_GetHighDividendSOERank', fields: { sortField: soeSort, ...directed } },
  { prefix: 'svc.ticker_statistic', fields: { interval_type: statisticInterval, size_type: tradeSize } },
  { prefix: 'svc.kline_pattern', fields: { color: patternColor } },
  { prefix: 'svc.kline_pattern_catalog', fields: { filter: patternCategory, category: patternCategory } },
  {
    prefix: 'svc.kline_pattern_stocks',
    fields: { market: patternMarket, sort_order: patternSortOrder, sort_type: patternSort, user_stock_list_mode: patternStocks },
  },
  { prefix: 'svc.kline_pattern_performance', fields: { market: patternMarket } },
];
