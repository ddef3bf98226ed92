import { toBinary } from '@bufbuild/protobuf';
import type { Dialect } from '@svc-gateway/contract/enums';
import type { PushEvent } from '@svc-gateway/gateway';
import { decimalNumbers, type PushFormat, pushMessagesOf } from '@svc-gateway/gateway/push';
import type { EnvelopeFormat } from '../common/envelope.js';
import { eventHead, eventTail, gapTail } from '../common/push-json.js';
import { TextFrame } from './text-frame.js';

/** How a connection wants its events: `json` has a decoded `body`, `protobuf` the `Response` in base64 as `body_b64`. */
export interface WireFormat extends EnvelopeFormat {
  readonly format: 'json' | 'protobuf';
}

const formats = {
  json: formatsBy('json'),
  protobuf: formatsBy('protobuf'),
} as const;

/** How the hub writes events for a connection of this format: one JSON text frame an event, numbered in `seq`. */
export function pushFormatOf({ format, int64, enums }: WireFormat): PushFormat {
  return formats[format][enums][int64];
}

/** One object for each way: the hub encodes an event once for all connections that share it. */
function formatsBy(format: WireFormat['format']) {
  const by = (enums: Dialect) => ({
    number: pushFormat(format, { int64: 'number', enums }),
    string: pushFormat(format, { int64: 'string', enums }),
  });
  return { rest: by('rest'), mcp: by('mcp') };
}

function pushFormat(format: WireFormat['format'], json: EnvelopeFormat): PushFormat {
  const body = format === 'protobuf' ? bodyInBase64 : () => undefined;
  return {
    numbering: decimalNumbers,
    event: (event, content) => new TextFrame(content, eventHead(event), `${placeOf(event)}${eventTail(event, json, body(event))}`),
    gap: (gap, content) => new TextFrame(content, eventHead(gap.notice), gapTail(gap, json, body(gap.notice))),
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
