import { Rejection, type RejectionCode } from '@svc-gateway/contract/rejection';
import { type BackendFailure, BackendRefused, LateRejection } from './backend-failures.js';

type Unanswered = Exclude<BackendFailure['kind'], BackendRefused['kind']>;

interface FailureKind {
  readonly code: RejectionCode;
  /** A write may have taken effect. */
  readonly outcomeUnknown: boolean;
  readonly retryAfterSeconds?: number;
}

/**
 * Rejections of calls without an answer. Definite refusals are not among them: the backend answers those. An unsent write returns
 * its reservation and frees its idempotency key; an unknown outcome keeps both.
 */
const failureKinds: Readonly<Record<Unanswered, FailureKind>> = {
  not_sent: { code: 'backend.not_sent', outcomeUnknown: false, retryAfterSeconds: 1 },
  timed_out: { code: 'backend.timeout', outcomeUnknown: true },
  lost: { code: 'backend.disconnected', outcomeUnknown: true },
};

/** How far a failed request got: a read; a write that is still in the gateway; a write that was sent. */
export type Reach = 'read' | 'write kept' | 'write sent';

/** Suffix of a failure's message: what the failure means for the caller. */
function aftermathOf(reach: Reach): string {
  switch (reach) {
    case 'read':
      return '';
    case 'write kept':
      return '; nothing was sent';
    case 'write sent':
      return '; it may have taken effect: check the orders before sending it again';
  }
}

/** The rejection of a call that came to no answer. */
export function rejectFailure(failure: BackendFailure, reach: Reach): Rejection {
  if (failure instanceof BackendRefused) return rejectRefused(failure);
  if (failure instanceof LateRejection) return failure.rejection;
  const { message } = failure;
  const kind = failureKinds[failure.kind as Unanswered];
  // Only a question before the write went unanswered; the write itself was not sent.
  const { code, outcomeUnknown, retryAfterSeconds } = reach === 'write kept' && kind === failureKinds.lost ? failureKinds.not_sent : kind;
  const came = reach === 'write sent' && !outcomeUnknown ? 'write kept' : reach;
  return rejectUnanswered(code, message, came, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** The rejection of a request that came as far as `reach` and to no answer. */
export function rejectUnanswered(code: RejectionCode, message: string, reach: Reach, details: Rejection['details'] = {}): Rejection {
  return new Rejection(code, `${message}${aftermathOf(reach)}`, reach === 'write kept' ? { ...details, unsent: true } : details);
}

/** The rejection of what the backend refuses for a reason that has a code: what it says is the whole sentence. */
export function rejectRefused({ code, message, retryAfterSeconds }: BackendRefused): Rejection {
  return new Rejection(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

const openOutcomes: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  ...Object.values(failureKinds).flatMap(({ code, outcomeUnknown }) => (outcomeUnknown ? [code] : [])),
  'idempotency.unknown_outcome',
  'internal',
  'storage.failed',
]);

/** Whether a write that was answered so may have taken effect: it is not known to be refused. */
export function leavesOutcomeOpen({ code, details }: Rejection): boolean {
  return openOutcomes.has(code) && details.unsent !== true;
}
