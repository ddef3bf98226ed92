import type { Rejection } from '@svc-gateway/contract/rejection';

/**
 * Reason why a call came to no answer. A definite refusal by the brokerage is an answer: a `Response` with retType other than 0.
 * One for a reason that interfaces have a status for is {@link BackendRefused}.
 */
export abstract class BackendFailure extends Error {
  abstract readonly kind: 'not_sent' | 'timed_out' | 'lost' | 'refused';
}

/** Reason why a backend refuses what it could not serve anyhow, and so what its caller can do about it. */
export type BackendRefusalCode =
  /** The server's rate limit for this kind of request is used up: wait. */
  | 'backend.rate'
  /** A quota of the server is used up: give something back, or wait. */
  | 'backend.quota'
  /** The account or its rights do not allow it: trading is locked, no right to the quotes, terms not agreed to. */
  | 'backend.forbidden'
  /** The operation does not apply to this account or security. */
  | 'backend.invalid'
  /** The server does not know the operation. */
  | 'backend.unsupported'
  /** The server failed, and nothing was done. */
  | 'backend.failed'
  /** The server is there, and cannot reach what it would need. */
  | 'backend.unavailable';

/** The backend refuses: nothing has happened. Its message is the whole sentence for the caller. */
export class BackendRefused extends BackendFailure {
  readonly kind = 'refused';

  constructor(
    readonly code: BackendRefusalCode,
    message: string,
    /** Whole seconds after which the same request may pass, where waiting helps. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

/** The call never left: nothing has happened, and it may be made again. */
export class BackendUnsent extends BackendFailure {
  readonly kind = 'not_sent';
}

/** A write that was kept back in the moment in which it was to leave: see the reason in its call's context. */
export class LateRejection extends BackendUnsent {
  constructor(readonly rejection: Rejection) {
    super(rejection.message);
  }
}

/** The backend did not answer in time: what became of the call is not known. */
export class BackendTimeout extends BackendFailure {
  readonly kind = 'timed_out';
}

/** The backend went away while a call was under way: what became of the call is not known. */
export class BackendLost extends BackendFailure {
  readonly kind = 'lost';
}
