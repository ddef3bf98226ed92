/** The push path: who is subscribed to what, and how events reach them. */
export type { ConnectionInfo, Permits, PushSink } from './connection.js';
export type { WireFormat } from './event-frames.js';
export { type ConnectOptions, type PushBackend, type PushConnection, PushHub, type PushHubOptions } from './hub.js';
export {
  answerSubInfo,
  answerSubscribe,
  answerSubscribeAccounts,
  answerSubscriberInfo,
  answerUnsubscribeAccounts,
  usedSubscriptionQuota,
} from './operations.js';
export type { Subscription } from './subscriptions.js';
