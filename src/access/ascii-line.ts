const FIRST_BYTES = 1024;

/** Puts one line of ASCII text together, as bytes. One line at a time, from {@link begin} to {@link end}. */
export class AsciiLine {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  begin(): void {
    this.#length = 0;
  }

  bytes(ready: Uint8Array): void {
    this.#reserve(ready.length);
    this.#bytes.set(ready, this.#length);
    this.#length += ready.length;
  }

  /** A text that is ASCII already. */
  text(ascii: string): void {
    const { length } = ascii;
    this.#reserve(length);
    const bytes = this.#bytes;
    const start = this.#length;
    for (let index = 0; index < length; index++) bytes[start + index] = ascii.charCodeAt(index);
    this.#length += length;
  }

  /** Any text as a JSON string. */
  quoted(text: string): void {
    const { length } = text;
    this.#reserve(length + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit < FIRST_PLAIN || unit > LAST_PLAIN || unit === QUOTE || unit === BACKSLASH) {
        this.text(quote(text));
        return;
      }
      bytes[at++] = unit;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
  }

  end(): string {
    return this.#bytes.toString('latin1', 0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PLAIN = 0x20;
const LAST_PLAIN = 0x7e;

/** A JSON string in ASCII, whatever the text: a file of bytes that need no encoding is cheaper to write, and no reader can mistake it. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
