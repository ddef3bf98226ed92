/** Longer texts are not looked for among the words. */
export const WORD_MAX = 16;
const SLOTS = 1_024;

/**
 * Short texts that were read lately. Rows repeat a few words (symbols, sides, states) a hundred thousand times: each is one text in memory, and is
 * found faster than it is made. One word a slot: another of the same hash takes its place.
 */
export class Words {
  readonly #slots: (string | undefined)[] = new Array<string | undefined>(SLOTS).fill(undefined);

  /** The text of so many Latin-1 bytes, at most {@link WORD_MAX}. */
  text(bytes: Buffer, start: number, length: number): string {
    // FNV-1a.
    let hash = 0x811c9dc5;
    for (let index = start; index < start + length; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
    const slot = (hash >>> 0) % SLOTS;
    const known = this.#slots[slot];
    if (known !== undefined && isText(known, bytes, start, length)) return known;
    const text = bytes.toString('latin1', start, start + length);
    this.#slots[slot] = text;
    return text;
  }
}

function isText(text: string, bytes: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let index = 0; index < length; index++) if (text.charCodeAt(index) !== bytes[start + index]) return false;
  return true;
}
