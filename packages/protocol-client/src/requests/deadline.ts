import { setMaxListeners } from 'node:events';
import type { Clock } from '@svc-gateway/contract/clock';
import { BackendTimeout, BackendUnsent } from '@svc-gateway/gateway';
import type { RequestOptions } from '../connection/upstream.js';

/** How long a caller waits. */
export type Deadline = Pick<RequestOptions, 'deadline' | 'signal'>;

/** Reason why a caller stopped waiting: its time was up, or its signal was aborted. */
export type Departure = 'late' | 'aborted';

/** A request with less time than this is not sent: no answer could come in time. */
export const ANSWER_MS_MIN = 100;

/** Failure of the port for a caller that stopped waiting before anything was sent, or whose answer did not come. */
export function failureOf(departure: Departure): Error {
  return departure === 'late' ? new BackendTimeout('the server did not answer in time') : new BackendUnsent('nobody waits for it any more');
}

/** Settles as `work` does, or rejects with what `onGone` returns once its caller stops waiting. The work itself goes on. */
export function withDeadline<T>(
  clock: Clock,
  work: Promise<T>,
  { deadline, signal }: Deadline,
  onGone: (departure: Departure) => Error = failureOf,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const leave = (departure: Departure) => {
      end();
      reject(onGone(departure));
    };
    const onAbort = () => leave('aborted');
    const cancelTimer = clock.after(Math.max(0, deadline - clock.monotonic()), () => leave('late'));
    if (signal !== undefined) {
      // All calls of a sweep, and all parts of a long list, listen to one signal.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', onAbort);
    }
    work.finally(end).then(resolve, reject);
    if (signal?.aborted) onAbort();
  });
}

/** Resolves after `ms` milliseconds; rejects once its caller stops waiting. */
export function pause(clock: Clock, ms: number, deadline: Deadline): Promise<void> {
  let cancel: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  return withDeadline(clock, passed, deadline, (departure) => {
    cancel();
    return failureOf(departure);
  });
}

/** Whole seconds for `Retry-After`. */
export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1000));
}
