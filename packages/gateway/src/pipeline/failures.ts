import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { StorageFailure } from '@svc-gateway/storage';
import { isWrite } from '../answer-record.js';
import { BackendFailure } from '../backend-failures.js';
import { type Reach, rejectFailure, rejectUnanswered } from '../call-failures.js';
import type { Caller } from '../identity.js';
import type { Logger } from '../logger.js';
import type { StorageStatus } from '../storage-status.js';

/** Turns what a stage throws into the caller's refusal. */
export class Failures {
  constructor(
    private readonly storage: StorageStatus,
    private readonly logger: Logger,
  ) {}

  /** @param reach how far the request came. */
  rejected(caller: Caller, thrown: unknown, reach: Reach): Rejection {
    if (thrown instanceof BackendFailure) return rejectFailure(thrown, reach);
    if (thrown instanceof StorageFailure) {
      this.storage.failed(thrown);
      return rejectUnanswered('storage.failed', thrown.message, reach);
    }
    return this.defect(caller, thrown);
  }

  /** Logs an error in the daemon's own code; the refusal tells the caller where to look, and no more. */
  defect(caller: Caller, thrown: unknown): Rejection {
    this.logger.error({ err: thrown, endpoint: caller.endpoint, request_id: caller.requestId }, 'request failed');
    return new Rejection('internal', `internal error; the log has the details under request id ${caller.requestId}`);
  }
}

/** How far a request came. */
export function reachOf(operation: Operation, untouched: boolean): Reach {
  if (!isWrite(operation)) return 'read';
  return untouched ? 'write kept' : 'write sent';
}
