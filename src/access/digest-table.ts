import { hash } from 'node:crypto';

/** SHA-256 digests are compared as eight words of 32 bits. */
const WORDS = 8;
const EMPTY = -1;

/** Lower-case hex SHA-256 of the text's UTF-8 bytes: what the keys file stores. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The words of the digest being looked for. Filled and read within one synchronous call. */
const wanted = new Uint32Array(WORDS);

/**
 * Values by the SHA-256 digest of a text. A look-up costs the same for any number of entries: an open-addressing table
 * of places and one block of digests, which for ten thousand keys fit into a processor's cache, where a `Map` of hex
 * texts does not. All words of a digest are compared whatever the first ones say, so the time tells nothing about how
 * much of a wrong text's digest was right.
 */
export class DigestTable<T> {
  readonly #values: readonly T[];
  readonly #digests: Uint32Array;
  /** Place in `#values`, or EMPTY. At least half are empty, so that a search ends soon. */
  readonly #places: Int32Array;
  readonly #mask: number;

  /** Entries by their digest in hex, 64 digits; no digest twice. */
  constructor(entries: readonly (readonly [digestHex: string, value: T])[]) {
    let size = 2;
    while (size < entries.length * 2 + 1) size *= 2;
    this.#mask = size - 1;
    this.#values = entries.map(([, value]) => value);
    this.#digests = new Uint32Array(entries.length * WORDS);
    this.#places = new Int32Array(size).fill(EMPTY);
    for (const [place, [digestHex]] of entries.entries()) {
      readWords(Buffer.from(digestHex, 'hex').toString('latin1'));
      this.#digests.set(wanted, place * WORDS);
      let slot = this.#firstSlot();
      while (this.#places[slot] !== EMPTY) slot = (slot + 1) & this.#mask;
      this.#places[slot] = place;
    }
  }

  /** The value whose digest is that of `text`. */
  find(text: string): T | undefined {
    // 'binary' gives one character a byte, and costs a third of a Buffer.
    readWords(hash('sha256', text, 'binary'));
    for (let slot = this.#firstSlot(); ; slot = (slot + 1) & this.#mask) {
      const place = this.#places[slot] ?? EMPTY;
      if (place === EMPTY) return undefined;
      if (this.#matches(place)) return this.#values[place];
    }
  }

  #firstSlot(): number {
    return (wanted[0] ?? 0) & this.#mask;
  }

  #matches(place: number): boolean {
    let difference = 0;
    for (let word = 0; word < WORDS; word++) difference |= (this.#digests[place * WORDS + word] ?? 0) ^ (wanted[word] ?? 0);
    return difference === 0;
  }
}

/** `bytes` holds one byte per character. */
function readWords(bytes: string): void {
  for (let word = 0; word < WORDS; word++) {
    const at = word * 4;
    wanted[word] =
      bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8) | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24);
  }
}
