import { Rejection, type RejectionCode } from '../contract/rejection.js';
import { type BackendFailure, BackendRefused, WriteWithheld } from './backend.js';

type Unanswered = Exclude<BackendFailure['kind'], BackendRefused['kind']>;

interface FailureKind {
  readonly code: RejectionCode;
  /** A write may have taken effect. */
  readonly outcomeUnknown: boolean;
  readonly retryAfterSeconds?: number;
}

/**
 * What a call that came to no answer is to its caller. A definite refusal is not among them: the backend answers that. What
 * was not sent gives back what was reserved for it and frees its idempotency key; an unknown outcome keeps both.
 */
const failureKinds: Readonly<Record<Unanswered, FailureKind>> = {
  not_sent: { code: 'backend.not_sent', outcomeUnknown: false, retryAfterSeconds: 1 },
  timed_out: { code: 'backend.timeout', outcomeUnknown: true },
  lost: { code: 'backend.disconnected', outcomeUnknown: true },
};

/** What happened to a request that failed: it only reads; it writes and has not left the gateway; it has. */
export type Reach = 'read' | 'write kept' | 'write sent';

/** What the caller is told of a failed request beside why. */
export function aftermathOf(reach: Reach): string {
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
  if (failure instanceof WriteWithheld) return failure.rejection;
  const { message } = failure;
  const kind = failureKinds[failure.kind as Unanswered];
  // What got no answer was a question beforehand: of the write itself everything is known.
  const { code, outcomeUnknown, retryAfterSeconds } = reach === 'write kept' && kind === failureKinds.lost ? failureKinds.not_sent : kind;
  const aftermath = aftermathOf(reach === 'write sent' && !outcomeUnknown ? 'write kept' : reach);
  return new Rejection(code, `${message}${aftermath}`, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
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
export function leavesOutcomeOpen({ code }: Rejection): boolean {
  return openOutcomes.has(code);
}
