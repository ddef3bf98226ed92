import { type BinaryToTextEncoding, hash } from 'node:crypto';

/** SHA-256 digests are compared as eight words of 32 bits. */
const WORDS = 8;
/** A row is as long as a processor's cache line: the digest, some numbers, and whether there is an entry at all. */
const ROW_WORDS = 16;
const ROW_NUMBERS = ROW_WORDS / 2;
const WORD_VALUES = 2 ** 32;
/** Large blocks of memory mostly begin 16 bytes after a page's beginning: so many numbers later a cache line begins. */
const LINE_BEGINS = 6;
const FIRST_NUMBER = WORDS / 2;
const NUMBERS_MAX = ROW_NUMBERS - FIRST_NUMBER - 1;
/** 1 where there is an entry. */
const TAKEN = ROW_NUMBERS - 1;
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
export interface DigestEntry<T> {
  /** 64 hex digits; no digest twice. */
  readonly digest: string;
  readonly name: string;
  readonly value: T;
  /** At most three. */
  readonly numbers: readonly number[];
}

/** The words of the digest being looked for. Filled and read within one synchronous call. */
const wanted = new Uint32Array(WORDS);

/**
 * A name, a value and some numbers by the SHA-256 digest of a text. Of ten thousand entries, the one that is looked for is in no
 * cache of the processor: so the digest and the numbers stand in one line of memory, and where that is follows from the digest
 * alone (open addressing). All words of a digest are compared whatever the first ones say, so the time tells nothing about how much
 * of a wrong text's digest was right.
 */
export class DigestTable<T> {
  readonly #words: Uint32Array;
  readonly #numbers: Float64Array;
  /** By row, each name before its value: both are in one line. */
  readonly #named: (string | T | undefined)[];
  readonly #rows: number;

  constructor(entries: readonly DigestEntry<T>[]) {
    // At least half of the rows are empty, so that a search ends soon.
    this.#rows = 2 * entries.length + 1;
    this.#numbers = new Float64Array(LINE_BEGINS + this.#rows * ROW_NUMBERS).subarray(LINE_BEGINS);
    this.#words = new Uint32Array(this.#numbers.buffer, this.#numbers.byteOffset);
    this.#named = new Array<string | T | undefined>(2 * this.#rows).fill(undefined);
    // A copy: the names side by side, and not between what else was read with them.
    const names = structuredClone(entries.map(({ name }) => name));
    for (const [index, { digest, value, numbers }] of entries.entries()) {
      if (numbers.length > NUMBERS_MAX) throw new Error(`there is room for ${NUMBERS_MAX} numbers, not for ${numbers.length}`);
      readWords(Buffer.from(digest, 'hex').toString('utf16le'));
      let row = this.#firstRow();
      while (this.#isTaken(row)) row = this.#after(row);
      this.#named[2 * row] = names[index];
      this.#named[2 * row + 1] = value;
      this.#words.set(wanted, row * ROW_WORDS);
      this.#numbers.set(numbers, row * ROW_NUMBERS + FIRST_NUMBER);
      this.#numbers[row * ROW_NUMBERS + TAKEN] = 1;
    }
  }

  /** The row whose digest is that of `text`; {@link NONE} where there is none. */
  find(text: string): number {
    readWords(hash('sha256', text, TWO_BYTES));
    for (let row = this.#firstRow(); this.#isTaken(row); row = this.#after(row)) if (this.#matches(row)) return row;
    return NONE;
  }

  /** The name of a row that was found. */
  name(row: number): string {
    return this.#named[2 * row] as string;
  }

  /** The value of a row that was found. */
  value(row: number): T {
    return this.#named[2 * row + 1] as T;
  }

  /** A number of a row that was found. */
  number(row: number, index: number): number {
    return this.#numbers[row * ROW_NUMBERS + FIRST_NUMBER + index] ?? 0;
  }

  /** Digests are spread evenly: the first word's share of all its values is the row's share of all rows. */
  #firstRow(): number {
    return Math.floor(((wanted[0] ?? 0) * this.#rows) / WORD_VALUES);
  }

  #after(row: number): number {
    return row + 1 === this.#rows ? 0 : row + 1;
  }

  #isTaken(row: number): boolean {
    return this.#numbers[row * ROW_NUMBERS + TAKEN] === 1;
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
