/** Bytes that end before what was to be read of them does. */
class CutOff extends Error {}

const SHIFTS = Array.from({ length: 8 }, (_, index) => 2 ** (7 * index));

/** Reads what a `ByteSink` wrote. Throws {@link CutOff} where the bytes end too early. */
export class ByteSource {
  readonly #bytes: Buffer;
  /** Where what may be read begins and ends. */
  offset = 0;
  end: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.end = bytes.length;
  }

  get left(): number {
    return this.end - this.offset;
  }

  byte(): number {
    if (this.offset >= this.end) throw new CutOff('the bytes end in the middle of a value');
    return this.#bytes[this.offset++] as number;
  }

  /** An integer from 0 to 2^53 - 1. */
  varint(): number {
    let value = this.byte();
    if (value < 0x80) return value;
    value -= 0x80;
    for (let index = 1; index < SHIFTS.length; index++) {
      const next = this.byte();
      value += (next & 0x7f) * (SHIFTS[index] as number);
      if (next < 0x80) return value;
    }
    throw new RangeError('a number of more than 53 bits');
  }

  /** An unsigned integer of up to 64 bits: a number where it is safe. */
  bigVarint(): number | bigint {
    let value = 0;
    for (let index = 0; index < 7; index++) {
      const next = this.byte();
      value += (next & 0x7f) * (SHIFTS[index] as number);
      if (next < 0x80) return value;
    }
    let big = BigInt(value);
    for (let shift = 49n; ; shift += 7n) {
      const next = this.byte();
      big |= BigInt(next & 0x7f) << shift;
      if (next < 0x80) return big <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(big) : BigInt.asUintN(64, big);
      if (shift > 63n) throw new RangeError('a number of more than 64 bits');
    }
  }

  signed(): number {
    const folded = this.varint();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }

  double(): number {
    if (this.left < 8) throw new CutOff('the bytes end in the middle of a value');
    const value = this.#bytes.readDoubleLE(this.offset);
    this.offset += 8;
    return value;
  }

  /** The next bytes as UTF-8. */
  text(length: number): string {
    if (length > this.left) throw new CutOff('the bytes end in the middle of a value');
    const from = this.offset;
    this.offset += length;
    return this.#bytes.toString('utf8', from, this.offset);
  }

  /** The indexes of the bits that are set in the next `count` bits, rising. */
  setBits(count: number): number[] {
    const set: number[] = [];
    for (let first = 0; first < count; first += 8) {
      for (let left = this.byte(); left !== 0; left &= left - 1) set.push(first + 31 - Math.clz32(left & -left));
    }
    return set;
  }

  /** Whether a whole varint is there. */
  get hasVarint(): boolean {
    for (let at = this.offset; at < this.end; at++) if ((this.#bytes[at] as number) < 0x80) return true;
    return false;
  }

  /** A view of the next bytes, not a copy. */
  bytes(length: number): Buffer {
    if (length > this.left) throw new CutOff('the bytes end in the middle of a value');
    const view = this.#bytes.subarray(this.offset, this.offset + length);
    this.offset += length;
    return view;
  }
}
