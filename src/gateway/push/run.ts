import { digitCount, type Frame, writeDigits } from './frame.js';

/**
 * Frames that go to a connection in one write, oldest first. Runs form a tree: connections that were given the same
 * frames since the last write share one run, so adding a frame to a connection is one comparison, and the bytes of a
 * run are laid out once, however many connections it goes to. Between two connections only the sequence numbers are
 * patched, in place, unless a socket still holds the buffer.
 */
export class Run {
  /** How many frames of it carry a sequence number. */
  readonly sequenced: number;
  /** Bytes of its frames, with one-digit numbers. */
  readonly bytes: number;
  // One child is enough: an event is added to all of its recipients before the next event comes.
  #child: Run | undefined;
  #layout: Layout | undefined;

  private constructor(
    private readonly parent: Run | undefined,
    private readonly frame: Frame | undefined,
  ) {
    this.sequenced = (parent?.sequenced ?? 0) + (frame?.sequenced ? 1 : 0);
    this.bytes = (parent?.bytes ?? 0) + (frame?.size(1) ?? 0);
  }

  /** The run of no frames, from which others grow. */
  static empty(): Run {
    return new Run(undefined, undefined);
  }

  static of(frames: readonly Frame[]): Run {
    return frames.reduce((run, frame) => run.with(frame), Run.empty());
  }

  /** This run with one more frame. */
  with(frame: Frame): Run {
    let child = this.#child;
    if (child === undefined || child.frame !== frame) {
      child = new Run(this, frame);
      this.#child = child;
    }
    return child;
  }

  frames(): Frame[] {
    const frames: Frame[] = [];
    for (let run: Run | undefined = this; run?.frame !== undefined; run = run.parent) frames.push(run.frame);
    return frames.reverse();
  }

  /**
   * The bytes of the run for a connection whose next number is `first`. They hold until the next call; when the socket
   * keeps the buffer beyond that, say so with {@link lend}.
   */
  encode(first: number): Buffer {
    const digits = digitCount(first);
    if (digitCount(first + Math.max(this.sequenced - 1, 0)) !== digits) return this.#encodeMixed(first);
    let layout = this.#layout;
    if (layout === undefined || layout.digits !== digits) {
      layout = new Layout(this.frames(), digits);
      this.#layout = layout;
    }
    return layout.number(first);
  }

  /** The buffer that {@link encode} gave last is still in use: it must not be written to any more. */
  lend(): void {
    if (this.#layout !== undefined) this.#layout.lent = true;
  }

  /** Where the count of digits changes within the run: about once in ten thousand writes, so nothing is kept. */
  #encodeMixed(first: number): Buffer {
    let next = first;
    return Buffer.concat(
      this.frames().map((frame) => {
        const layout = new Layout([frame], digitCount(next));
        const bytes = layout.number(next);
        if (frame.sequenced) next += 1;
        return bytes;
      }),
    );
  }
}

/** The bytes of frames whose sequence numbers all have the same count of digits. */
class Layout {
  lent = false;
  #buffer: Buffer;
  /** The number in the buffer's first sequenced frame; 0 = none yet. */
  #first = 0;
  /** Offsets just after each number. */
  readonly #ends: number[] = [];

  constructor(
    frames: readonly Frame[],
    readonly digits: number,
  ) {
    this.#buffer = Buffer.allocUnsafeSlow(frames.reduce((bytes, frame) => bytes + frame.size(digits), 0));
    let offset = 0;
    for (const frame of frames) {
      const end = frame.write(this.#buffer, offset, digits);
      if (frame.sequenced) this.#ends.push(end);
      offset += frame.size(digits);
    }
  }

  number(first: number): Buffer {
    if (first === this.#first) return this.#buffer;
    if (this.lent) {
      this.#buffer = Buffer.from(this.#buffer);
      this.lent = false;
    }
    this.#first = first;
    const buffer = this.#buffer;
    const ends = this.#ends;
    for (let index = 0; index < ends.length; index++) writeDigits(buffer, ends[index] ?? 0, first + index);
    return buffer;
  }
}
