/** The push path: subscriptions, and the delivery of events. */
export { withoutOrders } from './bare-book.js';
export { type ConnectionInfo, type Permits, type PushSink, STALLED_BYTES } from './connection.js';
export type { PushFormat, TickerGap } from './format.js';
export { BytesFrame, type Frame, type FrameContent } from './frame.js';
export { connectionNotice, notice } from './gaps.js';
export { type PushBackend, PushHub, type PushHubOptions } from './hub.js';
export type { ConnectOptions, Member as PushConnection } from './member.js';
export { decimalNumbers, type Numbering, uint32LeNumbers, unnumbered } from './numbering.js';
export type { Observed, Observer } from './observers.js';
export * from './operations.js';
export { payloadOf, pushMessages, pushMessagesOf } from './push-messages.js';
export type { Entitled } from './registrations.js';
export { asHeld, expandStreams, isKline, orderDetailKey, quotaKey, replacedBy, streamKey, streamOfKey } from './streams.js';
export type { Subscription, Subscriptions } from './subscriptions.js';
export { type Cursor, parseCursor } from './trade-log.js';
