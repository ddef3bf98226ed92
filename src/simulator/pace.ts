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
