/** How the number of an event within its connection stands in a frame. A format has one numbering for all of its frames. */
export interface Numbering {
  /** Bytes that a number takes. Equal for neighbours but at a few places: frames of equal width are laid out together. */
  width(value: number): number;
  /** Writes a number so that its last byte stands just before `end`. */
  write(target: Buffer, end: number, value: number): void;
}

/** Events carry no number. */
export const unnumbered: Numbering = { width: () => 0, write: () => undefined };

/** Decimal digits, for texts. */
export const decimalNumbers: Numbering = { width: digitCount, write: writeDigits };

/** Four bytes, least significant first; after 2^32 - 1 comes 0. */
export const uint32LeNumbers: Numbering = {
  width: () => 4,
  write(target, end, value) {
    target.writeUInt32LE(value % 2 ** 32, end - 4);
  },
};

/** How many decimal digits a positive integer has. */
function digitCount(value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits += 1;
  return digits;
}

function writeDigits(target: Buffer, end: number, value: number): void {
  let at = end;
  let rest = value;
  do {
    const next = Math.floor(rest / 10);
    at -= 1;
    target[at] = 48 + (rest - next * 10);
    rest = next;
  } while (rest > 0);
}
