/** Client of the public protocol: what every backend behind a socket is made of. */
export { ProtocolClient } from './client.js';
export type { ClientLogger, ProtocolClientOptions } from './client-options.js';
export { ConnectFailure, HandshakeRefused } from './connection/connect-failure.js';
export { addressOf, type Dial, dialTcp, type Endpoint } from './connection/dial.js';
export { transitions } from './connection/lifecycle.js';
export type { ProtocolOperation, RequestOptions, Upstream } from './connection/upstream.js';
export { programNotice } from './notices.js';
export { pause, withDeadline } from './requests/deadline.js';
export type { Role } from './server-state.js';
export { publishedRules, unknownRules } from './subscriptions/live-reader.js';
