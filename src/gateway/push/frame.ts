import type { PushEvent, QuotePush } from '../backend.js';

/**
 * One WebSocket text frame (RFC 6455, section 5.2) from server to client, ready but for its sequence number: the
 * number is the connection's own, everything else is the same for all.
 */
export class Frame {
  readonly #head: Buffer;
  readonly #tail: Buffer;

  constructor(
    /** What it is for a slow reader, and what it belongs to. */
    readonly content: FrameContent,
    /** The JSON text up to the number. */
    head: string,
    /** The JSON text after it. */
    tail: string,
    /** False: the text carries no number, and the frame does not count. */
    readonly sequenced = true,
  ) {
    this.#head = Buffer.from(head, 'latin1');
    this.#tail = Buffer.from(tail, 'utf8');
  }

  /** Bytes of the whole frame with a number of so many digits. */
  size(digits: number): number {
    const payload = this.#payload(digits);
    return headerSize(payload) + payload;
  }

  /** Writes the frame at `offset`, the number's digits left open; returns the offset just after the digits. */
  write(target: Buffer, offset: number, digits: number): number {
    const payload = this.#payload(digits);
    let at = writeHeader(target, offset, payload);
    this.#head.copy(target, at);
    at += this.#head.length + (this.sequenced ? digits : 0);
    this.#tail.copy(target, at);
    return at;
  }

  #payload(digits: number): number {
    return this.#head.length + this.#tail.length + (this.sequenced ? digits : 0);
  }
}

/**
 * What a frame carries, as far as a slow reader is concerned: `latest` gives way to a newer one of its stream, `tick`
 * is bounded per stream, `kept` is never dropped. `key` is the stream of a quote, `accId` the account of a trade event.
 */
export type FrameContent =
  | { readonly kind: 'latest' | 'tick'; readonly key: string; readonly event: QuotePush }
  | { readonly kind: 'kept'; readonly event?: PushEvent };

const FIN_TEXT = 0x81;
const LENGTH_7_MAX = 125;
const LENGTH_16_MAX = 0xffff;

function headerSize(payload: number): number {
  return payload <= LENGTH_7_MAX ? 2 : payload <= LENGTH_16_MAX ? 4 : 10;
}

function writeHeader(target: Buffer, offset: number, payload: number): number {
  target[offset] = FIN_TEXT;
  if (payload <= LENGTH_7_MAX) {
    target[offset + 1] = payload;
    return offset + 2;
  }
  if (payload <= LENGTH_16_MAX) {
    target[offset + 1] = 126;
    return target.writeUInt16BE(payload, offset + 2);
  }
  target[offset + 1] = 127;
  target.writeUInt32BE(0, offset + 2);
  return target.writeUInt32BE(payload, offset + 6);
}

/** How many decimal digits a positive integer has. */
export function digitCount(value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits += 1;
  return digits;
}

/** Writes a positive integer so that its last digit stands just before `end`. */
export function writeDigits(target: Buffer, end: number, value: number): void {
  let at = end;
  let rest = value;
  do {
    const next = Math.floor(rest / 10);
    at -= 1;
    target[at] = 48 + rest - next * 10;
    rest = next;
  } while (rest > 0);
}
