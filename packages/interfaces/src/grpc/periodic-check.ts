import type { Clock } from '@svc-gateway/contract/clock';

/** Repeats a check for as long as there is something to check: an idle daemon has no timer for it. */
export class PeriodicCheck {
  #cancel: (() => void) | undefined;

  /** @param check Returns whether anything is left to check. */
  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
    private readonly check: () => boolean,
  ) {}

  /** Starts the check, unless it runs already. */
  begin(): void {
    this.#cancel ??= this.clock.after(this.everyMs, () => {
      this.#cancel = undefined;
      if (this.check()) this.begin();
    });
  }

  stop(): void {
    this.#cancel?.();
  }
}
