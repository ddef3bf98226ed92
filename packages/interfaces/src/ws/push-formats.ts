import { toBinary } from '@bufbuild/protobuf';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import type { PushEvent } from '@svc-gateway/gateway';
import { decimalNumbers, type PushFormat, pushMessagesOf } from '@svc-gateway/gateway/push';
import { eventHead, eventTail, gapTail } from '../common/push-json.js';
import { TextFrame } from './text-frame.js';

/** How a connection wants its events: `json` has a decoded `body`, `protobuf` the `Response` in base64 as `body_b64`. */
export interface WireFormat {
  readonly format: 'json' | 'protobuf';
  readonly int64: Int64Format;
}

const formats = {
  json: { number: pushFormat('json', 'number'), string: pushFormat('json', 'string') },
  protobuf: { number: pushFormat('protobuf', 'number'), string: pushFormat('protobuf', 'string') },
} as const;

/** How the hub writes events for a connection of this format: one JSON text frame an event, numbered in `seq`. */
export function pushFormatOf({ format, int64 }: WireFormat): PushFormat {
  return formats[format][int64];
}

function pushFormat(format: WireFormat['format'], int64: Int64Format): PushFormat {
  const body = format === 'protobuf' ? bodyInBase64 : () => undefined;
  return {
    numbering: decimalNumbers,
    event: (event, content) => new TextFrame(content, eventHead(event), `${placeOf(event)}${eventTail(event, int64, body(event))}`),
    gap: (gap, content) => new TextFrame(content, eventHead(gap.notice), gapTail(gap, int64, body(gap.notice))),
  };
}

/** Where an order or fill event stands: what a client resumes from. */
function placeOf(event: PushEvent): string {
  if (event.type !== 'trade' || event.cursor === undefined) return '';
  return `,"cursor":"${event.cursor}"${event.replayed ? ',"replayed":true' : ''}`;
}

function bodyInBase64({ protoId, message }: PushEvent): string {
  const { ResponseSchema } = pushMessagesOf(protoId);
  return `"body_b64":"${Buffer.from(toBinary(ResponseSchema, message)).toString('base64')}"`;
}
