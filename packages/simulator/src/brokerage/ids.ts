/**
 * Numbers of orders, fills and positions: 2^20 a millisecond since 2020, rising, so that they sort by time and a
 * restart continues above the last one kept.
 */
const EPOCH_MS = Date.UTC(2020, 0, 1);
const SEQUENCE_BITS = 20n;
export class IdSequence {
  #last: bigint;

  /** @param last the highest number given so far. */
  constructor(last: bigint) {
    this.#last = last;
  }

  /** A new number at `now` (epoch ms). Never one at or below an earlier one, also when the clock was set back. */
  next(now: number): bigint {
    const first = BigInt(Math.max(0, now - EPOCH_MS)) << SEQUENCE_BITS;
    this.#last = first > this.#last ? first : this.#last + 1n;
    return this.#last;
  }
}

/** The latest time (epoch ms) that a number can have been given at: its own, or an earlier one where the clock was set back before. */
export function timeOfId(id: bigint): number {
  return Number(id >> SEQUENCE_BITS) + EPOCH_MS;
}

/** The text of a number: its decimal digits, which published clients turn into an integer. */
export function textOfId(id: bigint): string {
  return id.toString();
}

/** The number that a text carries; undefined when it is none. */
export function idOfText(text: string): bigint | undefined {
  return /^[1-9]\d{0,19}$/.test(text) ? BigInt(text) : undefined;
}
