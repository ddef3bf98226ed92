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
/** Digests that share a displacement, on average. */
const SHARING = 4;
/** Rows that are not empty. */
const FILLED = 0.9;
const DISPLACEMENT_MAX = 0xfff;
/** Sizes that are tried; of digests that are what they should be, random numbers, nearly all fit into the first. */
const SIZES_MAX = 8;
/** 2^32 by the golden ratio: the product's upper bits depend on all of the factor's. */
const SPREAD = 0x9e3779b1;
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
const wanted = new Int32Array(WORDS);

/**
 * A name and some numbers by the SHA-256 digest of a text. A look-up costs about the same for any number of entries, most of
 * which are in no cache of the processor: a perfect hash, whose displacements take half a byte an entry, says which one row
 * to compare, and nothing else is waited for. That row is compared whatever the text, and in all its words, so the time tells
 * nothing about how much of a wrong text's digest was right.
 *
 * Hash and displace: Pagh, "Hash and Displace: Efficient Evaluation of Minimal Perfect Hash Functions" (1999).
 */
export class DigestTable {
  readonly #places: Places;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  /** By row. */
  readonly #names: readonly string[];
  #foundName = '';

  /** @param entries no two of them with the same digest */
  constructor(entries: readonly DigestEntry[]) {
    const digests = entries.map(({ digest }) => Buffer.from(digest, 'hex').toString('utf16le'));
    this.#places = placesOf(digests);
    this.#numbers = new Float64Array(LINE_BEGINS + this.#places.rows * ROW_NUMBERS).subarray(LINE_BEGINS);
    this.#words = new Int32Array(this.#numbers.buffer, this.#numbers.byteOffset);
    const names = new Array<string>(this.#places.rows).fill('');
    for (const [entry, { name, numbers }] of entries.entries()) {
      if (numbers.length > NUMBERS_MAX) throw new Error(`there is room for ${NUMBERS_MAX} numbers, not for ${numbers.length}`);
      readWords(digests[entry] ?? '');
      const row = this.#places.rowOfWanted();
      this.#words.set(wanted, row * ROW_WORDS);
      this.#numbers.set(numbers, row * ROW_NUMBERS + FIRST_NUMBER);
      this.#numbers[row * ROW_NUMBERS + ENTRY] = entry + 1;
      names[row] = name;
    }
    // A copy: the names side by side, and not between what else was read with them.
    this.#names = structuredClone(names);
  }

  /** The row whose digest is that of `text`; {@link NONE} where there is none. */
  find(text: string): number {
    readWords(hash('sha256', text, TWO_BYTES));
    const row = this.#places.rowOfWanted();
    // Asked for before the digest is waited for: a processor looks ahead by a few hundred instructions only, and the two are
    // to come from memory at the same time.
    this.#foundName = this.#names[row] ?? '';
    // An empty row is compared too: no text has a digest of zeros.
    return this.#matches(row) ? row : NONE;
  }

  /** The name of the row that was found last. */
  get foundName(): string {
    return this.#foundName;
  }

  /** The place, in the list of entries, of a row that was found. */
  entry(row: number): number {
    return ((this.#numbers[row * ROW_NUMBERS + ENTRY] ?? 0) | 0) - 1;
  }

  /** A number of a row that was found. */
  number(row: number, index: number): number {
    return this.#numbers[row * ROW_NUMBERS + FIRST_NUMBER + index] ?? 0;
  }

  #matches(row: number): boolean {
    const words = this.#words;
    const at = row * ROW_WORDS;
    let difference = 0;
    for (let word = 0; word < WORDS; word++) difference |= (words[at + word] ?? 0) ^ (wanted[word] ?? 0);
    return difference === 0;
  }
}

/** The row of each digest, of its own. */
class Places {
  constructor(
    readonly rows: number,
    /** By a part of the digest. */
    readonly displacements: Uint16Array,
  ) {
    this.#share = displacements.length - 1;
    this.#scale = rows / 2 ** 32;
  }

  readonly #share: number;
  /** From 32 bits to a row. */
  readonly #scale: number;

  /** Which displacement is that of the digest in {@link wanted}. */
  shareOfWanted(): number {
    return ((wanted[0] ?? 0) ^ (wanted[3] ?? 0) ^ (wanted[6] ?? 0)) & this.#share;
  }

  rowOfWanted(): number {
    return this.rowAt(this.displacements[this.shareOfWanted()] ?? 0);
  }

  /** The row of the digest in {@link wanted} by this displacement. Every word of it counts. */
  rowAt(displacement: number): number {
    const first = (wanted[0] ?? 0) ^ (wanted[3] ?? 0) ^ (wanted[6] ?? 0);
    const base = Math.imul(first, SPREAD) ^ (wanted[1] ?? 0) ^ (wanted[4] ?? 0) ^ (wanted[7] ?? 0);
    const step = (wanted[2] ?? 0) ^ (wanted[5] ?? 0);
    return ((Math.imul(base + Math.imul(step | 1, displacement), SPREAD) >>> 0) * this.#scale) | 0;
  }
}

/** Finds displacements by which no two of the digests have the same row. */
function placesOf(digests: readonly string[]): Places {
  // A tenth of the rows is empty, so that few displacements have to be tried.
  let rows = Math.ceil(digests.length / FILLED) + 1;
  let shares = 1;
  while (shares * SHARING < digests.length) shares *= 2;
  for (let size = 0; size < SIZES_MAX; size++, rows *= 2) {
    const places = new Places(rows, new Uint16Array(shares));
    if (displace(places, digests)) return places;
  }
  throw new Error('the digests are no SHA-256: too many of them are alike');
}

/** Fills the displacements in: first those that most digests share, while most rows are empty. False where one is not found. */
function displace(places: Places, digests: readonly string[]): boolean {
  const sharing: string[][] = Array.from(places.displacements, () => []);
  for (const digest of digests) {
    readWords(digest);
    sharing[places.shareOfWanted()]?.push(digest);
  }
  const taken = new Uint8Array(places.rows);
  const order = sharing.map((_, share) => share).sort((one, other) => (sharing[other]?.length ?? 0) - (sharing[one]?.length ?? 0));
  for (const share of order) {
    const own = sharing[share] ?? [];
    if (own.length === 0) break;
    const displacement = freeDisplacement(places, own, taken);
    if (displacement === undefined) return false;
    places.displacements[share] = displacement;
  }
  return true;
}

/** A displacement by which all these digests have rows that nobody has taken; they are taken. */
function freeDisplacement(places: Places, digests: readonly string[], taken: Uint8Array): number | undefined {
  for (let displacement = 0; displacement <= DISPLACEMENT_MAX; displacement++) {
    const rows: number[] = [];
    for (const digest of digests) {
      readWords(digest);
      const row = places.rowAt(displacement);
      if (taken[row] === 1) break;
      taken[row] = 1;
      rows.push(row);
    }
    if (rows.length === digests.length) return displacement;
    for (const row of rows) taken[row] = 0;
  }
  return undefined;
}

/** `bytes` holds two bytes per character, the lower one first. */
function readWords(bytes: string): void {
  for (let word = 0; word < WORDS; word++) wanted[word] = bytes.charCodeAt(2 * word) | (bytes.charCodeAt(2 * word + 1) << 16);
}
