import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { admin, system, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { StorageFailure } from '@svc-gateway/storage';
import type { ResponseMessage } from './backend.js';
import type { Caller } from './identity.js';
import { isCancel } from './orders/cancel-scope.js';
import { RET_SUCCEED, withMessage } from './responses.js';

/** Operations that add no risk and keep nothing that a crash may not take back. */
const waysOut: ReadonlySet<Operation> = new Set<Operation>([
  ...[trade.cancelOrder, trade.cancelAllOrder, trade.unlockTrade, trade.cancelBracket],
  ...[admin.adminHalt, admin.adminReload, admin.adminShutdown, system.verification],
]);

/** Whether a write is served while the disk takes nothing: whoever is in the market must be able to get out. */
export function servesDuringOutage(operation: Operation, request: Message): boolean {
  return waysOut.has(operation) || isCancel(request);
}

/** The refusal of a write that has to be on disk before it is sent. */
export function rejectUnstored({ message, kept }: StorageFailure): Rejection {
  const served = kept ? '. Reads, cancels and halts are served meanwhile' : '';
  return new Rejection('storage.failed', `${message}; nothing was sent${served}`, { unsent: true });
}

/** Operations that leave nothing behind in the database. */
const memoryless: ReadonlySet<Operation> = new Set<Operation>([
  ...[trade.unlockTrade, admin.adminReload, admin.adminShutdown, system.verification],
]);

/** Warning beside a change that was made while the disk takes no writes. */
export function unkeptText({ message, passes }: StorageFailure): string {
  return passes
    ? 'not on disk yet, as the disk takes no writes: if the daemon stops before there is room, what it remembers of this is lost'
    : `not on disk, and lost when the daemon stops: ${message}`;
}

/** An answer to a change with {@link unkeptText}, where the change is remembered in memory alone. */
export function withUnkept(
  operation: Operation,
  caller: Pick<Caller, 'connectionOwner'>,
  failure: StorageFailure | undefined,
  answer: ResponseMessage,
): ResponseMessage {
  if (failure === undefined || answer.retType !== RET_SUCCEED || operation.effect === 'read' || memoryless.has(operation)) return answer;
  // Subscriptions of a connection end with it.
  if (operation.effect === 'subscription' && caller.connectionOwner !== undefined) return answer;
  return withMessage(answer, [answer.retMsg, unkeptText(failure)].filter(Boolean).join('; '));
}
