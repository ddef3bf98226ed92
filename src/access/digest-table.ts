import { type BinaryToTextEncoding, hash } from 'node:crypto';

/** SHA-256 digests are compared as eight words of 32 bits. */
const WORDS = 8;
/** A row is as long as a processor's cache line: the digest, and then numbers. */
const ROW_WORDS = 16;
const ROW_NUMBERS = ROW_WORDS / 2;
/** Large blocks of memory mostly begin 16 bytes after a page's beginning: so many numbers later a cache line begins. */
const LINE_BEGINS = 6;
const FIRST_NUMBER = WORDS / 2;
/** Of the entry that stands in a row, counted from 1; 0 in an empty row. */
const ENTRY = ROW_NUMBERS - 1;
const NUMBERS_MAX = ENTRY - FIRST_NUMBER;
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

/** What a {@link DigestTable} holds. */
export interface DigestEntry {
  /** 64 hex digits; no digest twice. */
  readonly digest: string;
  readonly name: string;
  /** At most three. */
  readonly numbers: readonly number[];
}

/** The words of the digest being looked for. Filled and read within one synchronous call. */
const wanted = new Uint32Array(WORDS);

/**
 * A name and some numbers by the SHA-256 digest of a text. A look-up costs about the same for any number of entries, most of
 * which are in no cache of the processor: it is an open-addressing table whose rows hold all but the names, and nothing but the
 * row is waited for. All words of a digest are compared whatever the first ones say, so the time tells
 * nothing about how much of a wrong text's digest was right.
 */
export class DigestTable {
  readonly #words: Uint32Array;
  readonly #numbers: Float64Array;
  /** By entry. */
  readonly #names: readonly string[];
  readonly #mask: number;

  constructor(entries: readonly DigestEntry[]) {
    // At least half of the rows are empty, so that a search ends soon.
    let size = 2;
    while (size < entries.length * 2 + 1) size *= 2;
    this.#mask = size - 1;
    this.#numbers = new Float64Array(LINE_BEGINS + size * ROW_NUMBERS).subarray(LINE_BEGINS);
    this.#words = new Uint32Array(this.#numbers.buffer, this.#numbers.byteOffset);
    for (const [entry, { digest, numbers }] of entries.entries()) {
      if (numbers.length > NUMBERS_MAX) throw new Error(`there is room for ${NUMBERS_MAX} numbers, not for ${numbers.length}`);
      readWords(Buffer.from(digest, 'hex').toString('utf16le'));
      let row = this.#firstRow();
      while (!this.#isEmpty(row)) row = (row + 1) & this.#mask;
      this.#words.set(wanted, row * ROW_WORDS);
      this.#numbers.set(numbers, row * ROW_NUMBERS + FIRST_NUMBER);
      this.#numbers[row * ROW_NUMBERS + ENTRY] = entry + 1;
    }
    // A copy: the names side by side, and not between what else was read with them.
    this.#names = structuredClone(entries.map(({ name }) => name));
  }

  /** The row whose digest is that of `text`; {@link NONE} where there is none. */
  find(text: string): number {
    readWords(hash('sha256', text, TWO_BYTES));
    for (let row = this.#firstRow(); ; row = (row + 1) & this.#mask) {
      if (this.#isEmpty(row)) return NONE;
      if (this.#matches(row)) return row;
    }
  }

  /** The name of a row that was found. */
  name(row: number): string {
    return this.#names[this.entry(row)] ?? '';
  }

  /** The place, in the list of entries, of a row that was found. */
  entry(row: number): number {
    return ((this.#numbers[row * ROW_NUMBERS + ENTRY] ?? 0) | 0) - 1;
  }

  /** A number of a row that was found. */
  number(row: number, index: number): number {
    return this.#numbers[row * ROW_NUMBERS + FIRST_NUMBER + index] ?? 0;
  }

  #firstRow(): number {
    return (wanted[0] ?? 0) & this.#mask;
  }

  #isEmpty(row: number): boolean {
    return this.#numbers[row * ROW_NUMBERS + ENTRY] === 0;
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
