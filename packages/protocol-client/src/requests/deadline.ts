import type { Clock } from '@svc-gateway/contract/clock';
import { BackendTimeout, BackendUnsent } from '@svc-gateway/gateway';

/** How long a caller waits. */
export interface Deadline {
  /** Time at which the caller stops waiting, of `Clock.monotonic`. */
  readonly deadline: number;
  /** Aborted once no caller waits; never for a write. */
  readonly signal: AbortSignal;
  /** Time for the server to answer once it has been asked, in milliseconds. */
  readonly answerMs?: number | undefined;
  /** Told before the answer when it was asked for, of `Clock.monotonic`: earlier than the call where a read under way is joined. */
  readonly onAsked?: ((at: number) => void) | undefined;
  /** Caller whose share of fresh lists, changes and cancels counts the request; absent for the daemon's own requests. */
  readonly owner?: string | undefined;
}

/** A request with less time than this is not sent: no answer could come in time. */
export const ANSWER_MS_MIN = 100;

/**
 * Settles as `work` does, or rejects at the deadline, after calling `onGone`. The work itself goes on.
 */
export function withDeadline<T>(clock: Clock, work: Promise<T>, { deadline, signal }: Deadline, onGone?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancelTimer();
      signal.removeEventListener('abort', onAbort);
    };
    const leave = (reason: Error) => {
      end();
      onGone?.();
      reject(reason);
    };
    const onAbort = () => leave(new BackendUnsent('nobody waits for it any more'));
    const cancelTimer = clock.after(Math.max(0, deadline - clock.monotonic()), () =>
      leave(new BackendTimeout('the server did not answer in time')),
    );
    signal.addEventListener('abort', onAbort);
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (thrown) => {
        end();
        reject(thrown);
      },
    );
    if (signal.aborted) onAbort();
  });
}

/** Resolves after `ms` milliseconds; rejects at the deadline. */
export function pause(clock: Clock, ms: number, deadline: Deadline): Promise<void> {
  let cancel: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  return withDeadline(clock, passed, deadline, () => cancel());
}

/** Whole seconds for `Retry-After`. */
export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1000));
}
