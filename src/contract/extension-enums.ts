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
  { prefix: 'svc.forex_constituents', fields: { list_id: forexList, sort_type: constituentOrder } },
];
