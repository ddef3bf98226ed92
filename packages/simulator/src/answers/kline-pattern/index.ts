export { klinePattern, klinePatternPerformance, klinePatternStatistics } from './kline-pattern.js';
export { klinePatternStocks } from './kline-pattern-stocks.js';
export { klinePatternCatalog } from './pattern-requests.js';
