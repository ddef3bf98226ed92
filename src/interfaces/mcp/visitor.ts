import type { Int64Format } from '../../contract/json/scalars.js';
import type { Toolsets } from '../../contract/toolsets.js';
import type { Caller, Identity } from '../../gateway/index.js';

export const PATH = '/mcp';
export const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];

/** Who sent a message, with what of it holds for everything in the message. */
export interface Visitor {
  readonly caller: Caller;
  readonly identity: Identity;
  /** The tools that it wants to see; undefined = what the daemon offers. */
  readonly toolsets: Toolsets | undefined;
  /** How 64-bit integers are written in texts; structured answers always have strings. */
  readonly int64: Int64Format;
  /** Told of another key that a call names for itself, where its answer is kept for a client that comes back. */
  answeredAs?(identity: Identity): void;
}
