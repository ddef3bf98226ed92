/** What makes a server of the public protocol comfortable for callers who know none of its rules. */
export { CourteousRequests, type CourteousRequestsOptions } from './courteous-requests.js';
export type { ListReader } from './list-reader.js';
export { askedOf, listReadOf } from './list-reads.js';
export { castsDoubt, isOwnConcern, lostBy } from './notices.js';
export { patiently, pause } from './patience.js';
export { ANSWER_MS_MIN, fieldsOf, type Patience, secondsUntil } from './requests.js';
export type { Departing, Outcome, Sender } from './sender.js';
export { ServerWatch } from './server-watch.js';
export { understood } from './translate.js';
export { readUpstreamState, type UpstreamState } from './upstream-state.js';
