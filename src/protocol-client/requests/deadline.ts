import type { Clock } from '../../contract/clock.js';
import { BackendTimeout, BackendUnsent } from '../../gateway/index.js';
import type { Deadline } from './request.js';

/**
 * What `work` comes to, for as long as the caller waits: then `onGone` is called, and it is rejected. The work itself goes on.
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

/** Lets time pass, as far as the caller waits so long. */
export function pause(clock: Clock, ms: number, deadline: Deadline): Promise<void> {
  let cancel: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  return withDeadline(clock, passed, deadline, () => cancel());
}
