import type { Access } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { RequestOf } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { checkAnswer } from '../answer-check.js';
import type { Backend } from '../backend.js';
import { cancelled } from '../call.js';
import type { Commit } from '../orders/idempotency.js';
import { lateRejection } from '../orders/late-rejection.js';
import { noPacket } from '../orders/packet-ids.js';
import { type TradePasswordSource, withTradePassword } from '../orders/trade-password.js';
import { refusesPassword, type UnlockThrottle } from '../orders/unlock-throttle.js';
import { type Answer, RET_SUCCEED } from '../responses.js';
import type { Ongoing } from './requests.js';

export interface UnlockingDeps {
  readonly access: Access;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly unlocks: UnlockThrottle;
  /** Unlocks for tools, which cannot say the password themselves. */
  readonly tradePassword: TradePasswordSource;
}

/** Sends an unlock: one more try at the password. One that was interrupted is made again, with the password that comes with it. */
export async function unlock(
  deps: UnlockingDeps,
  { caller, identity, request: asked, call }: Ongoing,
  commit: Commit | undefined,
): Promise<Answer> {
  const { access, backend, clock, tradePassword, unlocks } = deps;
  const request = asked as RequestOf<typeof trade.unlockTrade>;
  const complete = caller.iface === 'mcp' ? await withTradePassword(request, tradePassword) : request;
  if (complete instanceof Rejection) return complete;
  if (!call.commit()) return cancelled();
  const attempt = complete.unlock ? unlocks.begin(identity.owner) : undefined;
  if (attempt instanceof Rejection) return attempt;
  let outcome: 'right' | 'wrong' | 'lost' = 'lost';
  try {
    call.lateRejection = lateRejection(access, clock, identity, { addsRisk: false });
    // The message of an unlock has no packet id.
    await commit?.(noPacket, complete).enter();
    const response = checkAnswer(trade.unlockTrade, await backend.call(trade.unlockTrade, complete, call));
    // An unlock with the daemon's own password does not prove that the caller knows it.
    if (response.retType !== RET_SUCCEED) outcome = refusesPassword(response) ? 'wrong' : 'lost';
    else if (complete === request) outcome = 'right';
    return response;
  } finally {
    attempt?.settle(outcome);
  }
}
