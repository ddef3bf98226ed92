import type { Frame } from './frame.js';
import type { Numbering } from './numbering.js';

/**
 * Frames that go to a connection in one write, oldest first. Runs form a tree: connections that were given the same
 * frames since the last write share one run, so adding a frame to a connection is one comparison, and the bytes of a
 * run are laid out once, however many connections it goes to. Between two connections only the sequence numbers are
 * patched, in place, unless a socket still holds the buffer.
 */
export class FrameBatch {
  /** How many frames of it carry a sequence number. */
  readonly sequenced: number;
  /** Bytes of its frames, with numbers of one byte. */
  readonly bytes: number;
  // One child is enough: an event is added to all of its recipients before the next event comes.
  #child: FrameBatch | undefined;
  #layout: BatchLayout | undefined;

  private constructor(
    private readonly parent: FrameBatch | undefined,
    private readonly frame: Frame | undefined,
  ) {
    this.sequenced = (parent?.sequenced ?? 0) + (frame?.sequenced ? 1 : 0);
    this.bytes = (parent?.bytes ?? 0) + (frame?.size(1) ?? 0);
  }

  /** The run of no frames, from which others grow. */
  static empty(): FrameBatch {
    return new FrameBatch(undefined, undefined);
  }

  static of(frames: readonly Frame[]): FrameBatch {
    return frames.reduce((run, frame) => run.with(frame), FrameBatch.empty());
  }

  /** This run with one more frame. */
  with(frame: Frame): FrameBatch {
    let child = this.#child;
    if (child === undefined || child.frame !== frame) {
      child = new FrameBatch(this, frame);
      this.#child = child;
    }
    return child;
  }

  frames(): Frame[] {
    const frames: Frame[] = [];
    for (let run: FrameBatch | undefined = this; run?.frame !== undefined; run = run.parent) frames.push(run.frame);
    return frames.reverse();
  }

  /**
   * The bytes of the run for a connection whose next number is `first`, numbered as the format of its frames does it.
   * They hold until the next call; when the socket keeps the buffer beyond that, say so with {@link lend}.
   */
  encode(first: number, numbering: Numbering): Buffer {
    const width = numbering.width(first);
    if (this.sequenced > 1 && numbering.width(first + this.sequenced - 1) !== width) return this.#encodeMixed(first, numbering);
    let layout = this.#layout;
    if (layout === undefined || layout.width !== width) {
      layout = new BatchLayout(this.frames(), width);
      this.#layout = layout;
    }
    return layout.number(first, numbering);
  }

  /** The buffer that {@link encode} gave last is still in use: it must not be written to any more. */
  lend(): void {
    if (this.#layout !== undefined) this.#layout.lent = true;
  }

  /** Where the width of numbers changes within the run: about once in ten thousand writes, so nothing is kept. */
  #encodeMixed(first: number, numbering: Numbering): Buffer {
    let next = first;
    return Buffer.concat(
      this.frames().map((frame) => {
        const layout = new BatchLayout([frame], numbering.width(next));
        const bytes = layout.number(next, numbering);
        if (frame.sequenced) next += 1;
        return bytes;
      }),
    );
  }
}

/** The bytes of frames whose sequence numbers all have the same width. */
class BatchLayout {
  lent = false;
  #buffer: Buffer;
  /** The number in the buffer's first sequenced frame; 0 = none yet. */
  #first = 0;
  /** Offsets just after each number. */
  readonly #ends: number[] = [];

  constructor(
    frames: readonly Frame[],
    readonly width: number,
  ) {
    this.#buffer = Buffer.allocUnsafeSlow(frames.reduce((bytes, frame) => bytes + frame.size(width), 0));
    let offset = 0;
    for (const frame of frames) {
      const end = frame.write(this.#buffer, offset, width);
      if (frame.sequenced && width > 0) this.#ends.push(end);
      offset += frame.size(width);
    }
  }

  number(first: number, numbering: Numbering): Buffer {
    const ends = this.#ends;
    if (first === this.#first || ends.length === 0) return this.#buffer;
    if (this.lent) {
      this.#buffer = Buffer.from(this.#buffer);
      this.lent = false;
    }
    this.#first = first;
    const buffer = this.#buffer;
    for (let index = 0; index < ends.length; index++) numbering.write(buffer, ends[index] ?? 0, first + index);
    return buffer;
  }
}
