/**
 * Numbers of orders, fills and positions: 2^20 a millisecond since 2020, rising, so that they sort by time and a
 * restart continues above the last one kept.
 */
const EPOCH_MS = Date.UTC(2020, 0, 1);
const SEQUENCE_BITS = 20n;
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGITS = 13;
/** Each half of a number has so many bits: six digits, and one more of the upper half. */
const HALF_BITS = 30n;
const HALF_MASK = (1n << HALF_BITS) - 1n;

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

/** The readable form of a number: "20261120-06HX2K0000000", its day and its base-32 digits (Crockford). */
export function readableId(day: string, id: bigint): string {
  // In halves: arithmetic with a bigint for each digit costs ten times as much.
  const digits = `${digitsOf(Number(id >> HALF_BITS), DIGITS - 6)}${digitsOf(Number(id & HALF_MASK), 6)}`;
  return `${day.slice(0, 4)}${day.slice(5, 7)}${day.slice(8)}-${digits}`;
}

function digitsOf(half: number, count: number): string {
  let digits = '';
  let rest = half;
  for (let left = count; left > 0; left--) {
    digits = `${BASE32[rest % 32]}${digits}`;
    rest = Math.floor(rest / 32);
  }
  return digits;
}

/** The number that a readable form carries; undefined when the text is none. Whether its day fits is not looked at. */
export function idOfReadable(text: string): bigint | undefined {
  const match = /^\d{8}-([0-9A-HJKMNP-TV-Z]{13})$/.exec(text);
  if (match === null) return undefined;
  let id = 0n;
  for (const digit of match[1] ?? '') id = (id << 5n) | BigInt(BASE32.indexOf(digit));
  return id;
}
