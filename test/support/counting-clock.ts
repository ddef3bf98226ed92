import type { Clock } from '@svc-gateway/contract/clock';

/** A clock that knows which of its timers are armed. */
export class CountingClock implements Clock {
  readonly #clock: Clock;
  readonly #armed = new Set<Error>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Where timers were armed that have neither run nor been cancelled. */
  get armed(): readonly string[] {
    return [...this.#armed].map(({ stack }) => stack ?? '');
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  uptime(): number {
    return this.#clock.uptime();
  }

  at(time: number, action: () => void): () => void {
    return this.#arm((run) => this.#clock.at(time, run), action);
  }

  after(ms: number, action: () => void): () => void {
    return this.#arm((run) => this.#clock.after(ms, run), action);
  }

  #arm(arm: (run: () => void) => () => void, action: () => void): () => void {
    const here = new Error('armed');
    this.#armed.add(here);
    const end = () => this.#armed.delete(here);
    const cancel = arm(() => {
      end();
      action();
    });
    return () => {
      end();
      cancel();
    };
  }
}
