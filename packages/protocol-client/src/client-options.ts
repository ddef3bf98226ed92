import type { KeyObject } from 'node:crypto';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Backend } from '@svc-gateway/gateway/backend';
import type { Dial, Endpoint } from './connection/dial.js';
import type { Role } from './server-state.js';
import type { ServerRules } from './subscriptions/live-reader.js';

/** Log of a client; pino's logger is one. */
export interface ClientLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ProtocolClientOptions {
  readonly name: Backend['name'];
  /** Server in log lines: "the upstream", "the brokerage". */
  readonly server: string;
  /** Details of every log line: which connection of several it is. */
  readonly logDetails?: object;
  /** One of several connections in reasons for gaps: "the platform", or the name of a broker. */
  readonly label?: string | undefined;
  /** Trading over this connection is of the accounts that it lists; other connections trade others. */
  readonly ownAccountsOnly?: boolean;
  readonly roles: readonly Role[];
  readonly clock: Clock;
  readonly logger: ClientLogger;
  /** Uniform in [0, 1); for back-off. */
  readonly random: () => number;
  readonly dial: Dial;
  /** Private key that both sides have: bodies are encrypted. */
  readonly rsaKey?: KeyObject | undefined;
  /** Asked before each try. A {@link ConnectFailure} that is final ends the connection for good. */
  readonly endpoint: () => Endpoint | Promise<Endpoint>;
  /** Introduction to the server, asked before each try after {@link endpoint}. */
  readonly clientId: () => string;
  readonly rules: ServerRules;
  /**
   * A login that the server lacks is waited for on the connection (`wait`), or the connection is made anew (`reconnect`). Where the
   * server does not say its state, a connection that reconnects is used as it is.
   */
  readonly missingLogin: 'wait' | 'reconnect';
  /** Called when the server has let the client in, when it refused a handshake, and when the connection is no good though it stands. */
  readonly onAccepted?: () => void;
  readonly onConnectFailed?: (failure: Error) => void;
  readonly onUseless?: () => void;
}
