/** One framed client of the public protocol: what the backends behind a socket have in common. */
export { type ConnectionOptions, FramedConnection, type Greeting, type Introduction, type PushFrame } from './connection.js';
export { addressOf, type Dial, dialTcp, type Endpoint } from './dial.js';
export { ConnectFailure, HandshakeRefused } from './failures.js';
export { Lifecycle, transitions } from './lifecycle.js';
export { Session, type SessionOptions } from './session.js';
export type { Asked, AskOptions, Upstream } from './upstream.js';
