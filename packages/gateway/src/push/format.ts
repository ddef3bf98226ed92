import type { NotifyPush, PushEvent, QuotePush } from '../backend.js';
import type { Frame, FrameContent } from './frame.js';
import { notice } from './gaps.js';
import type { Numbering } from './numbering.js';

/**
 * How an interface writes events: one object for all connections that are written to in the same way. An event is given
 * to each format at most once, whatever the number of connections.
 */
export interface PushFormat {
  readonly numbering: Numbering;
  /** The frame of an event. What it throws is reported, and costs that event alone. */
  event(event: PushEvent, content: FrameContent): Frame;
  /** The frame that announces a gap. */
  gap(gap: TickerGap, content: FrameContent): Frame;
}

/** Ticker events of a stream were dropped because the connection reads too slowly. */
export interface TickerGap {
  /** Says so in the protocol's own terms. */
  readonly notice: NotifyPush;
  /** The first event after the gap. */
  readonly next: QuotePush;
  readonly dropped: number;
}

/** The gap before `next`. */
export function tickerGap(next: QuotePush, dropped: number): TickerGap {
  const desc = `${next.stream.symbol}: ${dropped} ticker events were dropped, the connection reads too slowly`;
  return { notice: notice(desc), next, dropped };
}
