import type { Rejection } from '../../contract/rejection.js';
import type { Visitor } from './visitor.js';

/** What a session keeps for its client; without one, watching is a matter of the listening stream, and every tool is called by its finder. */
export interface SessionSide {
  /** Names of the tools that were enabled, where tools are looked for. */
  readonly enabled: Set<string>;
  /** Tells the client to ask for the list of tools again. */
  toolsChanged(): void;
  watch(uri: string, visitor: Visitor): Promise<Rejection | undefined>;
  unwatch(uri: string, visitor: Visitor): Promise<void>;
}
