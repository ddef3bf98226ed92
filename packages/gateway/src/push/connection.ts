import type { PushEvent, QuotePush } from '../backend.js';
import { Backlog } from './backlog.js';
import type { EventFrames, FormatState } from './event-frames.js';
import { tickerGap } from './format.js';
import type { Frame } from './frame.js';
import { FrameBatch } from './frame-batch.js';
import type { FrameBatcher, Writer } from './frame-batcher.js';

/** Where a connection's frames go: a socket, as far as pushing needs to know it. */
export interface PushSink {
  /** Bytes written and not yet with the kernel. At 0 no buffer that was written is looked at any more. */
  readonly bufferedBytes: number;
  /** Writes whole frames; returns {@link bufferedBytes} after it. The buffer is the hub's again as soon as that is 0. */
  write(frames: Buffer): number;
  /** Sends what is buffered, then closes with a WebSocket code and a reason. */
  close(code: number, reason: string): void;
}

/** Whether the caller may see an event. For quotes only the stream may decide: the answer is kept until it changes. */
export type Permits = (event: PushEvent) => boolean;

/** A connection as `get_push_subscriber_info` shows it. */
export interface ConnectionInfo {
  readonly id: string;
  readonly iface: string;
  /** Identifier of the key; undefined for the anonymous caller. */
  readonly keyId: string | undefined;
  /** Epoch ms, UTC. */
  readonly connectedAt: number;
  readonly subscriptionCount: number;
  /** Events written. */
  readonly sentCount: number;
  readonly conflatedCount: number;
  /** Bytes that wait, in the daemon and in its socket. */
  readonly backlogBytes: number;
}

export interface ConnectionSettings {
  readonly id: string;
  /** Owner of the connection: `key:<id>` or `anonymous`. */
  readonly owner: string;
  readonly lane: FormatState;
  readonly wants: Permits;
  readonly sink: PushSink;
  readonly gatherer: FrameBatcher;
  readonly maxBacklogBytes: number;
  /** The connection closed itself: its reader is too slow. */
  readonly onOverflow: (connection: Connection, reason: string) => void;
}

/** A socket with more than this in its buffer is not written to until it has drained. */
export const STALLED_BYTES = 64 * 1024;
/** A run is written early when it reaches this: a burst must not pile up in memory before the first write. */
const RUN_BYTES_MAX = 256 * 1024;
/** WebSocket close code "try again later" (IANA registry). */
const CLOSE_TRY_AGAIN_LATER = 1013;

/**
 * One subscriber's end of the push path. While its socket takes what is written, frames gather in a run and leave with
 * the next pass. When the socket's buffer fills up they wait in a {@link Backlog} until it has drained.
 */
export class Connection implements Writer {
  // Fields of the write path come first and so share cache lines, which shows with thousands of connections.
  #run: FrameBatch | undefined;
  #backlog: Backlog | undefined;
  #open = true;
  /** The number of the frame written last. */
  #sequence = 0;
  readonly #sink: PushSink;
  readonly #lane: FormatState;
  readonly #gatherer: FrameBatcher;
  readonly id: string;
  readonly owner: string;
  /** The owner of the subscriptions that it makes itself. */
  readonly ownOwner: string;
  readonly #wants: Permits;
  readonly #maxBacklogBytes: number;
  readonly #onOverflow: ConnectionSettings['onOverflow'];
  #conflated = 0;

  constructor(settings: ConnectionSettings) {
    this.id = settings.id;
    this.owner = settings.owner;
    this.ownOwner = `conn:${settings.id}`;
    this.#lane = settings.lane;
    this.#wants = settings.wants;
    this.#sink = settings.sink;
    this.#gatherer = settings.gatherer;
    this.#maxBacklogBytes = settings.maxBacklogBytes;
    this.#onOverflow = settings.onOverflow;
  }

  get sentCount(): number {
    return this.#sequence;
  }

  get conflatedCount(): number {
    return this.#conflated;
  }

  get backlogBytes(): number {
    return this.#sink.bufferedBytes + (this.#backlog?.bytes ?? 0) + (this.#run?.bytes ?? 0);
  }

