import type { Clock } from '@svc-gateway/contract/clock';

/** Outcome of a reload, or of one of its steps, in one sentence. */
export interface Reloaded {
  readonly ok: boolean;
  readonly message: string;
}

/** One thing that a reload takes up: the keys file, the certificate. */
export interface ReloadStep {
  /**
   * Takes up what is on disk now. Where that cannot be done, what was in force before stays so. `again`: it is tried once more
   * after a failure, and only what is new is worth a line.
   */
  attempt(requestId: string, again: boolean): Promise<Reloaded>;
}

const RETRY_MS = 1_000;

/** Takes up changed files. A step that fails is tried again every second until it works or the next reload begins. */
export class Reloader {
  #cancelRetry = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly steps: readonly ReloadStep[],
  ) {}

  /** `requestId`: what the audit trail names the reload by. */
  reload(requestId: string): Promise<Reloaded> {
    return this.#run(this.steps, requestId, false);
  }

  /** No step is tried again. */
  stop(): void {
    this.#cancelRetry();
  }

  async #run(steps: readonly ReloadStep[], requestId: string, again: boolean): Promise<Reloaded> {
    this.#cancelRetry();
    const outcomes = await Promise.all(steps.map((step) => step.attempt(requestId, again)));
    const failed = steps.filter((_step, index) => outcomes[index]?.ok !== true);
    if (failed.length > 0) {
      this.#cancelRetry();
      this.#cancelRetry = this.clock.after(RETRY_MS, () => void this.#run(failed, requestId, true));
    }
    return { ok: failed.length === 0, message: outcomes.map(({ message }) => message).join('; ') };
  }
}
