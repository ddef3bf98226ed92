import type { quote as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getBroker } from './get-broker.js';
import { getCapitalDistribution } from './get-capital-distribution.js';
import { getCapitalFlow } from './get-capital-flow.js';
import { getHistoryKlQuota } from './get-history-kl-quota.js';
import { getHistoryKline } from './get-history-kline.js';
import { getKline } from './get-kline.js';
import { getMarketState } from './get-market-state.js';
import { getOrderBook } from './get-orderbook.js';
import { getQuote } from './get-quote.js';
import { getRt } from './get-rt.js';
import { getSnapshot } from './get-snapshot.js';
import { getStaticInfo } from './get-static-info.js';
import { getTicker } from './get-ticker.js';
import { getTickerStatistic } from './get-ticker-statistic.js';
import { getTickerStatisticDetail } from './get-ticker-statistic-detail.js';

export const quote = {
  getQuote,
  getSnapshot,
  getHistoryKline,
  getKline,
  getHistoryKlQuota,
  getOrderBook,
  getTicker,
  getRt,
  getBroker,
  getStaticInfo,
  getMarketState,
  getCapitalFlow,
  getCapitalDistribution,
  getTickerStatistic,
  getTickerStatisticDetail,
} satisfies AnswersTo<typeof declared>;
