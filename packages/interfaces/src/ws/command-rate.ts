import type { Clock } from '@svc-gateway/contract/clock';

/** A token bucket of commands per second, with a burst of one second's worth. */
export class CommandRate {
  #tokens: number;
  #filledAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
  ) {
    this.#tokens = perSecond;
    this.#filledAt = clock.monotonic();
  }

  /** Takes one token; false when there is none. */
  take(): boolean {
    const now = this.clock.monotonic();
    this.#tokens = Math.min(this.perSecond, this.#tokens + ((now - this.#filledAt) / 1000) * this.perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
