import type { Clock } from '../contract/clock.js';

/** One thing that a reload takes up: the keys file, the certificate. */
export interface ReloadStep {
  /**
   * Takes up what is on disk now; false when that cannot be done, and what was in force before stays so. `again`: it is tried
   * once more after a failure, and only what is new is worth a line.
   */
  attempt(requestId: string, again: boolean): boolean;
}

const RETRY_MS = 1_000;

/** Takes up changed files. A step that fails is tried again every second until it works or the next reload begins. */
export class Reloader {
  readonly #clock: Clock;
  readonly #steps: readonly ReloadStep[];
  #cancelRetry = () => {};

  constructor(clock: Clock, steps: readonly ReloadStep[]) {
    this.#clock = clock;
    this.#steps = steps;
  }

  /** `requestId`: what the audit trail names the reload by. */
  reload(requestId: string): void {
    this.#run(this.#steps, requestId, false);
  }

  /** No step is tried again. */
  stop(): void {
    this.#cancelRetry();
  }

  #run(steps: readonly ReloadStep[], requestId: string, again: boolean): void {
    this.#cancelRetry();
    const failed = steps.filter((step) => !step.attempt(requestId, again));
    if (failed.length === 0) return;
    this.#cancelRetry = this.#clock.at(this.#clock.now() + RETRY_MS, () => this.#run(failed, requestId, true));
  }
}
