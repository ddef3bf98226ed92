import { uptime } from 'node:os';

/** The passage of time, as a parameter: tests and replays pass their own. */
export interface Clock {
  /**
   * Milliseconds since the Unix epoch, UTC. Somebody may set it at any moment, either way: nothing that is to last a
   * certain time is measured by it.
   */
  now(): number;
  /** Milliseconds since some moment of this process. Nobody sets it; it may stand still while the machine sleeps. */
  monotonic(): number;
  /** Milliseconds since the machine started, its sleep included. Costs more than the others; exact to a second. */
  uptime(): number;
  /**
   * Runs `action` once, when {@link now} shows `time` (epoch ms) or more; a clock that was set is noticed within a minute.
   * The returned function cancels it. Never keeps the process alive.
   */
  at(time: number, action: () => void): () => void;
  /** Runs `action` once, after `ms` of {@link monotonic} time. The returned function cancels it. Never keeps the process alive. */
  after(ms: number, action: () => void): () => void;
}

/** Runs `action` every `ms` of monotonic time, first after that time. The returned function ends it. */
export function every(clock: Pick<Clock, 'after'>, ms: number, action: () => void): () => void {
  let cancel = () => {};
  const wait = () => {
    cancel = clock.after(ms, () => {
      action();
      wait();
    });
  };
  wait();
  return () => cancel();
}

const TIMEOUT_MS_MAX = 2 ** 31 - 1;
/** How often a wait for a time of day looks whether the clock was set. */
const LOOK_MS = 60_000;

/** The machine's clock. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  at(time, action) {
    let timer: NodeJS.Timeout;
    const look = () => {
      if (Date.now() >= time) action();
      else arm();
    };
    const arm = () => {
      timer = setTimeout(look, Math.min(Math.max(0, time - Date.now()), LOOK_MS));
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
  after(ms, action) {
    if (ms <= TIMEOUT_MS_MAX) {
      const timer = setTimeout(action, ms).unref();
      return () => clearTimeout(timer);
    }
    const due = performance.now() + ms;
    let cancel = () => {};
    const timer = setTimeout(() => {
      cancel = systemClock.after(due - performance.now(), action);
    }, TIMEOUT_MS_MAX).unref();
    return () => {
      clearTimeout(timer);
      cancel();
    };
  },
};

/** A difference between two clocks that is more than the way in which they are read. */
const NOTICED_MS = 1000;

/** How much time has passed, the machine's sleep included, whatever its clock was set to meanwhile. */
export class Stopwatch {
  readonly #origin: number;
  readonly #uptimeAhead: number;
  #wallAhead: number;
  #slept = 0;

  constructor(private readonly clock: Clock) {
    this.#origin = clock.monotonic();
    this.#uptimeAhead = clock.uptime() - this.#origin;
    this.#wallAhead = clock.now() - this.#origin;
  }

  /** Milliseconds since it was made; never less than before. */
  elapsed(): number {
    const monotonic = this.clock.monotonic();
    const wallAhead = this.clock.now() - monotonic;
    if (Math.abs(wallAhead - this.#wallAhead) > NOTICED_MS) {
      this.#wallAhead = wallAhead;
      // The clock was set, or the machine slept: its uptime tells which.
      const slept = this.clock.uptime() - monotonic - this.#uptimeAhead;
      if (slept > this.#slept + NOTICED_MS) this.#slept = slept;
    }
    return monotonic - this.#origin + this.#slept;
  }
}

/** A clock that begins with what `base` shows, and that setting `base` does not move. */
export function steadyClock(base: Clock): Clock {
  return replayClock(base.now(), 1, base);
}

/** A clock that shows `start` (epoch ms) now, and from then on runs `speed` times as fast as time passes. */
export function replayClock(start: number, speed: number, base: Clock = systemClock): Clock {
  const stopwatch = new Stopwatch(base);
  const origin = base.monotonic();
  const now = () => Math.floor(start + stopwatch.elapsed() * speed);
  const after = (ms: number, action: () => void) => base.after(ms / speed, action);
  return {
    now,
    monotonic: () => (base.monotonic() - origin) * speed,
    uptime: () => base.uptime() * speed,
    at: (time, action) => after(Math.max(0, time - now()), action),
    after,
  };
}

/** A clock that stands still until it is told to move: `advance(ms)` runs what falls due, in order of time. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  #slept = 0;
  #sequence = 0;
  readonly #due = new Map<number, { readonly time: number; readonly by: 'now' | 'monotonic'; readonly action: () => void }>();

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  uptime(): number {
    return this.#monotonic + this.#slept;
  }

  at(time: number, action: () => void): () => void {
    return this.#enter(time, 'now', action);
  }

  after(ms: number, action: () => void): () => void {
    return this.#enter(this.#monotonic + ms, 'monotonic', action);
  }

  /** Lets time pass. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (;;) {
      let next: { id: number; wait: number; action: () => void } | undefined;
      for (const [id, { time, by, action }] of this.#due) {
        const wait = Math.max(0, time - (by === 'now' ? this.#now : this.#monotonic));
        if (this.#monotonic + wait <= end && (next === undefined || wait < next.wait)) next = { id, wait, action };
      }
      if (next === undefined) break;
      this.#due.delete(next.id);
      this.#pass(next.wait);
      next.action();
    }
    this.#pass(end - this.#monotonic);
  }

  /** Sets the clock forwards or backwards by `ms` milliseconds at once. */
  step(ms: number): void {
    this.#now += ms;
  }

  /** The machine sleeps: the clock goes on, nothing runs. */
  sleep(ms: number): void {
    this.#now += ms;
    this.#slept += ms;
  }

  #enter(time: number, by: 'now' | 'monotonic', action: () => void): () => void {
    const id = this.#sequence++;
    this.#due.set(id, { time, by, action });
    return () => this.#due.delete(id);
  }

  #pass(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }
}
