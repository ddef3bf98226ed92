/** Pauses between tries to connect: they double from half a second to half a minute, each drawn from the whole range ("full jitter"). */
export class Backoff {
  static readonly BASE_MS = 500;
  static readonly MAX_MS = 30_000;
  #tries = 0;

  /** `random` draws from [0, 1). */
  constructor(readonly random: () => number) {}

  /** Milliseconds until the next try. */
  next(): number {
    const ceiling = Math.min(Backoff.MAX_MS, Backoff.BASE_MS * 2 ** this.#tries);
    this.#tries += 1;
    return Math.round(ceiling * this.random());
  }

  /** A connection held: the next pause is a short one again. */
  reset(): void {
    this.#tries = 0;
  }
}
