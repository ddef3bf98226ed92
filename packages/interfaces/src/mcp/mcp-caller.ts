import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import type { Toolsets } from '@svc-gateway/contract/toolsets';
import type { Caller, Identity } from '@svc-gateway/gateway';

export const PATH = '/mcp';
export const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];

/** Caller of a message, with the options that apply to all of the message. */
export interface McpCaller {
  readonly caller: Caller;
  readonly identity: Identity;
  /** Requested toolsets; undefined for all that the daemon offers. */
  readonly toolsets: Toolsets | undefined;
  /** Format of 64-bit integers in texts; structured answers always have strings. */
  readonly int64: Int64Format;
  /** Called with the identity of another key in a call, if its answer is kept for a client that comes back. */
  answeredAs?(identity: Identity): void;
}
