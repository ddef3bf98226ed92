import type { Clock } from '@svc-gateway/contract/clock';
import { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import type { Backend } from '@svc-gateway/gateway/backend';
import { RequestIds } from '@svc-gateway/interfaces/common/callers';
import type { Account } from '@svc-gateway/simulator/brokerage/account';
import type { OrderedIncidents } from '@svc-gateway/simulator/brokerage/incidents';
import { SERVER_VERSION } from '@svc-gateway/simulator/view/server';
import type { Store } from '@svc-gateway/storage';

/** So many random bytes. */
export type Random = (bytes: number) => Buffer;

/** Parts of a server of the simulated brokerage, whatever its profile. */
export interface SimServerDeps {
  /** Already started; stopped by its creator. */
  readonly backend: Backend;
  readonly accounts: readonly Account[];
  /** Incidents at the exchange, on order. */
  readonly exchange: OrderedIncidents;
  /** Store of verified devices and ports; closed by its creator. */
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Seed of the faults that are ordered by chance. */
  readonly seed: string | number;
  /** Host that every listener binds. */
  readonly host: string;
  /** Something that should not have happened. */
  readonly onDefect: (error: unknown) => void;
}

/** The logged-in user of every connection. */
export const USER = { version: SERVER_VERSION, userId: 1001n } as const;

/** Services shared by all points of a server. */
export function sharedServices({ backend, clock, onDefect, host }: SimServerDeps) {
  const requests = new RequestIds('sim');
  return { backend, clock, onDefect, host, ids: new ProtocolIds(), nextRequestId: () => requests.next() };
}
