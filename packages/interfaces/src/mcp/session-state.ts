import type { Rejection } from '@svc-gateway/contract/rejection';
import type { McpCaller } from './mcp-caller.js';

/**
 * State that a session keeps for its client. Without sessions, the listening stream watches, and every tool is called by
 * its finder.
 */
export interface SessionState {
  /** Names of the tools that the client has enabled with the finder. */
  readonly enabled: Set<string>;
  /** Tells the client to list the tools again. */
  toolsChanged(): void;
  /** Reports changes of a resource to the client from now on. */
  watch(uri: string, mcpCaller: McpCaller): Promise<Rejection | undefined>;
  unwatch(uri: string, mcpCaller: McpCaller): Promise<void>;
}
