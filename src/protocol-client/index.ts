/** Client of the public protocol: what every backend behind a socket is made of. */

export { CipherUnknown, ConnectFailure, HandshakeRefused } from './connection/connect-failure.js';
export type { Greeting, Introduction, PushFrame } from './connection/connection.js';
export { addressOf, type Dial, dialTcp, type Endpoint } from './connection/dial.js';
export { Lifecycle, transitions } from './connection/lifecycle.js';
export { PacketIds } from './connection/packet-ids.js';
export { readPush } from './connection/push-bodies.js';
export { Session, type SessionOptions } from './connection/session.js';
export { StateLog } from './connection/state-log.js';
export type { ProtocolOperation, RequestOptions, Upstream } from './connection/upstream.js';
export { castsDoubt, isOwnConcern, lostBy } from './notices.js';
export { reminderPushOf } from './reminder-pushes.js';
export { RateLimitedClient, type RateLimitedClientOptions } from './requests/rate-limited-client.js';
export { StaleAnswers } from './requests/stale-answers.js';
export { understood } from './requests/translate.js';
export { readUpstreamState, type UpstreamState } from './server-state.js';
export { ServerWatch } from './server-watch.js';
export { pushedQuotes } from './subscriptions/pushed-quotes.js';
export { QuoteStreams } from './subscriptions/quote-streams.js';
export { StreamSubscriptions } from './subscriptions/stream-subscriptions.js';
export { SubscribingClient } from './subscriptions/subscribing-client.js';
export { AccountListCheck } from './trading/account-list-check.js';
export { ForexRates } from './trading/forex-rates.js';
export { Orders, type OrdersOptions, WRITE_MS_MAX } from './trading/orders.js';
export { hideMarks } from './trading/remark-mark.js';
export { SellableQuantities } from './trading/sellable-quantities.js';
export { readAccounts, readFills, readOrders, recoveredTrades, tradePushOf } from './trading/trades.js';
export { TradingTermsCache } from './trading/trading-terms.js';
