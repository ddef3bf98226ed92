import { toBinary } from '@bufbuild/protobuf';
import { trdMarket } from '../../contract/enums.js';
import { messageWriter } from '../../contract/json/message-json.js';
import type { Int64Format } from '../../contract/json/scalars.js';
import type { PushEvent, QuotePush } from '../../gateway/backend.js';
import { decimalNumbers, isKline, type PushFormat, payloadOf, pushMessagesOf } from '../../gateway/push/index.js';
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
  const body = format === 'protobuf' ? bodyInBase64 : (event: PushEvent) => bodyInJson(event, int64);
  return {
    numbering: decimalNumbers,
    event(event, content) {
      const tail = `,"proto_id":${event.protoId}${addressOf(event, int64)},${body(event)}}`;
      return new TextFrame(content, `{"type":"${event.type}","seq":`, tail);
    },
    gap({ notice, next, dropped }, content) {
      const tail = `,"proto_id":${notice.protoId}${quoteAddress(next)},"dropped":${dropped},${body(notice)}}`;
      return new TextFrame(content, '{"type":"notify","seq":', tail);
    },
  };
}

function addressOf(event: PushEvent, int64: Int64Format): string {
  switch (event.type) {
    case 'quote': {
      const rehab = isKline(event.stream.subType) ? `,"rehab_type":${event.stream.rehabType}` : '';
      return `${quoteAddress(event)}${rehab}`;
    }
    case 'trade': {
      const accId = int64 === 'string' ? `"${event.accId}"` : String(event.accId);
      return `,"acc_id":${accId},"trd_market":${JSON.stringify(marketName(event.trdMarket))}`;
    }
    case 'notify':
      return '';
  }
}

function quoteAddress({ secKey, stream }: QuotePush): string {
  return `,"sec_key":${JSON.stringify(secKey)},"symbol":${JSON.stringify(stream.symbol)},"sub_type":${stream.subType}`;
}

function bodyInBase64({ protoId, message }: PushEvent): string {
  const { ResponseSchema } = pushMessagesOf(protoId);
  return `"body_b64":"${Buffer.from(toBinary(ResponseSchema, message)).toString('base64')}"`;
}

/** `body` is the payload (`s2c`) of the push as REST writes it: a push always succeeds, so its envelope says nothing. */
function bodyInJson({ protoId, message }: PushEvent, int64: Int64Format): string {
  const { S2CSchema } = pushMessagesOf(protoId);
  const payload = payloadOf(message);
  return `"body":${payload === undefined ? '{}' : messageWriter(S2CSchema, 'rest', int64)(payload)}`;
}

function marketName(number: number): string {
  return trdMarket.members.find((member) => member.public === number)?.name ?? String(number);
}
