/** Ends this turn of the event loop, so that long work gives way to pending events. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Counts steps of long work, and ends the turn after a number of them. */
export class Pace {
  #left: number;

  /** @param stepsMax steps in one turn: a few milliseconds' worth. */
  constructor(private readonly stepsMax: number) {
    this.#left = stepsMax;
  }

  /** Waits for the next turn after every so many calls; undefined where there is nothing to wait for. */
  step(): Promise<void> | undefined {
    this.#left -= 1;
    if (this.#left > 0) return undefined;
    this.#left = this.stepsMax;
    return nextTurn();
  }
}

/** How much long work is done in one turn of the event loop before others have theirs, in ms. */
const TURN_MS = 4;

/** Milliseconds of this event-loop turn spent on long work so far, by all long tasks together: they share the turn. */
const taken = {
  ms: 0,
  isToEnd: false,
  add(ms: number): void {
    this.ms += ms;
    if (this.isToEnd) return;
    this.isToEnd = true;
    setImmediate(() => {
      this.ms = 0;
      this.isToEnd = false;
    });
  },
};

/** The turn that long work has now, with all other such work: what takes long only the first time fills it sooner than what is known. */
export class Turn {
  #since: number;

  /**
   * @param ms how long a turn lasts
   * @param now ms since any moment
   */
  constructor(
    private readonly ms: number = TURN_MS,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#since = now();
  }

  /** Waits for the next turn when this one has lasted long enough; undefined where there is nothing to wait for. */
  pause(): Promise<void> | undefined {
    const now = this.now();
    taken.add(now - this.#since);
    this.#since = now;
    return taken.ms < this.ms ? undefined : this.#next();
  }

  async #next(): Promise<void> {
    await nextTurn();
    this.#since = this.now();
  }
}

export interface InTurnsOptions {
  readonly turn?: Turn;
  /** Ends the work, with its reason for an error, at the next pause. For work that is one caller's alone. */
  readonly signal?: AbortSignal | undefined;
}

/** Does work that may pause at each `yield`: as many pieces in one turn as it has time for, the first ones at once. */
export function inTurns<T>(work: Generator<void, T>, { turn = new Turn(), signal }: InTurnsOptions = {}): T | Promise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    const pause = turn.pause();
    if (pause !== undefined) return rest(work, turn, pause, signal);
  }
}

async function rest<T>(work: Generator<void, T>, turn: Turn, first: Promise<void>, signal: AbortSignal | undefined): Promise<T> {
  for (let pause: Promise<void> | undefined = first; ; pause = turn.pause()) {
    if (pause !== undefined) {
      await pause;
      signal?.throwIfAborted();
    }
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** Does all of such work at once. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** The results of `step` for each of `items`, ready to pause after every `itemsAtOnce`: for {@link inTurns}. */
export function* eachInTurns<T, R>(items: readonly T[], itemsAtOnce: number, step: (item: T) => R): Generator<void, R[]> {
  const results: R[] = [];
  for (const item of items) {
    if (results.length > 0 && results.length % itemsAtOnce === 0) yield;
    results.push(step(item));
  }
  return results;
}
