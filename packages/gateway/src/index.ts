export type { OpenedPush } from './admissions.js';
export { answered, lacksPayload, unusable } from './answer-check.js';
export type * from './backend.js';
export { describeConnection } from './backend-connections.js';
export {
  BackendFailure,
  BackendLost,
  type BackendRefusalCode,
  BackendRefused,
  BackendTimeout,
  BackendUnsent,
  LateRejection,
} from './backend-failures.js';
export { addressByCard } from './card-accounts.js';
export { Gateway, type GatewayOptions } from './gateway.js';
export { type AccountCancels, cancelsInWords } from './halting.js';
export { type Caller, type Credential, type Identity, type Iface, isSameIdentity, type Peer } from './identity.js';
export type { Logger } from './logger.js';
export type { CertificateStatus, Trouble } from './operator-status.js';
export { isIdle, type OrderStanding } from './orders/reads.js';
export type { TradePasswordSource } from './orders/unlocking.js';
export { refusesPassword } from './orders/unlocking.js';
export { accountInWords, previewSentence, previewText } from './preview/index.js';
export type * from './preview/preview.js';
export { symbolOfEvent } from './push-permits.js';
export { type Answer, payloadOf } from './responses.js';
