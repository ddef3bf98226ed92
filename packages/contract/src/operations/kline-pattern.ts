import { operation } from '../declare.js';
import { barLength } from '../enums.js';
import { none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { patternCategory, patternColor, patternMarket, patternSort, patternSortOrder, patternStocks } from '../list-enums.js';
import { anyOf } from '../scope.js';
import { choice, extensionVersion, id, integer, type Shape, symbol } from '../shape.js';

const common = { group: 'kline_pattern', effect: 'read', scope: anyOf('qot:read'), switches: ['--enable-v18-kline-patterns'] } as const;

/** Security of the bars. */
const stock: Shape = [
  id('stock_id', { about: 'The stock by its number, from the static information.' }),
  symbol('security', { required: false, about: 'The stock as MARKET.CODE, in place of stock_id.' }),
];
const needs = [{ oneOf: ['stock_id', 'security'] }] as const;
const bars = choice('kline_type', barLength, { about: 'Bar length.' });
const color = choice('color', patternColor, { default: 0 });
const page: Shape = [
  integer('count', { default: 0, about: 'Most rows; 0 or less for all.' }),
  integer('start_count', { default: 0, min: 0, about: 'Rows passed over.' }),
];

export const klinePattern = operation({
  ...common,
  name: 'kline_pattern',
  reach: 'request',
  protoId: 20008,
  messages: messages.KlinePattern,
  classes: {
    'svc.kline_pattern.C2S': { stock_id: 'stock_id', security: 'security', kline_type: 'none', extension_version: 'none' },
  },
  title: 'K-line patterns',
  summary: 'Candlestick and chart patterns on the newest complete bars of a stock.',
  guide:
    'Instead of reading hundreds of bars yourself: what shows on them, newest first, with the bars it spans. A pattern is a description and no forecast: svc_kline_pattern_statistics says what followed it before.',
  shape: [...stock, bars, extensionVersion],
  needs,
});

export const klinePatternCatalog = operation({
  ...common,
  name: 'kline_pattern_catalog',
  reach: 'general',
  protoId: 20009,
  messages: messages.KlinePatternCatalog,
  classes: {
    'svc.kline_pattern_catalog.C2S': { filter: 'none', count: 'none', start_count: 'none', color: 'none', extension_version: 'none' },
  },
  title: 'K-line pattern catalogue',
  summary: 'The K-line patterns that are known, with their numbers and definitions.',
  guide:
    'Read it once: the other pattern tools take a pattern’s number from here as their shape. Filter by category and colour; without count, every row comes. Free, and the same for every caller.',
  shape: [choice('filter', patternCategory, { default: 0 }), color, ...page, extensionVersion],
});

export const klinePatternStatistics = operation({
  ...common,
  name: 'kline_pattern_statistics',
  reach: 'request',
  protoId: 20010,
  messages: messages.KlinePatternStatistics,
  classes: {
    'svc.kline_pattern_statistics.C2S': {
      stock_id: 'stock_id',
      security: 'security',
      ...none('kline_type', 'shape', 'color', 'extension_version'),
    },
  },
  title: 'K-line pattern statistics',
  summary: 'How often a stock showed each pattern, and how its price went on afterwards.',
  guide:
    'Before trading on a pattern: its occurrences on up to 1,000 past bars of this stock and the changes after 1 to 20 bars. Few samples prove nothing. Across all stocks: svc_kline_pattern_performance.',
  shape: [...stock, bars, integer('shape', { default: 0, min: 0, about: 'Only this pattern; 0 for all.' }), color, extensionVersion],
  needs,
});

export const klinePatternStocks = operation({
  ...common,
  name: 'kline_pattern_stocks',
  reach: [{ list: 'stock_list', of: 'security', at: 'security', total: 'all_count' }],
  protoId: 20011,
  messages: messages.KlinePatternStocks,
  classes: {
    'svc.kline_pattern_stocks.C2S': {
      market: 'quote_market',
      ...none('kline_type', 'shape', 'sort_order', 'sort_type', 'count', 'start_count', 'user_stock_list_mode'),
      ...none('extension_version'),
    },
  },
  title: 'Stocks showing a K-line pattern',
  summary: 'Stocks of a market whose last complete bar completes a pattern.',
  guide:
    'To find candidates: one market, bar length and pattern a call. The bars of the whole market are read, so the first call of a day takes some seconds. Without count every stock comes.',
  shape: [
    bars,
    integer('shape', { min: 1, required: true, about: 'The pattern, from the catalogue.' }),
    choice('market', patternMarket),
    choice('sort_order', patternSortOrder, { default: 0 }),
    choice('sort_type', patternSort, { default: 0, about: 'BACKEND keeps the backend’s order.' }),
    ...page,
    choice('user_stock_list_mode', patternStocks, { default: 0, about: 'Every stock of the market, or those on the watchlist.' }),
    extensionVersion,
  ],
});

export const klinePatternPerformance = operation({
  ...common,
  name: 'kline_pattern_performance',
  // The sums are over every market and cannot be filtered.
  reach: 'beyond',
  protoId: 20012,
  messages: messages.KlinePatternPerformance,
  classes: { 'svc.kline_pattern_performance.C2S': { shape: 'none', duration: 'none', extension_version: 'none' } },
  switches: ['--enable-v18-kline-pattern-performance'],
  title: 'K-line pattern performance',
  summary: 'How prices went on after a pattern of daily bars, market by market, over a year.',
  guide:
    'Whether a pattern means anything at all: changes after so many days over the most traded stocks of each market. The first call of a day reads years of bars and takes some seconds.',
  shape: [
    integer('shape', { min: 1, required: true, about: 'The pattern, from the catalogue.' }),
    integer('duration', { min: 1, max: 60, required: true, about: 'Trading days after the pattern.' }),
    extensionVersion,
  ],
});
