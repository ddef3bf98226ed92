import { BackendRefused, BackendTimeout } from '../backend-failures.js';

/** Runs an action after `ms` milliseconds; the result cancels it. */
export type After = (ms: number, action: () => void) => () => void;

/** How long the backend may take over a change of subscriptions, in milliseconds: twice what callers wait for by default. */
const CHANGE_MS_MAX = 60_000;
/** The least time between two attempts at the same change. */
export const RETRY_MS_MIN = 5_000;

/**
 * Bounds the wait for a change of subscriptions; rejects with {@link BackendTimeout} at the deadline. The port requires every
 * promise to settle; one that does not must not block the changes after it.
 */
export function inTime<T>(work: Promise<T>, after: After): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = after(CHANGE_MS_MAX, () => reject(new BackendTimeout(`no answer within ${CHANGE_MS_MAX / 1000} seconds`)));
    work.then(resolve, reject).finally(cancel);
  });
}

/** Attempts that are due later, and all given up together. */
export class Retries {
  readonly #cancels = new Set<() => void>();

  constructor(private readonly after: After) {}

  /** Runs `attempt` after `ms` milliseconds, at least {@link RETRY_MS_MIN}. */
  schedule(ms: number, attempt: () => void): void {
    const cancel = this.after(Math.max(ms, RETRY_MS_MIN), () => {
      this.#cancels.delete(cancel);
      attempt();
    });
    this.#cancels.add(cancel);
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}

/** Reasons that another try changes nothing about. */
const lasting: readonly string[] = ['backend.quota', 'backend.forbidden', 'backend.invalid', 'backend.unsupported'];

/** Whether a change was refused for good; of any other failure the next try may be answered. */
export function isRefusedForGood(thrown: unknown): thrown is BackendRefused {
  return thrown instanceof BackendRefused && lasting.includes(thrown.code);
}

/** How a failed change is put into words. */
export function unansweredText(thrown: unknown): string {
  return `the backend did not answer: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}
