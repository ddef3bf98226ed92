import type { PushEvent, QuotePush } from '../backend.js';

/**
 * One piece of output, complete but for its number: the number is the connection's own, everything else is the same for all
 * connections of a format.
 */
export interface Frame {
  /** Its handling for a slow reader, and its stream or account. */
  readonly content: FrameContent;
  /** False: it answers something, carries no number and does not count. */
  readonly sequenced: boolean;
  /** Bytes of the whole frame for a number of this width. */
  size(width: number): number;
  /** Writes the frame at `offset`, the number's bytes left open; returns the offset just after the number. */
  write(target: Buffer, offset: number, width: number): number;
  /** The whole frame, where it has no number and its bytes are together already. Nobody writes to them any more. */
  readonly ready?: Buffer | undefined;
}

/**
 * A frame's handling for a slow reader: `latest` gives way to a newer one of its stream, `tick` is bounded per stream, `kept` is
 * never dropped. `key` is the stream of a quote, `accId` the account of a trade event.
 */
export type FrameContent =
  | { readonly kind: 'latest' | 'tick'; readonly key: string; readonly event: QuotePush }
  | { readonly kind: 'kept'; readonly event?: PushEvent };

const NOTHING = Buffer.alloc(0);

/** A frame of ready bytes, with its number between them where the format numbers events. */
export class BytesFrame implements Frame {
  constructor(
    readonly content: FrameContent,
    /** Up to the number; the whole frame where there is none. */
    private readonly head: Buffer,
    /** After the number. */
    private readonly tail: Buffer = NOTHING,
    readonly sequenced = true,
  ) {}

  size(width: number): number {
    return this.head.length + (this.sequenced ? width : 0) + this.tail.length;
  }

  get ready(): Buffer | undefined {
    return this.sequenced || this.tail.length > 0 ? undefined : this.head;
  }

  write(target: Buffer, offset: number, width: number): number {
    this.head.copy(target, offset);
    const end = offset + this.head.length + (this.sequenced ? width : 0);
    this.tail.copy(target, end);
    return end;
  }
}
