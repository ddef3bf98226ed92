import type { Clock } from '@svc-gateway/contract/clock';
import { getOrInsert } from '@svc-gateway/contract/memo';
import { type EventFrames, FormatState } from './event-frames.js';
import type { PushFormat } from './format.js';
import { FrameBatch } from './frame-batch.js';

/** Receiver of frames. */
export interface Writer {
  /** Adds an event's frame to what the next pass writes. */
  push(frames: EventFrames): void;
  /** Writes an event's frame now: nothing else is gathered. */
  pushNow(frames: EventFrames): void;
  /** Writes what is gathered. */
  flush(): void;
}

/** Milliseconds for which frames are gathered after a pass. */
const GATHER_MS = 1;

/**
 * Decides when frames are written. Idle, at the end of the turn that brought them: an event leaves at once, and the
 * rest of a burst with it. Within a millisecond after a pass, when that millisecond is over: under load a pass over
 * thousands of sockets takes longer than that, so each pass finds what arrived during the one before, and writes it in
 * one go per connection.
 */
export class FrameBatcher {
  /** Weak: a format that no connection has any more is forgotten with it. */
  readonly #lanes = new WeakMap<PushFormat, FormatState>();
  #passes = 1;
  #waiting: Writer[] = [];
  /** The only event since the last pass, while it is the only one. */
  #alone: { readonly recipients: readonly Writer[]; readonly frames: EventFrames } | undefined;
  #scheduled = false;
  #lastPass = Number.NEGATIVE_INFINITY;
  readonly #pass = () => this.#flush();

  constructor(private readonly clock: Clock) {}

  laneOf(format: PushFormat): FormatState {
    return getOrInsert(this.#lanes, format, () => new FormatState(format));
  }

  /** The run from which those of a format's connections grow until the next pass. */
  originOf(lane: FormatState): FrameBatch {
    if (lane.pass !== this.#passes) {
      lane.pass = this.#passes;
      lane.origin = FrameBatch.empty();
    }
    return lane.origin;
  }

  /** Puts a writer on the list of the next pass. */
  add(writer: Writer): void {
    this.#waiting.push(writer);
    this.#schedule();
  }

  /**
   * Gives an event to all of its recipients. One that stays alone until the pass is written in a single walk over them:
   * that is the case of an idle daemon, where touching thousands of connections twice would be felt.
   */
  broadcast(recipients: readonly Writer[], frames: EventFrames): void {
    if (!this.#scheduled) {
      this.#alone = { recipients, frames };
      this.#schedule();
      return;
    }
    this.settle();
    for (const recipient of recipients) recipient.push(frames);
  }

  /** Hands the event that was alone so far to its recipients: they are about to change, or to be given more. */
  settle(): void {
    if (this.#alone === undefined) return;
    const { recipients, frames } = this.#alone;
    this.#alone = undefined;
    for (const recipient of recipients) recipient.push(frames);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (this.clock.monotonic() < this.#lastPass + GATHER_MS) this.clock.after(GATHER_MS, this.#pass);
    else queueMicrotask(this.#pass);
  }

  #flush(): void {
    const writers = this.#waiting;
    const alone = this.#alone;
    this.#waiting = [];
    this.#alone = undefined;
    this.#scheduled = false;
    this.#passes += 1;
    if (alone !== undefined) for (const recipient of alone.recipients) recipient.pushNow(alone.frames);
    for (const writer of writers) writer.flush();
    this.#lastPass = this.clock.monotonic();
  }
}
