import type { Backend } from '@svc-gateway/gateway/backend';
import type { ServerAccess } from './connection/session.js';
import type { Role } from './server-state.js';
import type { ServerRules } from './subscriptions/live-reader.js';

/** Log of a client; pino's logger is one. */
export interface ClientLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ProtocolClientOptions extends ServerAccess {
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
  readonly logger: ClientLogger;
  readonly rules: ServerRules;
  /**
   * A login that the server lacks is waited for on the connection (`wait`), or the connection is made anew (`reconnect`). Where the
   * server does not say its state, a connection that reconnects is used as it is.
   */
  readonly missingLogin: 'wait' | 'reconnect';
  /** Called when the server has let the client in, and when the connection is no good though it stands. */
  readonly onAccepted?: () => void;
  readonly onUseless?: () => void;
}
