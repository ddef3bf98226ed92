import type { Frame, FrameContent } from '../../gateway/push/index.js';

/**
 * One WebSocket text frame (RFC 6455, section 5.2) from server to client, ready but for the sequence number in its text.
 */
export class TextFrame implements Frame {
  readonly #head: Buffer;
  readonly #tail: Buffer;

  constructor(
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

  size(digits: number): number {
    const payload = this.#payload(digits);
    return headerSize(payload) + payload;
  }

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

/** A frame that answers a command: it has no sequence number. */
export function controlFrame(text: string): TextFrame {
  return new TextFrame({ kind: 'kept' }, '', text, false);
}

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
