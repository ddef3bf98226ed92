import type { Clock } from '../../contract/clock.js';

/** Looks at something again and again, for as long as there is anything to look at: an idle daemon has no timer for it. */
export class Rounds {
  #cancel: (() => void) | undefined;

  /** @param look Says whether anything is left to look at. */
  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
    private readonly look: () => boolean,
  ) {}

  /** There is something to look at. */
  begin(): void {
    this.#cancel ??= this.clock.after(this.everyMs, () => {
      this.#cancel = undefined;
      if (this.look()) this.begin();
    });
  }

  stop(): void {
    this.#cancel?.();
  }
}
