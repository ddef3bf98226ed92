import type { klinePattern as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { klinePattern as find } from './kline-pattern.js';
import { klinePatternCatalog } from './kline-pattern-catalog.js';
import { klinePatternPerformance } from './kline-pattern-performance.js';
import { klinePatternStatistics } from './kline-pattern-statistics.js';
import { klinePatternStocks } from './kline-pattern-stocks.js';

export const klinePattern = {
  klinePattern: find,
  klinePatternCatalog,
  klinePatternStatistics,
  klinePatternStocks,
  klinePatternPerformance,
} satisfies AnswersTo<typeof declared>;
