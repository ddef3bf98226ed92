import { type FieldEnumerations, same } from './enumeration.js';
import { reportType } from './research-enums.js';

/** Enumerations of the extension reads and of news. */

/** Lists of forex pairs: those with a currency, or of a kind. */
export const forexList = same('list_id', {
  ALL: 1,
  MAJORS: 2,
  CROSSES: 3,
  ASIA: 4,
  USD: 5,
  EUR: 6,
  GBP: 7,
  JPY: 8,
  HKD: 9,
  CNH: 10,
  AUD: 11,
  COMMODITY: 12,
});
/** Figures of forex pairs to sort by: WEIGHT is the order of the market. */
export const constituentSort = same('sort_id', {
  WEIGHT: 0,
  CODE: 1,
  NAME: 2,
  PRICE: 3,
  CHANGE: 4,
  CHANGE_RATIO: 5,
  OPEN: 6,
  HIGH: 7,
  LOW: 8,
  LAST_CLOSE: 9,
  AMPLITUDE: 10,
  VOLUME: 11,
  TURNOVER: 12,
  AVERAGE_PRICE: 13,
  BID: 14,
  ASK: 15,
  BID_VOLUME: 16,
  ASK_VOLUME: 17,
  SPREAD: 18,
  SPREAD_RATIO: 19,
  CHANGE_5D: 20,
  CHANGE_10D: 21,
  CHANGE_20D: 22,
  CHANGE_60D: 23,
  CHANGE_120D: 24,
  CHANGE_250D: 25,
  CHANGE_YTD: 26,
  YEAR_HIGH: 27,
  YEAR_LOW: 28,
  TO_YEAR_HIGH: 29,
  TO_YEAR_LOW: 30,
  HIGH_24H: 31,
  LOW_24H: 32,
  CHANGE_24H: 33,
  CHANGE_RATIO_24H: 34,
  AMPLITUDE_24H: 35,
  VOLUME_24H: 36,
  TURNOVER_24H: 37,
  STOCK_ID: 38,
});
/** How much of an item's text is answered. */
export const newsLength = same('list_type', { FIRST_SENTENCE: 0, WHOLE: 1 });
export const constituentOrder = same('sort_type', { ASC: 1, DESC: 2 });
export const pageFlip = same('page_flip', { OLDER: 0, NEWER: 1 });
export const newsIdType = same('id_type', { SECURITY: 1, PLATE: 2 });
export const noticeType = same('notice_types', { ALL: 0, RESULTS: 1, DIVIDENDS: 2, SHARES: 3, OFFICERS: 4, OTHERS: 5 });
/** Options of the flash filter. */
export const newsTopic = same('flash_filter_list', {
  RESULTS: 1,
  DIVIDENDS: 2,
  SHARES: 3,
  PEOPLE: 4,
  RATINGS: 5,
  MOVES: 6,
  HALTS: 7,
  LISTINGS: 8,
  ECONOMY: 9,
  LETTERS: 10,
});
/** Options of the market filter. */
export const newsMarket = same('market_filter_list', { HK: 1, US: 11, SH: 21, SZ: 22, SG: 31, JP: 41, MY: 61 });
const rating = same('rating', { SELL: 1, UNDERPERFORM: 2, HOLD: 3, BUY: 4, STRONG_BUY: 5 });

const publication = same('pub_type', { PRE_MARKET: 1, AFTER_MARKET: 2, DURING_MARKET: 3 });

/** By the fields that hold them. */
export const extensionEnumerations: readonly FieldEnumerations[] = [
  { prefix: 'svc.earnings_expected_move', fields: { financial_type: reportType, pub_type: publication } },
  { prefix: 'svc.latest_news', fields: { page_flip: pageFlip, flash_filter_list: newsTopic, market_filter_list: newsMarket } },
  { prefix: 'svc.news.', fields: { topic: newsTopic, market: newsMarket, notice_type: noticeType } },
  { prefix: 'svc.stock_news', fields: { id_type: newsIdType } },
  { prefix: 'svc.watchlist_announcement', fields: { notice_types: noticeType } },
  { prefix: 'svc.watchlist_rating', fields: { rating, previous_rating: rating } },
  { prefix: 'svc.forex_constituents', fields: { list_id: forexList, sort_id: constituentSort, sort_type: constituentOrder } },
  { prefix: 'svc.news_translation', fields: { list_type: newsLength } },
];
