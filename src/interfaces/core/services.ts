import type { Clock } from '../../contract/clock.js';
import type { ProtocolIds } from '../../contract/protocol-ids.js';
import type { Gateway } from '../../gateway/index.js';

/** Dependencies of every connection of a core listener. */
export interface CoreServices {
  readonly gateway: Gateway;
  readonly ids: ProtocolIds;
  readonly clock: Clock;
  readonly nextRequestId: () => string;
  /** Something that should not have happened. */
  readonly onDefect: (error: unknown) => void;
}
