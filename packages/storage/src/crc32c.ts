/** LevelDB stores its checksums masked, since they cover data that may hold checksums. */
const MASK_DELTA = 0xa282ead8;

/** Remainder tables of a byte followed by 0, 1, 2 and 3 bytes. Four bytes a step check 100 MB in 0.1 s of a core instead of 0.3. */
const [R0, R1, R2, R3] = remainders();

function remainders(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1;
    return remainder;
  });
  const longer = (before: Int32Array) => before.map((remainder) => (remainder >>> 8) ^ (first[remainder & 0xff] as number));
  const [second, third] = [longer(first), longer(longer(first))];
  return [first, second, third, longer(third)];
}

/** Whether the masked CRC-32C (Castagnoli), which zlib does not have, of the bytes from `start` to `end` is `stored`. */
export function hasChecksum(bytes: Buffer, start: number, end: number, stored: number): boolean {
  return unmasked(stored) === crc32c(bytes, start, end);
}

function unmasked(stored: number): number {
  const rotated = (stored - MASK_DELTA) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}

function crc32c(bytes: Buffer, start: number, end: number): number {
  const byte = (at: number) => bytes[at] as number;
  const of = (table: Int32Array, index: number) => table[index & 0xff] as number;
  let sum = -1;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    sum ^= byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
    sum = of(R3, sum) ^ of(R2, sum >>> 8) ^ of(R1, sum >>> 16) ^ of(R0, sum >>> 24);
  }
  for (; at < end; at++) sum = of(R0, sum ^ byte(at)) ^ (sum >>> 8);
  return ~sum >>> 0;
}
