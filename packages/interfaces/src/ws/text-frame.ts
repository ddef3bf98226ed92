import type { Frame, FrameContent } from '@svc-gateway/gateway/push';
import { headerBytes, opcode, writeHeader } from '../common/websocket-header.js';

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
    return headerBytes(payload) + payload;
  }

  write(target: Buffer, offset: number, digits: number): number {
    const payload = this.#payload(digits);
    let at = writeHeader(target, offset, opcode.text, payload);
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
