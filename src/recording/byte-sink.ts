const FIRST_CAPACITY = 64 * 1024;

/** Bytes that are written one after another into one growing buffer. */
export class ByteSink {
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was written since the last {@link clear}: valid until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  /** An integer from 0 to 2^53 - 1, as a base-128 varint. */
  varint(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** An unsigned integer of up to 64 bits, as {@link varint}. */
  bigVarint(value: bigint): void {
    let rest = value;
    while (rest > BigInt(Number.MAX_SAFE_INTEGER)) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.varint(Number(rest));
  }

  /** A signed safe integer in zigzag form: small magnitudes take few bytes. Magnitudes to 2^52 - 1. */
  signed(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  double(value: number): void {
    this.#room(8);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  bytes(source: Uint8Array): void {
    this.#room(source.length);
    this.#bytes.set(source, this.#length);
    this.#length += source.length;
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
