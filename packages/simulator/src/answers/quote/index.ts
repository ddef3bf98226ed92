export { getCapitalDistribution, getCapitalFlow } from './capital.js';
export { getSnapshot } from './get-snapshot.js';
export { getStaticInfo } from './get-static-info.js';
export { getHistoryKline, getHistoryKlQuota, getKline } from './klines.js';
export { getBroker, getMarketState, getOrderBook, getQuote, getRt, getTicker } from './live.js';
export { getTickerStatistic, getTickerStatisticDetail } from './ticker-statistic.js';
