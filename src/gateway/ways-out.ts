import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '../contract/operation.js';
import { admin, system, trade } from '../contract/operations/index.js';
import { Rejection } from '../contract/rejection.js';
import type { StorageFailure } from '../storage/index.js';
import { isCancel } from './orders/cancel-scope.js';

/** Operations that add no risk and keep nothing that a crash may not take back. */
const waysOut: ReadonlySet<Operation> = new Set<Operation>([
  ...[trade.cancelOrder, trade.cancelAllOrder, trade.unlockTrade, trade.cancelBracket],
  ...[admin.adminHalt, admin.adminReload, admin.adminShutdown, system.verification],
]);

/** Whether a write is served while the disk takes nothing: whoever is in the market must be able to get out. */
export function isWayOut(operation: Operation, request: Message): boolean {
  return waysOut.has(operation) || isCancel(request);
}

/** The refusal of a write that has to be on disk before it is sent. */
export function rejectUnstored({ message }: StorageFailure): Rejection {
  return new Rejection('storage.failed', `${message}; nothing was sent. Reads, cancels and halts are served meanwhile`);
}
