import { type BinaryToTextEncoding, hash } from 'node:crypto';

/** SHA-256 digests are compared as eight words of 32 bits. */
const WORDS = 8;
/** A row is as long as a processor's cache line, so that a look-up waits for one: the digest, and then numbers. */
const ROW_WORDS = 16;
const ROW_NUMBERS = ROW_WORDS / 2;
const FIRST_NUMBER = WORDS / 2;
const NUMBERS_MAX = ROW_NUMBERS - FIRST_NUMBER;
/** No row. */
export const NONE = -1;

/**
 * Two bytes a character: a Buffer costs more than the digest itself, and to read single bytes costs a third of it. Node gives
 * a digest in any of its encodings; the types know four.
 */
const TWO_BYTES = 'utf16le' as string as BinaryToTextEncoding;

/** Lower-case hex SHA-256 of the text's UTF-8 bytes: what the keys file stores. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

/** One row of a {@link DigestTable}. */
export interface DigestRow {
  /** 64 hex digits; no digest twice. */
  readonly digest: string;
  /** At most four. */
  readonly numbers: readonly number[];
}

/** The words of the digest being looked for. Filled and read within one synchronous call. */
const wanted = new Uint32Array(WORDS);

/**
 * Rows of numbers by the SHA-256 digest of a text. A look-up costs the same for any number of rows: an open-addressing table,
 * and one cache line that holds all there is to read, where a `Map` of hex texts and what it leads to is a dozen. All words of
 * a digest are compared whatever the first ones say, so the time tells nothing about how much of a wrong text's digest was
 * right.
 */
export class DigestTable {
  readonly #words: Uint32Array;
  readonly #numbers: Float64Array;
  /** Row, or NONE. At least half are empty, so that a search ends soon. */
  readonly #rows: Int32Array;
  readonly #mask: number;

  constructor(rows: readonly DigestRow[]) {
    let size = 2;
    while (size < rows.length * 2 + 1) size *= 2;
    this.#mask = size - 1;
    this.#numbers = new Float64Array(rows.length * ROW_NUMBERS);
    this.#words = new Uint32Array(this.#numbers.buffer);
    this.#rows = new Int32Array(size).fill(NONE);
    for (const [row, { digest, numbers }] of rows.entries()) {
      if (numbers.length > NUMBERS_MAX) throw new Error(`a row has room for ${NUMBERS_MAX} numbers, not for ${numbers.length}`);
      readWords(Buffer.from(digest, 'hex').toString('utf16le'));
      this.#words.set(wanted, row * ROW_WORDS);
      this.#numbers.set(numbers, row * ROW_NUMBERS + FIRST_NUMBER);
      let slot = this.#firstSlot();
      while (this.#rows[slot] !== NONE) slot = (slot + 1) & this.#mask;
      this.#rows[slot] = row;
    }
  }

  /** The row, counted as they were given, whose digest is that of `text`; {@link NONE} where there is none. */
  find(text: string): number {
    readWords(hash('sha256', text, TWO_BYTES));
    for (let slot = this.#firstSlot(); ; slot = (slot + 1) & this.#mask) {
      const row = this.#rows[slot] ?? NONE;
      if (row === NONE || this.#matches(row)) return row;
    }
  }

  /** A number of a row that was found. */
  number(row: number, index: number): number {
    return this.#numbers[row * ROW_NUMBERS + FIRST_NUMBER + index] ?? 0;
  }

  #firstSlot(): number {
    return (wanted[0] ?? 0) & this.#mask;
  }

  #matches(row: number): boolean {
    const words = this.#words;
    const at = row * ROW_WORDS;
    let difference = 0;
    for (let word = 0; word < WORDS; word++) difference |= (words[at + word] ?? 0) ^ (wanted[word] ?? 0);
    return difference === 0;
  }
}

/** `bytes` holds two bytes per character, the lower one first. */
function readWords(bytes: string): void {
  for (let word = 0; word < WORDS; word++) wanted[word] = bytes.charCodeAt(2 * word) | (bytes.charCodeAt(2 * word + 1) << 16);
}
