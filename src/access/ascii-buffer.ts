const FIRST_BYTES = 64 * 1024;
/** A larger buffer was needed for once, and is not kept. */
const KEPT_BYTES_MAX = 1024 * 1024;

/**
 * ASCII text put together as bytes. A text that is joined of many small ones is a tree of them until somebody writes it, and
 * to walk that tree costs more than everything else about a line.
 */
export class AsciiBuffer {
  private held: Buffer;
  private spare: Buffer;
  private used = 0;

  constructor(firstBytes = FIRST_BYTES) {
    this.held = Buffer.allocUnsafeSlow(firstBytes);
    this.spare = Buffer.allocUnsafeSlow(firstBytes);
  }

  get length(): number {
    return this.used;
  }

  bytes(ready: Uint8Array): void {
    this.reserve(ready.length);
    this.held.set(ready, this.used);
    this.used += ready.length;
  }

  byte(ascii: number): void {
    this.reserve(1);
    this.held[this.used++] = ascii;
  }

  /** A text that is known to be ASCII. */
  text(ascii: string): void {
    const { length } = ascii;
    this.reserve(length);
    const { held, used } = this;
    for (let index = 0; index < length; index++) held[used + index] = ascii.charCodeAt(index);
    this.used = used + length;
  }

  /** Any text, as a JSON string. */
  quoted(text: string): void {
    const { length } = text;
    this.reserve(length + 2);
    const { held } = this;
    let at = this.used;
    held[at++] = QUOTE;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit < FIRST_PLAIN || unit > LAST_PLAIN || unit === QUOTE || unit === BACKSLASH) {
        this.text(quote(text));
        return;
      }
      held[at++] = unit;
    }
    held[at++] = QUOTE;
    this.used = at;
  }

  /** What has been put together; it is good until the next call. */
  take(): Buffer {
    const taken = this.held.subarray(0, this.used);
    const next = this.spare;
    this.spare = this.held.length > KEPT_BYTES_MAX ? Buffer.allocUnsafeSlow(FIRST_BYTES) : this.held;
    this.held = next;
    this.used = 0;
    return taken;
  }

  /** Makes room for so many more bytes. */
  reserve(more: number): void {
    const needed = this.used + more;
    if (needed <= this.held.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    larger.set(this.held.subarray(0, this.used));
    this.held = larger;
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
