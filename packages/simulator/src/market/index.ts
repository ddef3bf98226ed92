export { forgetAll, whileComputing } from '../rng/lru-cache.js';
export { adjustedPrice, FACTOR_ONE } from './adjustment.js';
export { joined, widened } from './aggregate.js';
export { type BrokerQueue, brokerQueue, brokers, type QueuedBroker } from './broker-queue.js';
export { type CallerChange, Followed } from './caller-changes.js';
export { type CapitalFlow, capitalFlow } from './capital-flow.js';
export { type LoadedBar, type LoadedHistory, pastsOf } from './history.js';
export { type LoadedFolder, loadHistoryFolder, parseHistory } from './history-file.js';
export type {
  Bar,
  BarPeriod,
  Book,
  BookLevel,
  DetailedBook,
  Execution,
  ExtendedTrades,
  MarketEvent,
  PastDays,
  PriceAdjustment,
  PriceBounds,
  Quote,
  Tick,
  TickDirection,
} from './market.js';
export { priceLimit } from './profile.js';
export { RecordedMarket } from './recorded-market.js';
export { type Market, type MarketOptions, SimulatedMarket } from './simulated-market.js';
export { type TimeSharePoint, timeShare } from './time-share.js';
export { type BySize, type PriceStatistics, type TradeStatistic, TradeStatistics, type TradeSums } from './trade-statistics.js';
export { TrustedPrints } from './trusted-prints.js';
