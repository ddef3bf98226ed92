import type { Clock } from '../../../src/contract/clock.js';

/** A clock that knows how many of its timers are armed. */
export class CountingClock implements Clock {
  readonly #clock: Clock;
  #armed = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Timers that have neither run nor been cancelled. */
  get armed(): number {
    return this.#armed;
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
    let over = false;
    const end = () => {
      if (!over) this.#armed -= 1;
      over = true;
    };
    this.#armed += 1;
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
