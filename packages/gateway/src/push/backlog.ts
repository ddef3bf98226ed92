import { getOrInsert } from '@svc-gateway/contract/memo';
import type { QuotePush } from '../backend.js';
import type { Frame } from './frame.js';

/** Ticker events of one stream that wait at most; beyond it the oldest are dropped and counted. */
export const TICKERS_MAX = 1000;

interface Ticks {
  readonly waiting: Set<Frame>;
  /** Dropped since the last one that was sent. */
  dropped: number;
}

/**
 * Frames that wait for a slow reader, in order. A `latest` frame replaces an older one of its stream; `tick` frames are bounded
 * per stream, and a gap is announced before the next one; all others wait indefinitely (the connection's byte limit ends it).
 */
export class Backlog {
  // A Map keeps the place of a key whose value is replaced: the newest quote goes out in the turn of the oldest.
  readonly #frames = new Map<string | Frame, Frame>();
  readonly #ticks = new Map<string, Ticks>();
  #bytes = 0;

  constructor(
    /** Makes the notice of ticker events that were dropped before this one; undefined = its reader wants none. */
    private readonly gapFrame: (next: QuotePush, dropped: number) => Frame | undefined,
    private readonly ticksMax = TICKERS_MAX,
  ) {}

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  get empty(): boolean {
    return this.#frames.size === 0;
  }

  /** Queues a frame; true when it took the place of another. */
  add(frame: Frame): boolean {
    const { content } = frame;
    const key = content.kind === 'latest' ? content.key : frame;
    const replaced = this.#frames.get(key);
    if (replaced !== undefined) this.#bytes -= replaced.size(1);
    this.#frames.set(key, frame);
    this.#bytes += frame.size(1);
    if (content.kind === 'tick') this.#bound(content.key, frame);
    return replaced !== undefined;
  }

  /** Takes out the oldest frames, up to about `bytesMax`. */
  take(bytesMax: number): Frame[] {
    const taken: Frame[] = [];
    let bytes = 0;
    for (const [key, frame] of this.#frames) {
      if (bytes >= bytesMax) break;
      this.#frames.delete(key);
      bytes += frame.size(1);
      if (frame.content.kind === 'tick') this.#announceGap(frame.content, frame, taken);
      taken.push(frame);
    }
    this.#bytes -= bytes;
    return taken;
  }

  /** Removes the frames that must not be delivered any more. */
  purge(unwanted: (frame: Frame) => boolean): void {
    for (const [key, frame] of this.#frames) {
      if (!unwanted(frame)) continue;
      this.#frames.delete(key);
      this.#bytes -= frame.size(1);
      const { content } = frame;
      if (content.kind !== 'tick') continue;
      const ticks = this.#ticks.get(content.key);
      ticks?.waiting.delete(frame);
      if (ticks?.waiting.size === 0) this.#ticks.delete(content.key);
    }
  }

  #bound(key: string, frame: Frame): void {
    const ticks = getOrInsert(this.#ticks, key, () => ({ waiting: new Set<Frame>(), dropped: 0 }));
    ticks.waiting.add(frame);
    if (ticks.waiting.size <= this.ticksMax) return;
    for (const oldest of ticks.waiting) {
      ticks.waiting.delete(oldest);
      this.#frames.delete(oldest);
      this.#bytes -= oldest.size(1);
      ticks.dropped += 1;
      break;
    }
  }

  #announceGap({ key, event }: { key: string; event: QuotePush }, frame: Frame, taken: Frame[]): void {
    const ticks = this.#ticks.get(key);
    if (ticks === undefined) return;
    const notice = ticks.dropped > 0 ? this.gapFrame(event, ticks.dropped) : undefined;
    if (notice !== undefined) taken.push(notice);
    ticks.dropped = 0;
    ticks.waiting.delete(frame);
    if (ticks.waiting.size === 0) this.#ticks.delete(key);
  }
}