  push(frames: EventFrames): void {
    const frame = frames.in(this.#lane);
    if (frame !== undefined) this.#add(frame);
  }

  /** Sends an answer at once, in order with the events. */
  send(frame: Frame): void {
    if (!this.#open) return;
    this.#gatherer.settle();
    if (this.#backlog !== undefined) {
      this.#wait(this.#backlog, frame);
      return;
    }
    this.flush();
    // An unshared frame needs no batch.
    this.#stallAbove(this.#sink.write(frame.ready ?? bytesOf(frame)));
  }

  /** Writes the pending batch; called by the pass. */
  flush(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    this.#writeGathered(run);
  }

  /** Writes an event at once: called by the pass when nothing else is gathered. */
  pushNow(frames: EventFrames): void {
    if (!this.#open) return;
    const frame = frames.in(this.#lane);
    if (frame === undefined) return;
    if (this.#backlog === undefined) this.#writeGathered(this.#gatherer.originOf(this.#lane).with(frame));
    else this.#wait(this.#backlog, frame);
  }

  /** The socket's buffer is empty: what waited may go on. */
  drained(): void {
    const backlog = this.#backlog;
    if (backlog === undefined) return;
    while (this.#sink.bufferedBytes <= STALLED_BYTES) {
      if (backlog.empty) {
        this.#backlog = undefined;
        return;
      }
      this.#write(FrameBatch.of(backlog.take(STALLED_BYTES)));
    }
  }

  /** Takes back frames that are not to be delivered any more, as far as the socket does not have them. */
  purge(unwanted: (frame: Frame) => boolean): void {
    this.#gatherer.settle();
    this.#backlog?.purge(unwanted);
    if (this.#run === undefined) return;
    const frames = this.#run.frames();
    const kept = frames.filter((frame) => !unwanted(frame));
    if (kept.length < frames.length) this.#run = kept.length === 0 ? undefined : FrameBatch.of(kept);
  }

  /** Ends it: what is queued is dropped, the sink is closed. */
  close(code: number, reason: string): void {
    if (!this.#open) return;
    this.discard();
    this.#sink.close(code, reason);
  }

  /** The peer is gone. */
  discard(): void {
    this.#open = false;
    this.#run = undefined;
    this.#backlog = undefined;
  }

  #add(frame: Frame): void {
    if (!this.#open) return;
    this.#gatherer.settle();
    if (this.#backlog !== undefined) {
      this.#wait(this.#backlog, frame);
      return;
    }
    if (this.#run === undefined) {
      this.#gatherer.add(this);
      this.#run = this.#gatherer.originOf(this.#lane).with(frame);
    } else {
      this.#run = this.#run.with(frame);
    }
    if (this.#run.bytes > RUN_BYTES_MAX) this.flush();
  }

  #wait(backlog: Backlog, frame: Frame): void {
    if (backlog.add(frame)) this.#conflated += 1;
    if (backlog.bytes + this.#sink.bufferedBytes <= this.#maxBacklogBytes) return;
    const reason = `the backlog passed ${this.#maxBacklogBytes} bytes: read faster or subscribe to less`;
    this.close(CLOSE_TRY_AGAIN_LATER, reason);
    this.#onOverflow(this, reason);
  }

  #writeGathered(run: FrameBatch): void {
    this.#stallAbove(this.#write(run));
  }

  /** Later frames are queued while the sink holds too much. */
  #stallAbove(buffered: number): void {
    if (buffered > STALLED_BYTES) this.#backlog = new Backlog((next, dropped) => this.#gapFrame(next, dropped));
  }

  /** Writes a run; returns the bytes that the sink then holds. */
  #write(run: FrameBatch): number {
    const bytes = run.encode(this.#sequence + 1, this.#lane.format.numbering);
    this.#sequence += run.sequenced;
    const buffered = this.#sink.write(bytes);
    if (buffered > 0) run.lend();
    return buffered;
  }

  #gapFrame(next: QuotePush, dropped: number): Frame | undefined {
    const gap = tickerGap(next, dropped);
    return this.#wants(gap.notice) ? this.#lane.format.gap(gap, { kind: 'kept' }) : undefined;
  }
}

function bytesOf(frame: Frame): Buffer {
  const bytes = Buffer.allocUnsafe(frame.size(0));
  frame.write(bytes, 0, 0);
  return bytes;
}
