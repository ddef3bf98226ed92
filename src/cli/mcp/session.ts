import type { ClientMessage } from './client-message.js';
import type { ServerMessage } from './server-message.js';

/** What `initialize` agreed on, in the revisions that have sessions. */
export interface Session {
  /** `Mcp-Session-Id`; undefined where the gateway keeps no sessions. */
  readonly id: string | undefined;
  readonly version: string;
  /** Whether the gateway may send log messages. */
  readonly logging: boolean;
  /** The client's own request, to begin again with after the gateway was restarted. */
  readonly initialize: ClientMessage;
}

/** The session that the answer to `initialize` began; undefined where it is a refusal. */
export function sessionOf(initialize: ClientMessage, { result }: ServerMessage, id: string | undefined): Session | undefined {
  const version = result?.protocolVersion;
  return typeof version === 'string' ? { id, version, logging: result?.capabilities?.logging !== undefined, initialize } : undefined;
}
