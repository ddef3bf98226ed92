export { klinePattern, klinePatternStatistics } from './kline-pattern.js';
export { klinePatternPerformance } from './kline-pattern-performance.js';
export { klinePatternStocks } from './kline-pattern-stocks.js';
export { klinePatternCatalog } from './pattern-requests.js';
