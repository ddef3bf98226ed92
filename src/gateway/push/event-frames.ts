import { create, toBinary } from '@bufbuild/protobuf';
import { trdMarket } from '../../contract/enums.js';
import * as Notify from '../../contract/generated/Notify_pb.js';
import { messageWriter } from '../../contract/json/message-json.js';
import type { Int64Format } from '../../contract/json/scalars.js';
import type { PushEvent, QuotePush } from '../backend.js';
import { Frame, type FrameContent } from './frame.js';
import { payloadOf, pushMessagesOf } from './push-messages.js';
import { isKline, SUB_TYPE_TICKER, streamKey } from './streams.js';

/** How a connection wants its events: `json` has a decoded `body`, `protobuf` the `Response` in base64 as `body_b64`. */
export interface WireFormat {
  readonly format: 'json' | 'protobuf';
  readonly int64: Int64Format;
}

/** The wire formats as small integers: a look-up in a fan-out loop. */
export type FormatIndex = 0 | 1 | 2 | 3;

export function formatIndex({ format, int64 }: WireFormat): FormatIndex {
  if (format === 'json') return int64 === 'string' ? 1 : 0;
  return int64 === 'string' ? 3 : 2;
}

/** The frames of one event: each format is encoded when its first recipient comes, and never again. */
export class EventFrames {
  /** By format; null where the event could not be encoded. */
  readonly #frames: (Frame | null | undefined)[] = [undefined, undefined, undefined, undefined];
  readonly #content: FrameContent;

  constructor(
    readonly event: PushEvent,
    /** Told once per format of an event that cannot be encoded. */
    private readonly onDefect: (error: unknown) => void,
  ) {
    this.#content = contentOf(event);
  }

  /** The event's frame; undefined where it could not be encoded, which leaves the other events alone. */
  in(format: FormatIndex): Frame | undefined {
    let frame = this.#frames[format];
    if (frame === undefined) {
      frame = this.#encode(format);
      this.#frames[format] = frame;
    }
    return frame ?? undefined;
  }

  #encode(format: FormatIndex): Frame | null {
    try {
      return encodeEvent(this.event, format, this.#content);
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

function encodeEvent(event: PushEvent, format: FormatIndex, content: FrameContent): Frame {
  return new Frame(
    content,
    `{"type":"${event.type}","seq":`,
    `,"proto_id":${event.protoId}${addressOf(event, format)},${bodyOf(event, format)}}`,
  );
}

function addressOf(event: PushEvent, format: FormatIndex): string {
  switch (event.type) {
    case 'quote': {
      const rehab = isKline(event.stream.subType) ? `,"rehab_type":${event.stream.rehabType}` : '';
      return `${quoteAddress(event)}${rehab}`;
    }
    case 'trade': {
      const accId = isText(format) ? `"${event.accId}"` : String(event.accId);
      return `,"acc_id":${accId},"trd_market":${JSON.stringify(marketName(event.trdMarket))}`;
    }
    case 'notify':
      return '';
  }
}

function quoteAddress({ secKey, stream }: QuotePush): string {
  return `,"sec_key":${JSON.stringify(secKey)},"symbol":${JSON.stringify(stream.symbol)},"sub_type":${stream.subType}`;
}

/** `body` is the payload (`s2c`) of the push as REST writes it: a push always succeeds, so its envelope says nothing. */
function bodyOf({ protoId, message }: Pick<PushEvent, 'protoId' | 'message'>, format: FormatIndex): string {
  const { ResponseSchema, S2CSchema } = pushMessagesOf(protoId);
  if (format >= 2) return `"body_b64":"${Buffer.from(toBinary(ResponseSchema, message)).toString('base64')}"`;
  const payload = payloadOf(message);
  return `"body":${payload === undefined ? '{}' : messageWriter(S2CSchema, 'rest', isText(format) ? 'string' : 'number')(payload)}`;
}

function isText(format: FormatIndex): boolean {
  return format === 1 || format === 3;
}

function marketName(number: number): string {
  return trdMarket.members.find((member) => member.public === number)?.name ?? String(number);
}

const NOTIFY = 1003;

/** Announces that ticker events of a stream were dropped because the reader was too slow. */
export function tickerGapFrame(next: QuotePush, dropped: number, format: FormatIndex): Frame {
  const desc = `${next.stream.symbol}: ${dropped} ticker events were dropped, the connection reads too slowly`;
  const event: Notify.GtwEvent = create(Notify.GtwEventSchema, { eventType: Notify.GtwEventType.GtwEventType_None, desc });
  const s2c = create(Notify.S2CSchema, { type: Notify.NotifyType.NotifyType_GtwEvent, event });
  const body = bodyOf({ protoId: NOTIFY, message: create(Notify.ResponseSchema, { retType: 0, s2c }) }, format);
  const tail = `,"proto_id":${NOTIFY}${quoteAddress(next)},"dropped":${dropped},${body}}`;
  return new Frame({ kind: 'kept' }, '{"type":"notify","seq":', tail);
}

/** A frame that answers a command: it has no sequence number. */
export function controlFrame(text: string): Frame {
  return new Frame({ kind: 'kept' }, '', text, false);
}
