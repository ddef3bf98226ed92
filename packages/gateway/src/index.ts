export type { OpenedPush } from './admissions.js';
export { answered, lacksPayload, unusable } from './answer-check.js';
export {
  type Backend,
  BackendFailure,
  BackendLost,
  type BackendRefusalCode,
  BackendRefused,
  type BackendStatus,
  BackendTimeout,
  BackendUnsent,
  type BrokerSnapshot,
  type CallContext,
  type CredentialRefresh,
  type FeeEstimate,
  type FeeItem,
  type Gap,
  type HeldAnswer,
  LateRejection,
  type LifecycleSnapshot,
  type LifecycleState,
  type NotifyPush,
  type PushEvent,
  type QuotaFigures,
  type QuotePush,
  type QuoteStream,
  type ResponseMessage,
  type StreamScope,
  type StreamsListener,
  type StreamsLost,
  type SubscriptionQuotas,
  type TradePush,
  type TradingTerms,
  type UnsubscribeRefusal,
} from './backend.js';
export { describeConnection } from './backend-connections.js';
export { addressByCard } from './card-accounts.js';
export { Gateway, type GatewayOptions } from './gateway.js';
export { type AccountCancels, cancelsInWords } from './halting.js';
export { type Caller, type Credential, type Identity, type Iface, isSameIdentity, type Peer } from './identity.js';
export type { Logger } from './logger.js';
export type { CertificateStatus, Trouble } from './operator-status.js';
export { isIdle, type OrderStanding } from './orders/reads.js';
export type { TradePasswordSource } from './orders/unlocking.js';
export { refusesPassword } from './orders/unlocking.js';
export {
  accountInWords,
  type CancelPreview,
  type ComboPreview,
  type ModifyPreview,
  type PlacePreview,
  type PositionPreview,
  type Preview,
  previewSentence,
  previewText,
  type RepetitionPreview,
} from './preview/index.js';
export { symbolOfEvent } from './push-permits.js';
export { type Answer, payloadOf } from './responses.js';
