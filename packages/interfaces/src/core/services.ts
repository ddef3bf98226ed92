import type { Clock } from '@svc-gateway/contract/clock';
import type { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import type { Gateway } from '@svc-gateway/gateway';

/** Dependencies of every connection of a core listener. */
export interface CoreServices {
  readonly gateway: Gateway;
  readonly ids: ProtocolIds;
  readonly clock: Clock;
  readonly nextRequestId: () => string;
  /** Something that should not have happened. */
  readonly onDefect: (error: unknown) => void;
}
