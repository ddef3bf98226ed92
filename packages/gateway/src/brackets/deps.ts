import { StorageFailure } from '@svc-gateway/storage';
import type { CallContext } from '../backend.js';
import { BackendFailure } from '../backend-failures.js';
import type { GatewayBase } from '../gateway-base.js';
import { ownerNamed } from '../identity.js';
import type { AccountOrders } from '../orders/account-orders.js';
import { notice, type PushHub } from '../push/index.js';
import type { Bracket } from './bracket.js';

export interface BracketsDeps extends GatewayBase {
  readonly orders: Pick<AccountOrders, 'unanswered' | 'leastHeld' | 'now'>;
  readonly hub: PushHub;
  /** The backend records a write in `store`, and so only after what is written there before. */
  readonly recordedInOrder: boolean;
  /** Whether orders may be sent: trading is on, and nothing is wrong with what this daemon remembers. */
  readonly mayTrade: boolean;
  /** Told whenever the disk keeps a bracket from going on: it may do so at every look. */
  readonly onStorageFailure: (failure: StorageFailure) => void;
}

/** How often each bracket is held against the brokerage's orders, beside what is pushed; how soon a refused exit is tried again. */
export const LOOK_MS = 5_000;
/** Longest time of a call. Longer than the window of an upstream's frequency limits: an exit waits for its turn as callers' orders do. */
export const CALL_MS = 35_000;

/** Context of a call that a bracket makes. */
export function contextOf({ backendClock }: Pick<BracketsDeps, 'backendClock'>, id: string): CallContext {
  return { requestId: `bracket-${id}`, deadline: backendClock.monotonic() + CALL_MS, signal: new AbortController().signal };
}

/** Reports a failure in the background; a brokerage that is away is asked again later. */
export function report(deps: Pick<BracketsDeps, 'logger' | 'onStorageFailure'>, error: unknown, bracket: string): void {
  if (error instanceof StorageFailure) deps.onStorageFailure(error);
  else if (!(error instanceof BackendFailure)) deps.logger.error({ err: error, bracket }, 'a bracket could not go on');
}

/** Tells the connections of the key that placed a bracket, if it may see the account and the security. */
export function alert(hub: PushHub, bracket: Bracket, how: string): void {
  const { id, accId, keyId } = bracket;
  const about = { symbols: [], accIds: [accId], traded: bracket };
  hub.notify({ ...notice(`bracket ${id} in account ${accId} ${how}`), about }, ownerNamed(keyId));
}
