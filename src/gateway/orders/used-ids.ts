/** Bits for each id that there is to be room for: with as many probes as below, one new id in three hundred is taken for a used one. */
const BITS_EACH = 16;
const PROBES = 3;
const BITS_MIN = 2 ** 16;
/** 2 MiB. With more ids than it is made for, more of them are looked for in vain. */
const BITS_MAX = 2 ** 24;

/**
 * Which ids may have been used in the time for which they are kept, as two Bloom filters: one fills while the other, of the time
 * before, is still looked at. An id that was never used need not be looked for on the disk.
 */
export class UsedIds {
  readonly #mask: number;
  #young: Uint32Array;
  #old: Uint32Array | undefined;
  #since: number;

  /**
   * @param room ids that may be kept at a time.
   * @param keptMs how long each is kept.
   * @param now ms, by a clock that nobody sets.
   */
  constructor(
    room: number,
    private readonly keptMs: number,
    now: number,
  ) {
    const bits = Math.min(BITS_MAX, Math.max(BITS_MIN, 2 ** Math.ceil(Math.log2(room * BITS_EACH))));
    this.#mask = bits - 1;
    this.#young = this.#empty();
    this.#since = now;
  }

  /** Notes an id that is used at `now`. */
  note(id: string, now: number): void {
    if (now - this.#since >= this.keptMs) {
      this.#old = this.#young;
      this.#young = this.#empty();
      this.#since = now;
    }
    const { first, step } = hashesOf(id);
    for (let probe = 0, at = first; probe < PROBES; probe++, at = (at + step) | 0) {
      const bit = at & this.#mask;
      this.#young[bit >>> 5] = (this.#young[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }

  /** False where the id has certainly not been noted in the time for which ids are kept. */
  mayHave(id: string): boolean {
    const { first, step } = hashesOf(id);
    return this.#holds(this.#young, first, step) || (this.#old !== undefined && this.#holds(this.#old, first, step));
  }

  #holds(bits: Uint32Array, first: number, step: number): boolean {
    for (let probe = 0, at = first; probe < PROBES; probe++, at = (at + step) | 0) {
      const bit = at & this.#mask;
      if (((bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }

  #empty(): Uint32Array {
    return new Uint32Array((this.#mask + 1) >>> 5);
  }
}

/** Two hashes in one walk: FNV-1a and the steps of MurmurHash2, both mixed as MurmurHash3 ends. An odd step meets every bit. */
function hashesOf(id: string): { readonly first: number; readonly step: number } {
  let first = 0x811c9dc5 | 0;
  let step = id.length;
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    step = Math.imul(step ^ unit, 0x5bd1e995);
    step ^= step >>> 15;
  }
  return { first: mixed(first), step: mixed(step) | 1 };
}

function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}
