import type { Clock } from '@svc-gateway/contract/clock';
import type { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import type { Backend } from '@svc-gateway/gateway/backend';
import type { Connected } from './connected.js';
import type { WireFaults } from './faults/wire-faults.js';
import type { Rule } from './rule.js';
import type { Subscriptions } from './subscriptions.js';

/** Services of an endpoint's connections. */
export interface EndpointServices {
  /** "platform", "1001", "api". */
  readonly name: string;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly ids: ProtocolIds;
  /** Asked in this order. */
  readonly rules: readonly Rule[];
  readonly subscriptions: Subscriptions;
  readonly subscriptionQuota: number;
  readonly faults: WireFaults;
  /** Accounts of this endpoint. */
  readonly accounts: ReadonlySet<bigint>;
  /** The connections that are open; they enter and leave by themselves. */
  readonly clients: Set<Connected>;
  readonly nextRequestId: () => string;
  /** Refusal text for an unknown protocol id. */
  readonly unknownId: (protoId: number) => string;
  /** Something that should not have happened. */
  readonly onDefect: (error: unknown) => void;
}
