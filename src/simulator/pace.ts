/** Ends this turn of the event loop: whoever has long work to do gives way to what came meanwhile. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Counts steps of long work, and says after so many that the turn is to end. */
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

/** Does work that pauses at each `yield`: what comes before the first one at once, and then one piece a turn. */
export function inTurns<T>(work: Generator<void, T>): T | Promise<T> {
  const first = work.next();
  return first.done ? first.value : rest(work);
}

async function rest<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    await nextTurn();
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** The results of `step` for each of `items`, pausing after every `itemsATurn`: for {@link inTurns}. */
export function* eachInTurns<T, R>(items: readonly T[], itemsATurn: number, step: (item: T) => R): Generator<void, R[]> {
  const results: R[] = [];
  for (const item of items) {
    if (results.length > 0 && results.length % itemsATurn === 0) yield;
    results.push(step(item));
  }
  return results;
}
