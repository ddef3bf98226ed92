import type { Clock } from '../../contract/clock.js';

/** A token bucket: so many commands a second, and as many at once after a pause. */
export class CommandRate {
  #tokens: number;
  #filledAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
  ) {
    this.#tokens = perSecond;
    this.#filledAt = clock.now();
  }

  /** Takes one token; false when there is none. */
  take(): boolean {
    const now = this.clock.now();
    // A clock that was set back takes nothing away.
    const elapsedMs = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.perSecond, this.#tokens + (elapsedMs / 1000) * this.perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
