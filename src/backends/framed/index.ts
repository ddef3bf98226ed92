/** One framed client of the public protocol: what the backends behind a socket have in common. */
export type { Greeting, Introduction, PushFrame } from './connection.js';
export { addressOf, type Dial, dialTcp, type Endpoint } from './dial.js';
export { ConnectFailure, HandshakeRefused } from './failures.js';
export { ForexRates } from './forex-rates.js';
export { HeldAnswers } from './held-answers.js';
export { Lifecycle, transitions } from './lifecycle.js';
export { Orders, type OrdersOptions, WRITE_MS_MAX } from './orders.js';
export { PacketIds } from './packet-ids.js';
export { readPush } from './push-bodies.js';
export { pushedQuotes } from './pushed-quotes.js';
export { QuoteStreams } from './quote-streams.js';
export { hideMarks } from './remark-mark.js';
export { SellableQuantities } from './sellable.js';
export { Session, type SessionOptions } from './session.js';
export { subscribeAt, unservedAt, unsubscribeAt } from './subscribing.js';
export { readAccounts, readFills, readOrders, recoveredTrades, tradePushOf } from './trades.js';
export { TradingTermsCache } from './trading-terms.js';
export type { Asked, AskOptions, Upstream } from './upstream.js';
