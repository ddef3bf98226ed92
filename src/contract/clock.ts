/** The passage of time, as a parameter: tests and replays pass their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
  /** Runs `action` once, at or after `time` (epoch ms). The returned function cancels it. Never keeps the process alive. */
  at(time: number, action: () => void): () => void;
}

const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: Date.now,
  at(time, action) {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const wait = Math.max(0, time - Date.now());
      timer = setTimeout(wait > TIMEOUT_MS_MAX ? arm : action, Math.min(wait, TIMEOUT_MS_MAX));
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};

/** A clock that shows `start` (epoch ms) now, and from then on runs `speed` times as fast as the machine's. */
export function replayClock(start: number, speed: number, base: Clock = systemClock): Clock {
  const origin = base.now();
  return {
    now: () => start + (base.now() - origin) * speed,
    at: (time, action) => base.at(origin + (time - start) / speed, action),
  };
}

/** A clock that stands still until it is told to move: `advance(ms)` runs what falls due, in order of time. */
export class ManualClock implements Clock {
  #now: number;
  #sequence = 0;
  readonly #due = new Map<number, { time: number; action: () => void }>();

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  at(time: number, action: () => void): () => void {
    const id = this.#sequence++;
    this.#due.set(id, { time, action });
    return () => this.#due.delete(id);
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      let next: [number, { time: number; action: () => void }] | undefined;
      for (const entry of this.#due) if (entry[1].time <= end && (next === undefined || entry[1].time < next[1].time)) next = entry;
      if (next === undefined) break;
      this.#due.delete(next[0]);
      this.#now = Math.max(this.#now, next[1].time);
      next[1].action();
    }
    this.#now = end;
  }
}
