import type { PushEvent } from '../backend.js';
import type { PushFormat } from './format.js';
import type { Frame, FrameContent } from './frame.js';
import { FrameBatch } from './frame-batch.js';
import { SUB_TYPE_TICKER, streamKey } from './streams.js';

/** State shared by the connections of one format: see {@link FrameBatcher.originOf}. */
export class FormatState {
  /** The run from which those of the pass `pass` grow. */
  origin = FrameBatch.empty();
  pass = 0;

  constructor(readonly format: PushFormat) {}
}

/** The frames of one event: each format encodes it when its first recipient comes, and never again. */
export class EventFrames {
  // Side by side, and searched one by one: there are a handful of formats at most, and a Map for each event would cost more.
  readonly #lanes: FormatState[] = [];
  /** null where the event could not be encoded. */
  readonly #frames: (Frame | null)[] = [];
  readonly #content: FrameContent;

  constructor(
    readonly event: PushEvent,
    /** Told once per format of an event that cannot be encoded. */
    private readonly onDefect: (error: unknown) => void,
  ) {
    this.#content = contentOf(event);
  }

  /** The event's frame; undefined where it could not be encoded, which leaves the other events alone. */
  in(lane: FormatState): Frame | undefined {
    const states = this.#lanes;
    for (let index = 0; index < states.length; index++) if (states[index] === lane) return this.#frames[index] ?? undefined;
    const frame = this.#encode(lane.format);
    states.push(lane);
    this.#frames.push(frame);
    return frame ?? undefined;
  }

  #encode(format: PushFormat): Frame | null {
    try {
      return format.event(this.event, this.#content);
    } catch (error) {
      this.onDefect(error);
      return null;
    }
  }
}

function contentOf(event: PushEvent): FrameContent {
  if (event.type !== 'quote') return { kind: 'kept', event };
  return { kind: event.stream.subType === SUB_TYPE_TICKER ? 'tick' : 'latest', key: streamKey(event.stream), event };
}
